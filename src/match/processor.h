// What the processor can do, as the C library found out when it was loaded: asking the processor
// itself (CPUID) takes ten microseconds and more in a virtual machine, and the compiler's
// __builtin_cpu_supports has it asked a dozen times at every start. Thread-safe.
#pragma once

namespace mr::match {

bool HasAvx2();  // with BMI, which all such processors have
bool HasSse42();

}  // namespace mr::match
