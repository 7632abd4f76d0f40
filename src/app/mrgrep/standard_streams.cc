// Boost.Program_options has std::cin, std::cout and their kind made ready before main, which takes a
// twentieth of a start. mrgrep uses none of them (tests/architecture sees to that), and is linked so
// (--wrap) that their constructor and destructor, std::ios_base::Init, are these.
extern "C" {
void __wrap__ZNSt8ios_base4InitC1Ev(void* init);
void __wrap__ZNSt8ios_base4InitD1Ev(void* init);
}

void __wrap__ZNSt8ios_base4InitC1Ev(void*) {}
void __wrap__ZNSt8ios_base4InitD1Ev(void*) {}
