// Vectorscan needs libm for nothing but the scores by which its compiler groups literals. mrgrep is
// linked (--wrap=pow) so that this call comes here, and loads libm when it is made: most searches
// never make it.
#include <dlfcn.h>

#include <stdexcept>

namespace {

using Pow = double (*)(double, double);

Pow LoadPow() {
  void* const libm = dlopen("libm.so.6", RTLD_NOW);
  if (libm == nullptr) return nullptr;
  return reinterpret_cast<Pow>(dlsym(libm, "pow"));
}

}  // namespace

// Throws std::runtime_error, for which hs_compile returns an error.
extern "C" double __wrap_pow(double base, double exponent);

double __wrap_pow(double base, double exponent) {
  static const Pow pow = LoadPow();
  if (pow == nullptr) throw std::runtime_error("libm cannot be loaded");
  return pow(base, exponent);
}
