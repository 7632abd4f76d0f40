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
struct {
  std::array<char, 512> message;
  std::size_t bytes = 0;
  int status = 0;
} overflow_report;

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
    const ssize_t written =
        ::write(STDERR_FILENO, overflow_report.message.data(), overflow_report.bytes);
    static_cast<void>(written);  // there is nobody left to tell
    ::_exit(overflow_report.status);
  }
  std::signal(signal, SIG_DFL);  // takes place when the access is repeated
}

}  // namespace

void ReportStackOverflow(const std::string& message, int status) {
  auto& report = overflow_report;
  report.bytes = message.copy(report.message.data(), report.message.size() - 1);
  report.message[report.bytes++] = '\n';
  report.status = status;
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
