// Vectorscan 5.4.9 loses matches, and invents some, on processors with AVX2 and more often with
// AVX-512. Several of its searches for a byte look, in an incomplete vector, at bytes that they
// have seen already instead of those that are left. (Upstream corrected them one by one,
// vermicelli's in pull request 378 of 2026.) Whether a match is lost depends on where the text lies
// in memory: `^b*x` is, where line 2 of two lines is x. Against RE2, over half a million random
// texts, the code for 16-byte vectors never was wrong, so that is what is used.
#include "match/vectorscan_scan.h"

// What hs_scan stands for on a processor with SSE 4.2 and no more. Absent from a library that was
// built for one kind of processor only.
extern "C" hs_error_t corei7_hs_scan(const hs_database_t* database, const char* data,
                                     unsigned int length, unsigned int flags, hs_scratch_t* scratch,
                                     match_event_handler on_event, void* context)
    __attribute__((weak));

namespace mr::match {

ScanFunction Scan16() {
#ifdef __x86_64__
  // Null where the library has only code that this processor cannot be trusted with.
  if (__builtin_cpu_supports("avx2") != 0) return corei7_hs_scan;
#endif
  return hs_scan;
}

hs_platform_info_t Platform16() { return {}; }

}  // namespace mr::match
