#include "os/stack_overflow.h"

#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <new>

namespace mr::os {
namespace {

constexpr std::size_t kStackBytes = std::size_t{64} << 10;  // holds the registers of any processor

// An access this near to the stack pointer is one to the stack.
constexpr std::uintptr_t kNearBytes = std::uintptr_t{1} << 20;

// For the handler.
std::array<char, 512> text;
std::size_t text_bytes = 0;
int exit_status = 0;

std::uintptr_t StackPointer(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(registers.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return registers.sp;
#else
  static_cast<void>(registers);
  return 0;
#endif
}

void OnSegmentationFault(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::uintptr_t pointer = StackPointer(context);
  if (std::max(address, pointer) - std::min(address, pointer) <= kNearBytes) {
    if (::write(STDERR_FILENO, text.data(), text_bytes) < 0) ::_exit(exit_status);
    ::_exit(exit_status);
  }
  std::signal(signal, SIG_DFL);  // takes place when the access is repeated
}

}  // namespace

void ReportStackOverflow(const std::string& message, int status) {
  text_bytes = message.copy(text.data(), text.size() - 1);
  text[text_bytes++] = '\n';
  exit_status = status;
  struct sigaction action {};
  action.sa_sigaction = OnSegmentationFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGSEGV, &action, nullptr);
}

AlternateStack::AlternateStack() : memory_(new (std::nothrow) char[kStackBytes]) {
  if (memory_ == nullptr) return;
  stack_t stack{};
  stack.ss_sp = memory_.get();
  stack.ss_size = kStackBytes;
  ::sigaltstack(&stack, nullptr);
}

AlternateStack::~AlternateStack() {
  if (memory_ == nullptr) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  ::sigaltstack(&none, nullptr);
}

}  // namespace mr::os
