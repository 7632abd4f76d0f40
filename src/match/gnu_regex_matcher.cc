#include "match/gnu_regex_matcher.h"

#include <regex.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "match/engine.h"
#include "match/line_by_line.h"
#include "match/word_test.h"
#include "pattern/alphabet.h"
#include "pattern/spell_out.h"

namespace mr::match {
namespace {

// re_compile_pattern takes its syntax from a global variable.
std::mutex syntax_mutex;

class Compiled {
 public:
  Compiled(const std::string& pattern, reg_syntax_t syntax) {
    // Where case is ignored the map of first bytes lacks some that characters of other lengths
    // begin with (glibc bug 20381), so GNU grep does without.
    if ((syntax & RE_ICASE) == 0 || MB_CUR_MAX == 1) {
      buffer_.fastmap = static_cast<char*>(std::malloc(UCHAR_MAX + 1));
    }
    const std::lock_guard lock(syntax_mutex);
    const reg_syntax_t saved = re_set_syntax(syntax);
    const char* error = re_compile_pattern(pattern.data(), pattern.size(), &buffer_);
    re_set_syntax(saved);
    if (error != nullptr) {
      const std::string message = error;
      Free();
      throw pattern::PatternError(message);
    }
    buffer_.newline_anchor = 0;  // a line is all that is ever searched
  }
  ~Compiled() { Free(); }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  // The leftmost-longest match that begins in [from, line.size()].
  std::optional<Span> Search(std::string_view line, std::size_t from) {
    buffer_.not_eol = 0;
    const regoff_t size = Length(line);
    const auto start = static_cast<regoff_t>(from);
    const regoff_t begin = re_search(&buffer_, line.data(), size, start, size - start, &registers_);
    if (begin < -1) throw MatchError("memory exhausted");
    if (begin == -1) return std::nullopt;
    return Span{static_cast<std::size_t>(begin), static_cast<std::size_t>(registers_.end[0])};
  }

  // The longest match in [at, limit), for a limit that is not the end of the line.
  std::optional<std::size_t> MatchShorter(std::string_view line, std::size_t at,
                                          std::size_t limit) {
    buffer_.not_eol = 1;
    const regoff_t length = re_match(&buffer_, line.data(), static_cast<regoff_t>(limit),
                                     static_cast<regoff_t>(at), &registers_);
    if (length < -1) throw MatchError("memory exhausted");
    if (length == -1) return std::nullopt;
    return static_cast<std::size_t>(length);
  }

 private:
  static regoff_t Length(std::string_view line) {
    if (line.size() > INT_MAX) throw MatchError("line too long for this pattern");
    return static_cast<regoff_t>(line.size());
  }

  void Free() {
    regfree(&buffer_);
    std::free(registers_.start);
    std::free(registers_.end);
  }

  re_pattern_buffer buffer_{};
  re_registers registers_{};
};

std::string QuoteForBasic(const std::string& fixed) {
  std::string quoted;
  for (const char c : fixed) {
    if (std::string_view("\\[].*^$").find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return quoted;
}

bool HasBackReference(const std::string& pattern) {
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] == '\\' && pattern[i + 1] >= '1' && pattern[i + 1] <= '9') return true;
  }
  return false;
}

std::unique_ptr<Compiled> CompileOne(const pattern::Source& source, std::size_t index,
                                     const std::string& text, reg_syntax_t syntax) {
  try {
    return std::make_unique<Compiled>(text, syntax);
  } catch (const pattern::PatternError& error) {
    const std::string origin = source.origin ? source.origin(index) : "";
    if (origin.empty()) throw;
    throw pattern::PatternError(origin + ": " + error.what());
  }
}

class GnuRegexMatcher final : public LineByLineMatcher {
 public:
  GnuRegexMatcher(const pattern::Source& source, bool left_to_c_library)
      : LineByLineMatcher(source.terminator),
        word_test_(source, left_to_c_library),
        match_line_(source.match_line),
        match_word_(source.match_word && !source.match_line) {
    reg_syntax_t syntax =
        source.syntax == pattern::Syntax::kExtended ? RE_SYNTAX_EGREP : RE_SYNTAX_GREP;
    if (source.ignore_case) syntax |= RE_ICASE;
    const pattern::Alphabet alphabet(source);
    // Patterns without back-references share one automaton; the numbers of the others are
    // their own.
    std::string joined;
    bool any_joined = false;
    for (std::size_t i = 0; i < source.patterns.size(); ++i) {
      const std::string& given = source.patterns[i];
      const bool fixed = source.syntax == pattern::Syntax::kFixed;
      const std::string text =
          fixed ? QuoteForBasic(given) : pattern::SpellOutBrackets(given, alphabet);
      // Each pattern must be well-formed by itself.
      auto compiled = CompileOne(source, i, text, syntax);
      if (source.patterns.size() == 1 || (!fixed && HasBackReference(text))) {
        compiled_.push_back(std::move(compiled));
        continue;
      }
      if (any_joined) joined += '\n';
      joined += text;
      any_joined = true;
    }
    if (!any_joined) return;
    compiled_.insert(compiled_.begin(), std::make_unique<Compiled>(joined, syntax));
  }

  std::optional<Span> Find(std::string_view line, std::size_t from) override {
    std::optional<Span> best;
    for (const auto& pattern : compiled_) {
      const std::optional<Span> found = FindOne(*pattern, line, from);
      if (found && (!best || found->begin < best->begin ||
                    (found->begin == best->begin && found->end > best->end))) {
        best = found;
      }
    }
    return best;
  }

  // One match is enough: what the other patterns would take forever to find is not looked for.
  bool Matches(std::string_view line) override {
    return std::any_of(compiled_.begin(), compiled_.end(),
                       [&](const auto& pattern) { return FindOne(*pattern, line, 0).has_value(); });
  }

 private:
  std::optional<Span> FindOne(Compiled& pattern, std::string_view line, std::size_t from) {
    std::optional<Span> found = pattern.Search(line, from);
    if (match_line_) {
      if (found && (found->begin != 0 || found->end != line.size())) found.reset();
      return found;
    }
    if (!match_word_) return found;
    while (found) {
      const std::size_t begin = found->begin;
      std::size_t end = found->end;
      if (!word_test_.IsWordBefore(line, begin)) {
        while (true) {
          if (!word_test_.IsWordAt(line, end)) return Span{begin, end};
          if (end == begin) break;
          const std::optional<std::size_t> shorter = pattern.MatchShorter(line, begin, end - 1);
          if (!shorter || (*shorter == 0 && !word_test_.TakesEmpty())) break;
          end = begin + *shorter;
        }
      }
      if (begin >= line.size()) return std::nullopt;
      found = pattern.Search(line, word_test_.Next(line, begin));
    }
    return std::nullopt;
  }

  std::vector<std::unique_ptr<Compiled>> compiled_;
  WordTest word_test_;
  bool match_line_;
  bool match_word_;
};

}  // namespace

std::unique_ptr<Matcher> NewGnuRegexMatcher(const pattern::Source& source, bool left_to_c_library) {
  return std::make_unique<GnuRegexMatcher>(source, left_to_c_library);
}

}  // namespace mr::match
