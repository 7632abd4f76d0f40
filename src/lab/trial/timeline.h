// What happened while a trial ran, at a few moments.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "lab/plan/moment.h"

namespace mr::lab {

// Asks for a moment at regular times, from a thread of its own that blocks all signals. Keeps at
// most kMoments: when there are more, every other is dropped and the time between them doubled, so
// that neither the length of a run nor its log matters. Thread-safe.
class Sampler {
 public:
  static constexpr std::size_t kMoments = 24;

  // `look` fills in everything but `at`; it is called from the other thread and must not throw.
  explicit Sampler(std::function<Moment()> look,
                   std::chrono::milliseconds interval = std::chrono::milliseconds(20));
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Ends the thread and gives the moments, the last one from now. To be called once.
  std::vector<Moment> Stop();

 private:
  void Sample();
  void Look();

  std::function<Moment()> look_;
  std::chrono::milliseconds interval_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<Moment> moments_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::thread thread_;
};

// Every other of them, the last one in any case. Pure.
std::vector<Moment> Thinned(const std::vector<Moment>& moments);

}  // namespace mr::lab
