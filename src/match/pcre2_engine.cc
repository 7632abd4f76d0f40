// As GNU grep 3.11 sets PCRE2 up: in a UTF-8 locale \w, \b, \s and the named classes know Unicode
// but \d is 0-9; bytes that are not UTF-8 match nothing and separate what stands around them; -x
// is PCRE2's own option and -w a pair of look-arounds.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "match/pcre2_engine.h"

#include <pcre2.h>

#include <cstdlib>
#include <utility>

#include "match/accelerator.h"
#include "match/line_by_line.h"
#include "pattern/alphabet.h"
#include "pattern/parse.h"
#include "pattern/perl.h"

namespace mr::match {
namespace {

// The stack of the compiled code begins small and is only address space until it is used.
constexpr std::size_t kFirstStackBytes = 32 << 10;
constexpr std::size_t kLargestStackBytes = 64 << 20;

struct CodeDeleter {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct DataDeleter {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
struct ContextDeleter {
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};
struct CompileContextDeleter {
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};
struct StackDeleter {
  void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};
struct TablesDeleter {
  void operator()(const std::uint8_t* tables) const { pcre2_maketables_free(nullptr, tables); }
};

std::string MessageFor(int code) {
  switch (code) {
    case PCRE2_ERROR_NOMEMORY:
      return "memory exhausted";
    case PCRE2_ERROR_JIT_STACKLIMIT:
      return "exhausted PCRE JIT stack";
    case PCRE2_ERROR_MATCHLIMIT:
      return "exceeded PCRE's backtracking limit";
    case PCRE2_ERROR_DEPTHLIMIT:
      return "exceeded PCRE's nested backtracking limit";
    case PCRE2_ERROR_HEAPLIMIT:
      return "exceeded PCRE's heap limit";
    case PCRE2_ERROR_RECURSELOOP:
      return "PCRE detected recurse loop";
    default:
      return "internal PCRE error: " + std::to_string(code);
  }
}

PCRE2_SPTR Bytes(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

class PerlMatcher final : public LineByLineMatcher {
 public:
  PerlMatcher(const pcre2_code* code, bool utf8, char terminator)
      : LineByLineMatcher(terminator),
        code_(code),
        utf8_(utf8),
        data_(pcre2_match_data_create(1, nullptr)),
        context_(pcre2_match_context_create(nullptr)),
        stack_(pcre2_jit_stack_create(kFirstStackBytes, kLargestStackBytes, nullptr)) {
    if (data_ == nullptr || context_ == nullptr) throw MatchError("memory exhausted");
    pcre2_jit_stack_assign(context_.get(), nullptr, stack_.get());
  }

  std::optional<Span> Find(std::string_view line, std::size_t from) override {
    // A pattern that begins with `.*` is tried where the search begins and nowhere else (PCRE2
    // 10.42), so that GNU grep does not begin with what no character begins with.
    while (utf8_ && from < line.size() && BeginsNoCharacter(line[from])) ++from;
    const int result =
        pcre2_match(code_, Bytes(line), line.size(), from, 0, data_.get(), context_.get());
    if (result == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (result < 0) throw MatchError(MessageFor(result));
    const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(data_.get());
    return Span{bounds[0], std::max(bounds[0], bounds[1])};
  }

 private:
  // To the C library sequences may have six bytes.
  static bool BeginsNoCharacter(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x80 && byte < 0xc2) || byte > 0xfd;
  }

  const pcre2_code* code_;
  bool utf8_;
  std::unique_ptr<pcre2_match_data, DataDeleter> data_;
  std::unique_ptr<pcre2_match_context, ContextDeleter> context_;
  std::unique_ptr<pcre2_jit_stack, StackDeleter> stack_;
};

class PerlEngine final : public Engine {
 public:
  explicit PerlEngine(const pattern::Source& source) : source_(source), alphabet_(source) {
    if (!alphabet_.exact()) {
      throw pattern::PatternError("-P supports only unibyte and UTF-8 locales");
    }
    if (source.patterns.size() > 1) {
      throw pattern::PatternError("the -P option only supports a single pattern");
    }
    if (source.patterns[0].find('\n') != std::string::npos) {
      throw pattern::PatternError("the -P option only supports a single pattern");
    }
    CompileCode(source.patterns[0]);
    try {
      matches_empty_line_ = NewMatcher()->Matches("");
    } catch (const MatchError&) {
      // Such a pattern fails on the lines that it is used for, which is where that is reported.
    }
    if (!matches_empty_line_) PlanAcceleration();
  }

  std::unique_ptr<Matcher> NewMatcher() const override {
    return std::make_unique<PerlMatcher>(code_.get(), alphabet_.utf8(), source_.terminator);
  }
  std::unique_ptr<CandidateFinder> NewCandidateFinder() const override {
    return accelerator_.NewFinder([this] { return NewMatcher(); });
  }
  // Lookaround may reach anywhere.
  std::unique_ptr<PiecewiseMatcher> NewPiecewiseMatcher(std::size_t) const override {
    return nullptr;
  }
  bool FinderIsCheap() const override { return accelerator_.cheap(); }
  bool MatchesEmptyLine() const override { return matches_empty_line_; }
  bool IndifferentToNul() const override { return false; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  std::string_view name() const override { return "pcre2"; }
  std::string_view reason() const override { return "-P"; }

 private:
  void CompileCode(const std::string& given) {
    const std::unique_ptr<pcre2_compile_context, CompileContextDeleter> context(
        pcre2_compile_context_create(nullptr));
    if (context == nullptr) throw pattern::PatternError("memory exhausted");
    std::uint32_t options = PCRE2_DOLLAR_ENDONLY;
    if (source_.ignore_case) options |= PCRE2_CASELESS;
    std::string text = given;
    if (alphabet_.utf8()) {
      options |= PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF;
      text = pattern::SpellOutDigits(text);
    }
    if (!alphabet_.plain_bytes()) {  // in UTF-8 too they say how ASCII folds, in Turkey for one
      tables_.reset(pcre2_maketables(nullptr));
      pcre2_set_character_tables(context.get(), tables_.get());
    }
    if (source_.match_line) {
      pcre2_set_compile_extra_options(context.get(), PCRE2_EXTRA_MATCH_LINE);
    } else if (source_.match_word) {
      text = "(?<!\\w)(?:" + text + ")(?!\\w)";
    }
    int error = 0;
    PCRE2_SIZE offset = 0;
    code_.reset(pcre2_compile(Bytes(text), text.size(), options, &error, &offset, context.get()));
    if (code_ == nullptr) {
      PCRE2_UCHAR message[256];
      pcre2_get_error_message(error, message, sizeof message);
      throw pattern::PatternError(reinterpret_cast<const char*>(message));
    }
    const int compiled = pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE);
    if (compiled == PCRE2_ERROR_NOMEMORY) {
      // The pattern is too large for the compiler, or no memory may be executed: interpret it.
      return;
    }
    if (compiled != 0 && compiled != PCRE2_ERROR_JIT_BADOPTION) {
      throw pattern::PatternError("internal PCRE error: " + std::to_string(compiled));
    }
  }

  // Where the pattern is of a simple kind, an extended expression that matches at least as much
  // finds the candidates.
  void PlanAcceleration() {
    const std::optional<std::string> extended =
        pattern::PerlAsExtended(source_.patterns[0], source_.ignore_case);
    if (!extended || source_.terminator != '\n') return;
    try {
      pattern::Parsed parsed = pattern::ParseRegex(*extended, true, alphabet_);
      if (!parsed.complaint.empty()) return;
      tree_ = std::move(parsed.tree);
    } catch (const pattern::PatternError&) {
      return;
    }
    // -w and -x only narrow what matches.
    accelerator_source_ = source_;
    accelerator_source_.match_word = accelerator_source_.match_line = false;
    accelerator_.Plan(accelerator_source_, alphabet_, tree_, Accelerator::Promise::kSuperset);
  }

  const pattern::Source source_;
  const pattern::Alphabet alphabet_;
  std::unique_ptr<const std::uint8_t, TablesDeleter> tables_;
  std::unique_ptr<pcre2_code, CodeDeleter> code_;
  bool matches_empty_line_ = false;
  std::vector<std::string> warnings_;
  pattern::Node tree_;
  pattern::Source accelerator_source_;
  Accelerator accelerator_;
};

}  // namespace

std::unique_ptr<Engine> CompilePerl(const pattern::Source& source) {
  return std::make_unique<PerlEngine>(source);
}

}  // namespace mr::match
