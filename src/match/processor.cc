#include "match/processor.h"

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#ifndef _Bool
#define _Bool bool  // the header is written for C
#endif
#include <sys/platform/x86.h>  // glibc 2.33
#endif

namespace mr::match {

#if defined(CPU_FEATURE_ACTIVE)

bool HasAvx2() {
  static const bool has = CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(BMI1);
  return has;
}

bool HasSse42() {
  static const bool has = CPU_FEATURE_ACTIVE(SSE4_2);
  return has;
}

#elif defined(__x86_64__)

bool HasAvx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"); }
bool HasSse42() { return __builtin_cpu_supports("sse4.2"); }

#else

bool HasAvx2() { return false; }
bool HasSse42() { return false; }

#endif

}  // namespace mr::match
