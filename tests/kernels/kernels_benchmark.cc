// The inner loops by themselves, over bytes in the cache and in memory, beside the rate at which
// memory can be read at all. Built with -DMRGREP_BENCHMARKS=ON.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "match/engine.h"
#include "search/terminators.h"

namespace mr {
namespace {

// Lines of words, as long as program text's.
const std::string& Text() {
  static const std::string text = [] {
    std::mt19937 random(1);
    std::string bytes;
    while (bytes.size() < (std::size_t{64} << 20)) {
      for (std::size_t words = random() % 12; words > 0; --words) {
        for (std::size_t length = 1 + random() % 9; length > 0; --length) {
          bytes += "etaoinshrdlucmfwypvbgkjqxz_0(),;"[random() % 32];
        }
        bytes += ' ';
      }
      bytes += '\n';
    }
    return bytes;
  }();
  return text;
}

// The argument is the number of bytes: what fits the second-level cache, and what does not fit any.
std::string_view TextOf(const benchmark::State& state) {
  return std::string_view(Text()).substr(0, static_cast<std::size_t>(state.range(0)));
}

void CountBytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void ReadMemory(benchmark::State& state) {
  const std::string_view text = TextOf(state);
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at + 64 <= text.size(); at += 64) {
      std::uint64_t words[8];
      std::memcpy(words, text.data() + at, sizeof words);
      for (const std::uint64_t word : words) sum |= word;
    }
    benchmark::DoNotOptimize(sum);
  }
  CountBytes(state);
}

void CountLines(benchmark::State& state) {
  const std::string_view text = TextOf(state);
  for (auto _ : state) benchmark::DoNotOptimize(search::CountTerminators(text, '\n'));
  CountBytes(state);
}

void FindNul(benchmark::State& state) {
  const std::string_view text = TextOf(state);
  for (auto _ : state) benchmark::DoNotOptimize(std::memchr(text.data(), 0, text.size()));
  CountBytes(state);
}

void FindCandidates(benchmark::State& state, const char* pattern, bool ignore_case) {
  pattern::Source source;
  source.syntax = pattern::Syntax::kExtended;
  source.patterns = {pattern};
  source.ignore_case = ignore_case;
  const auto engine = match::Engine::Compile(source);
  const auto finder = engine->NewCandidateFinder();
  if (finder == nullptr) return state.SkipWithError("not accelerated");
  const std::string_view text = TextOf(state);
  std::size_t candidates = 0;
  for (auto _ : state) {
    finder->Scan(text, [&candidates](std::size_t at) {
      ++candidates;
      return at + 1;
    });
  }
  benchmark::DoNotOptimize(candidates);
  CountBytes(state);
}

void MatchExactly(benchmark::State& state, const char* pattern) {
  pattern::Source source;
  source.syntax = pattern::Syntax::kExtended;
  source.patterns = {pattern};
  const auto engine = match::Engine::Compile(source);
  const auto matcher = engine->NewMatcher();
  const std::string_view text = TextOf(state);
  for (auto _ : state) benchmark::DoNotOptimize(matcher->FindLine(text, 0));
  CountBytes(state);
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(std::int64_t{256} << 10)->Arg(std::int64_t{64} << 20);
}

BENCHMARK(ReadMemory)->Apply(Sizes);
BENCHMARK(CountLines)->Apply(Sizes);
BENCHMARK(FindNul)->Apply(Sizes);
BENCHMARK_CAPTURE(FindCandidates, literal, "Absent_Word", false)->Apply(Sizes);
BENCHMARK_CAPTURE(FindCandidates, literal_ignoring_case, "Absent_Word", true)->Apply(Sizes);
BENCHMARK_CAPTURE(FindCandidates, automaton, "[A-Za-z]{5} +[A-Za-z]{5} +[A-Z]{5}[,.]", false)
    ->Apply(Sizes);
BENCHMARK_CAPTURE(FindCandidates, alternatives, "Absent_A|Absent_B|Missing|Nowhere", false)
    ->Apply(Sizes);
BENCHMARK_CAPTURE(MatchExactly, re2, "[A-Za-z]{5} +[A-Za-z]{5} +[A-Z]{5}[,.]")->Apply(Sizes);

}  // namespace
}  // namespace mr

BENCHMARK_MAIN();
