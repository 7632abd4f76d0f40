// A search with a sink and an output that show all that they are told.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "search/search.h"

namespace mr::search {

// Shows everything that a Sink is told: "path:number:offset:text" with '-' for context.
class PlainSink final : public Sink {
 public:
  PlainSink(const SearchPlan& plan, bool copies) : plan_(plan), copies_(copies) {}

  Flow Accept(const Line& line, RenderedText& out) override {
    if (copies_) {
      (out += line.text) += plan_.terminator;
      return Flow::kContinue;
    }
    const char mark = line.selected ? ':' : '-';
    (out += line.path) += mark;
    (out += std::to_string(line.number)) += mark;
    (out += std::to_string(line.offset)) += mark;
    (out += line.text) += plan_.terminator;
    return Flow::kContinue;
  }
  void Gap(RenderedText& out) override { out += "--\n"; }
  void Finish(const FileSummary& summary, RenderedText& out) override {
    if (plan_.report == Report::kCount) {
      out += std::string(summary.path) + "=" + std::to_string(summary.selected_lines) + "\n";
    }
    if ((plan_.report == Report::kFilesWithMatches && summary.selected_lines > 0) ||
        (plan_.report == Report::kFilesWithoutMatch && summary.selected_lines == 0)) {
      out += std::string(summary.path) + "\n";
    }
  }
  bool copies_lines() const override { return copies_; }

 private:
  const SearchPlan& plan_;
  const bool copies_;
};

class StringOutput final : public Output {
 public:
  void Write(std::string_view bytes) override { text += bytes; }
  void Message(Severity severity, std::string_view message) override {
    text += severity == Severity::kNotice ? "[notice " : "[error ";
    text += std::string(message) + "]\n";
  }
  std::string text;
};

class ListQueue final : public FileQueue {
 public:
  explicit ListQueue(std::vector<FileTask> tasks) : tasks_(tasks.begin(), tasks.end()) {}
  std::optional<FileTask> Next() override {
    if (tasks_.empty()) return std::nullopt;
    FileTask task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
  }

 private:
  std::deque<FileTask> tasks_;
};

inline FileTask Named(const std::string& path, const std::string& label) {
  FileTask task;
  task.path = path;
  task.label = label;
  return task;
}

inline std::unique_ptr<match::Engine> Compile(const std::string& pattern, const SearchPlan& plan) {
  pattern::Source source;
  source.patterns = {pattern};
  source.syntax = pattern::Syntax::kExtended;
  source.charset = pattern::Charset::kBytes;
  source.terminator = plan.terminator;
  source.nul_ends_line = plan.DetectsBinaryFiles();
  return match::Engine::Compile(source);
}

struct Result {
  std::string text;
  Outcome outcome;
};

inline Result RunSearch(const SearchPlan& plan, const match::Engine& engine,
                        const std::vector<FileTask>& tasks, bool copies = false) {
  ListQueue queue(tasks);
  StringOutput output;
  const SinkFactory sinks = [&] { return std::make_unique<PlainSink>(plan, copies); };
  Result result;
  result.outcome = Search(plan, engine, queue, sinks, output);
  result.text = output.text;
  return result;
}

// Lines of a few words, some of them long.
inline std::string RandomText(std::uint32_t seed, std::size_t lines, bool with_nul) {
  std::uint32_t state = seed;
  const auto next = [&] { return (state = state * 1664525 + 1013904223) >> 8; };
  std::string text;
  const char* const words[] = {"the", "cat", "sat", "", "xx", "needle", "aaa", "b"};
  const std::size_t nul_line = with_nul ? next() % lines : lines;
  for (std::size_t i = 0; i < lines; ++i) {
    const std::uint32_t count = next() % 6;
    for (std::uint32_t w = 0; w < count; ++w) text += std::string(words[next() % 8]) + " ";
    if (i == nul_line) text += '\0';
    if (next() % 400 == 0) text += std::string(next() % 9000, 'l');
    text += '\n';
  }
  if (next() % 3 == 0 && !text.empty()) text.pop_back();
  return text;
}

}  // namespace mr::search
