#include "lab/trial/timeline.h"

#include <csignal>
#include <utility>

namespace mr::lab {

std::vector<Moment> Thinned(const std::vector<Moment>& moments) {
  std::vector<Moment> kept;
  for (std::size_t i = 1; i < moments.size(); i += 2) kept.push_back(moments[i]);
  if (moments.size() % 2 == 1) kept.push_back(moments.back());
  return kept;
}

Sampler::Sampler(std::function<Moment()> look, std::chrono::milliseconds interval)
    : look_(std::move(look)), interval_(interval) {
  // A new thread inherits the mask: signals are for the thread that waits for the arm.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { Sample(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Sampler::~Sampler() {
  if (thread_.joinable()) Stop();
}

std::vector<Moment> Sampler::Stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
  Look();
  return std::move(moments_);
}

void Sampler::Sample() {
  std::unique_lock lock(mutex_);
  auto next = start_ + interval_;
  while (!changed_.wait_until(lock, next, [this] { return ending_; })) {
    Look();
    if (moments_.size() + 1 == kMoments) {
      moments_ = Thinned(moments_);
      interval_ *= 2;
    }
    next += interval_;
  }
}

void Sampler::Look() {
  Moment moment = look_();
  moment.at = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start_);
  moments_.push_back(moment);
}

}  // namespace mr::lab
