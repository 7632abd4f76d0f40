// What Vectorscan would cost the start of a program that may never use it. mrgrep is linked so
// (--wrap) that calls from within Vectorscan come here.
#include <dlfcn.h>
#include <hs.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace {

using Pow = double (*)(double, double);

Pow LoadPow() {
  void* const libm = dlopen("libm.so.6", RTLD_NOW);
  if (libm == nullptr) return nullptr;
  return reinterpret_cast<Pow>(dlsym(libm, "pow"));
}

}  // namespace

extern "C" {

// libm is needed for nothing but the scores by which the compiler groups literals. Throws
// std::runtime_error, for which hs_compile returns an error.
double __wrap_pow(double base, double exponent) {
  static const Pow pow = LoadPow();
  if (pow == nullptr) throw std::runtime_error("libm cannot be loaded");
  return pow(base, exponent);
}

#ifdef MRGREP_VECTORSCAN_DISPATCHES

// A library with code for several kinds of processors chooses when the program is loaded, and asks
// the processor for each function anew. We use that of one kind only (see vectorscan_scan.cc).
hs_error_t corei7_dbIsValid(const hs_database_t* database);
std::uint32_t corei7_Crc32c_ComputeBuf(std::uint32_t start, const void* bytes, std::size_t size);

hs_error_t __wrap_dbIsValid(const hs_database_t* database) { return corei7_dbIsValid(database); }

std::uint32_t __wrap_Crc32c_ComputeBuf(std::uint32_t start, const void* bytes, std::size_t size) {
  return corei7_Crc32c_ComputeBuf(start, bytes, size);
}

#endif
}
