#include "lab/studies/work.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "match/engine.h"

namespace mr::lab {
namespace {

struct NamedKind {
  WorkKind kind;
  std::string_view name;
};
constexpr std::array<NamedKind, 6> kKinds = {{{WorkKind::kNone, "none"},
                                              {WorkKind::kTouch, "touch"},
                                              {WorkKind::kSum, "sum"},
                                              {WorkKind::kMemcpy, "memcpy"},
                                              {WorkKind::kSearch, "search"},
                                              {WorkKind::kTokenize, "tokenize"}}};

class NoWork final : public Work {
 public:
  std::uint64_t Process(std::string_view bytes) override { return bytes.size(); }
};

class TouchWork final : public Work {
 public:
  std::uint64_t Process(std::string_view bytes) override {
    constexpr std::size_t kPageBytes = 4096;
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < bytes.size(); at += kPageBytes) {
      sum += static_cast<unsigned char>(*static_cast<const volatile char*>(bytes.data() + at));
    }
    return sum;
  }
};

class SumWork final : public Work {
 public:
  std::uint64_t Process(std::string_view bytes) override {
    // Four independent sums, so that the additions do not wait for each other.
    std::array<std::uint64_t, 4> sums{};
    std::size_t at = 0;
    for (; at + 32 <= bytes.size(); at += 32) {
      std::array<std::uint64_t, 4> words;
      std::memcpy(words.data(), bytes.data() + at, sizeof words);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += words[i];
    }
    std::uint64_t sum = sums[0] + sums[1] + sums[2] + sums[3];
    for (; at < bytes.size(); ++at) sum += static_cast<unsigned char>(bytes[at]);
    return sum;
  }
};

class MemcpyWork final : public Work {
 public:
  std::uint64_t Process(std::string_view bytes) override {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < bytes.size(); at += target_.size()) {
      const std::size_t size = std::min(target_.size(), bytes.size() - at);
      std::memcpy(target_.data(), bytes.data() + at, size);
      // The compiler must not see that nobody reads the copy.
      sum += static_cast<unsigned char>(*static_cast<volatile char*>(target_.data() + size - 1));
    }
    return sum;
  }

 private:
  std::vector<char> target_ = std::vector<char>(std::size_t{64} << 10);
};

class SearchWork final : public Work {
 public:
  explicit SearchWork(const std::string& text) {
    pattern::Source source;
    source.patterns = {text};
    source.syntax = pattern::Syntax::kFixed;
    source.charset = pattern::Charset::kBytes;
    source.nul_ends_line = false;
    engine_ = match::Engine::Compile(source);
    matcher_ = engine_->NewMatcher();
    finder_ = engine_->NewCandidateFinder();
  }

  std::uint64_t Process(std::string_view bytes) override {
    std::uint64_t lines = 0;
    if (!finder_) {
      for (std::size_t begin = 0; begin < bytes.size();) {
        const std::size_t end = LineEnd(bytes, begin);
        if (matcher_->Matches(bytes.substr(begin, end - begin))) ++lines;
        begin = end + 1;
      }
      return lines;
    }
    std::size_t seen_until = 0;  // candidates before it lie on a line that was judged
    finder_->Scan(bytes, [&](std::size_t at) {
      if (at < seen_until) return true;
      const std::size_t newline = at == 0 ? std::string_view::npos : bytes.rfind('\n', at - 1);
      const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
      const std::size_t end = LineEnd(bytes, at);
      if (finder_->exact() || matcher_->Matches(bytes.substr(begin, end - begin))) ++lines;
      seen_until = end + 1;
      return true;
    });
    return lines;
  }

 private:
  static std::size_t LineEnd(std::string_view bytes, std::size_t from) {
    return std::min(bytes.find('\n', from), bytes.size());
  }

  std::unique_ptr<match::Engine> engine_;
  std::unique_ptr<match::Matcher> matcher_;
  std::unique_ptr<match::CandidateFinder> finder_;
};

class TokenizeWork final : public Work {
 public:
  TokenizeWork() {
    for (int c = 0; c < 256; ++c) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
      const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
      kind_[static_cast<std::size_t>(c)] = letter || (c >= '0' && c <= '9') ? Kind::kWord
                                           : blank                          ? Kind::kBlank
                                           : c == '"' || c == '\''          ? Kind::kQuote
                                                                            : Kind::kMark;
    }
  }

  std::uint64_t Process(std::string_view bytes) override {
    std::uint64_t tokens = 0;
    const std::size_t size = bytes.size();
    for (std::size_t at = 0; at < size;) {
      const char first = bytes[at++];
      switch (KindOf(first)) {
        case Kind::kBlank:
          break;
        case Kind::kWord:
          while (at < size && KindOf(bytes[at]) == Kind::kWord) ++at;
          ++tokens;
          break;
        case Kind::kQuote:
          // A string that its line does not close ends there.
          while (at < size && bytes[at] != first && bytes[at] != '\n')
            at += bytes[at] == '\\' ? 2 : 1;
          ++at;
          ++tokens;
          break;
        case Kind::kMark:
          ++tokens;
          break;
      }
    }
    return tokens;
  }

 private:
  enum class Kind : unsigned char { kBlank, kWord, kQuote, kMark };
  Kind KindOf(char c) const { return kind_[static_cast<unsigned char>(c)]; }

  std::array<Kind, 256> kind_;
};

}  // namespace

std::string_view WorkName(WorkKind kind) {
  for (const NamedKind& known : kKinds) {
    if (known.kind == kind) return known.name;
  }
  return "";
}

std::optional<WorkKind> ParseWork(std::string_view name) {
  for (const NamedKind& known : kKinds) {
    if (known.name == name) return known.kind;
  }
  return std::nullopt;
}

std::unique_ptr<Work> MakeWork(WorkKind kind, const std::string& pattern) {
  switch (kind) {
    case WorkKind::kNone:
      break;
    case WorkKind::kTouch:
      return std::make_unique<TouchWork>();
    case WorkKind::kSum:
      return std::make_unique<SumWork>();
    case WorkKind::kMemcpy:
      return std::make_unique<MemcpyWork>();
    case WorkKind::kSearch:
      return std::make_unique<SearchWork>(pattern);
    case WorkKind::kTokenize:
      return std::make_unique<TokenizeWork>();
  }
  return std::make_unique<NoWork>();
}

}  // namespace mr::lab
