// Chooses the engine. One tree is made of all patterns, and the first of these that is exact
// for it wins: a trie for long lists of fixed strings; byte sequences where every match is one of a
// few; RE2; RE2 for ASCII lines and GNU regex for the others; GNU regex, behind an automaton that
// reads the pattern as GNU grep's does.
#include "match/engine.h"

#include <mutex>
#include <utility>

#include "match/accelerator.h"
#include "match/ascii_split.h"
#include "match/automaton_matcher.h"
#include "match/gnu_regex_matcher.h"
#include "match/pcre2_engine.h"
#include "match/re2_matcher.h"
#include "match/sequence_matcher.h"
#include "match/two_readings.h"
#include "match/word_list.h"
#include "match/word_matcher.h"
#include "pattern/alphabet.h"
#include "pattern/analyze.h"
#include "pattern/as_fixed.h"
#include "pattern/combine.h"
#include "pattern/emit_positions.h"
#include "pattern/emit_re2.h"
#include "pattern/emit_sequences.h"

namespace mr::match {
namespace {

using pattern::Node;
using pattern::Re2Regex;
using pattern::Re2Text;

constexpr char kGnuRegex[] = "gnu regex";

// Of matches that are looked for in windows of a long line.
constexpr std::size_t kLongestInWindows = std::size_t{64} << 10;

class RegexEngine final : public Engine {
 public:
  explicit RegexEngine(const pattern::Source& source)
      : source_(source), alphabet_(source), combined_(pattern::Combine(source, alphabet_)) {
    Choose();
    if (name_ == kGnuRegex) AskAutomatonFirst();
    first_matcher_ = MakeMatcher();
    matches_empty_line_ = first_matcher_->Matches("");
    // The C library compares bytes that are no characters with those of the other case, too.
    const bool bytes_fold = combined_.has_invalid_bytes && source_.ignore_case;
    const bool c_library_reads = name_ == kGnuRegex && (readings_differ_ || bytes_fold);
    if (alphabet_.exact() && !combined_.needs_c_library && !c_library_reads) {
      accelerator_.Plan(source_, alphabet_, combined_.tree, Accelerator::Promise::kExact);
    }
    // Beside a back-reference the C library does not always find the empty string.
    matches_every_line_ = matches_empty_line_ && alphabet_.exact() && !c_library_reads &&
                          !combined_.has_back_reference && !source_.match_word &&
                          !source_.match_line && source_.terminator == '\n' &&
                          pattern::MatchesEveryLine(combined_.tree);
    const pattern::Contents contents = pattern::Inspect(combined_.tree);
    indifferent_to_nul_ = source_.nul_ends_line && !source_.match_word && !source_.match_line &&
                          !contents.line_assertions && !contents.word_assertions;
  }

  std::unique_ptr<Matcher> NewMatcher() const override {
    {
      const std::lock_guard lock(first_mutex_);
      if (first_matcher_ != nullptr) return std::move(first_matcher_);
    }
    return MakeMatcher();
  }

  std::unique_ptr<CandidateFinder> NewCandidateFinder() const override {
    if (words_ != nullptr && !matches_empty_line_) {
      if (auto finder = words_->NewFinder()) return finder;
    }
    return accelerator_.NewFinder([this] { return NewMatcher(); });
  }
  std::unique_ptr<PiecewiseMatcher> NewPiecewiseMatcher(std::size_t window_bytes) const override {
    // Where matches end, Find says.
    const bool lines_are_finds = !spans_by_gnu_ && !automaton_;
    const std::optional<std::size_t> longest = pattern::LongestMatchBytes(combined_.tree);
    if (lines_are_finds && alphabet_.exact() && longest && *longest <= kLongestInWindows) {
      return NewPiecewiseWindows(NewMatcher(), NewCandidateFinder(), *longest, window_bytes);
    }
    std::call_once(piecewise_once_, [this] { piecewise_ = MakeExactAutomaton(); });
    return piecewise_ ? NewPiecewiseAutomaton(*piecewise_, source_.terminator) : nullptr;
  }
  bool FinderIsCheap() const override { return accelerator_.cheap(); }
  bool MatchesEmptyLine() const override { return matches_empty_line_; }
  bool MatchesEveryLine() const override { return matches_every_line_; }
  bool IndifferentToNul() const override { return indifferent_to_nul_; }
  const std::vector<std::string>& warnings() const override { return combined_.warnings; }
  std::string_view name() const override { return name_; }
  std::string_view reason() const override { return reason_; }

 private:
  void Choose() {
    const pattern::Contents contents = pattern::Inspect(combined_.tree);
    // To the C library a newline within a line ends one now and then.
    readings_differ_ =
        combined_.readings_differ || (contents.line_assertions && source_.terminator != '\n');
    if (!alphabet_.exact()) return UseGnu("multi-byte character set other than UTF-8");
    if (combined_.has_back_reference) return UseGnu("back-reference");
    if (combined_.needs_c_library)
      return UseGnu("a byte that is no character in a bracket expression");
    if (combined_.has_invalid_bytes) return UseGnu("invalid UTF-8 in the pattern");
    spans_by_gnu_ = readings_differ_;
    // So are words wherever characters beyond ASCII may be part of them.
    const bool left_words = source_.match_word && !source_.match_line && !alphabet_.plain_bytes();
    if (spans_by_gnu_ && (combined_.left_to_c_library || left_words)) {
      return UseGnu("the C library reads it differently");
    }

    const char terminator = source_.terminator;
    std::string reason;
    if ((words_ = WordList::Make(source_)) != nullptr) {
      name_ = "trie";
      reason_ = "long list of fixed strings";
      return;
    }
    if (UseSequences()) return;
    Node tree = combined_.tree;  // with -x or -w, as far as it can say them
    if (source_.match_line) {
      tree = pattern::MatchWholeLine(std::move(tree));
    } else if (source_.match_word) {
      std::optional<Node> bounded = pattern::MatchWord(tree, alphabet_);
      ascii_words_ = !bounded;
      if (bounded) tree = *std::move(bounded);
      const bool depends_on_rest = contents.line_assertions || contents.word_assertions;
      if (!bounded && depends_on_rest) {
        if (!alphabet_.plain_bytes() || combined_.left_to_c_library) {
          return UseGnu("-w around an assertion");
        }
        tree = pattern::MatchBetweenWords(std::move(tree), alphabet_);
        ascii_words_ = false;
        spans_by_gnu_ = true;
      }
      // Boundaries beside text that is not ASCII have to be looked at from outside.
      if (!depends_on_rest && !alphabet_.plain_bytes()) {
        any_ = pattern::EmitRe2(combined_.tree, alphabet_, Re2Text::kAny, terminator, reason);
        any_words_ = true;
      }
    }
    if (!any_) {
      any_words_ = ascii_words_;
      any_ = pattern::EmitRe2(tree, alphabet_, Re2Text::kAny, terminator, reason);
    }
    if (any_ && alphabet_.plain_bytes()) return UseRe2();
    ascii_ = pattern::EmitRe2(tree, alphabet_, Re2Text::kAscii, terminator, reason);
    if (!ascii_) return UseGnu(std::move(reason));
    if (any_ && any_->text == ascii_->text && any_words_ == ascii_words_) ascii_.reset();
    if (any_) return UseRe2();
    name_ = "re2";
    reason_ = "exact on ASCII lines; gnu regex for others: " + reason;
  }

  bool UseSequences() {
    if (spans_by_gnu_ || source_.match_line || source_.match_word) return false;
    sequences_ = pattern::EmitSequences(combined_.tree, alphabet_, source_.terminator,
                                        pattern::Wanted::kMatches);
    if (sequences_ && !SequenceMatchersServe(*sequences_)) sequences_.reset();
    if (!sequences_) return false;
    name_ = "byte sequences";
    reason_ = "exact";
    return true;
  }

  void UseRe2() {
    name_ = "re2";
    reason_ = "exact";
  }

  void UseGnu(std::string reason) {
    any_.reset();
    ascii_.reset();
    spans_by_gnu_ = false;
    name_ = kGnuRegex;
    reason_ = std::move(reason);
  }

  // GNU grep asks the C library only about lines that its automaton lets pass, and only about what
  // that cannot decide.
  void AskAutomatonFirst() {
    if (!alphabet_.exact() || combined_.needs_c_library || combined_.has_invalid_bytes) return;
    automaton_decides_ = AutomatonDecides();
    if (!automaton_decides_ && !pattern::ReadsCertainCharacters(combined_.tree)) return;
    const auto positions = EmitPositions(pattern::LargeClasses::kWidened);
    if (!positions || (automaton_decides_ && !positions->exact)) return;
    automaton_ = LineAutomaton::Make(*positions, source_.terminator);
  }

  // Whether GNU grep's automaton alone selects lines.
  bool AutomatonDecides() const { return !IsLeft() && (!ChecksWords() || alphabet_.plain_bytes()); }
  bool ChecksWords() const { return source_.match_word && !source_.match_line; }

  std::optional<pattern::PositionAutomaton> EmitPositions(pattern::LargeClasses classes) const {
    Node tree = combined_.tree;
    if (source_.match_line) {
      tree = pattern::MatchWholeLine(std::move(tree));
    } else if (ChecksWords() && alphabet_.plain_bytes()) {
      tree = pattern::MatchBetweenWords(std::move(tree), alphabet_);
    }
    return pattern::EmitPositions(tree, alphabet_, source_.terminator, pattern::Unsayable::kRelaxed,
                                  classes);
  }

  // One that selects the lines that a Matcher does, without help.
  std::optional<LineAutomaton> MakeExactAutomaton() const {
    if (!alphabet_.exact() || combined_.needs_c_library || combined_.has_invalid_bytes ||
        !AutomatonDecides()) {
      return std::nullopt;
    }
    // To the C library, and to RE2, a newline within a line may be a place where one begins.
    const bool edges = source_.match_line || pattern::Inspect(combined_.tree).line_assertions;
    if (edges && source_.terminator != '\n') return std::nullopt;
    const auto positions = EmitPositions(pattern::LargeClasses::kExact);
    if (!positions || !positions->exact) return std::nullopt;
    return LineAutomaton::Make(*positions, source_.terminator);
  }

  std::unique_ptr<Matcher> MakeMatcher() const {
    if (automaton_) {
      return NewAutomatonMatcher(*automaton_, automaton_decides_,
                                 automaton_decides_ ? MakeGnuSpans() : MakeGnuRegex(),
                                 source_.terminator);
    }
    if (!spans_by_gnu_) return MakeLineMatcher();
    return NewTwoReadings(MakeLineMatcher(), [this] { return MakeGnuSpans(); });
  }

  std::unique_ptr<Matcher> MakeLineMatcher() const {
    if (words_ != nullptr) return words_->NewMatcher();
    if (sequences_) return NewSequenceMatcher(*sequences_);
    if (!any_ && !ascii_) return MakeGnuRegex();
    const auto make_any = [this]() -> std::unique_ptr<Matcher> {
      auto matcher = any_ ? MakeRe2(*any_, any_words_) : nullptr;
      return matcher != nullptr ? std::move(matcher) : MakeGnuRegex();
    };
    if (!ascii_) return make_any();
    auto ascii = MakeRe2(*ascii_, ascii_words_);
    if (ascii == nullptr) return MakeGnuRegex();
    return NewAsciiSplit(std::move(ascii), make_any, source_.terminator);
  }

  std::unique_ptr<Matcher> MakeGnuRegex() const { return NewGnuRegexMatcher(source_, IsLeft()); }

  // For matches in lines that have been selected without it. GNU grep does not ask then whether
  // they are the whole line: with one reading, the longest one is.
  std::unique_ptr<Matcher> MakeGnuSpans() const {
    pattern::Source source = source_;
    source.match_line = false;
    return NewGnuRegexMatcher(source, IsLeft());
  }

  // Whether GNU grep's automaton leaves something in the patterns to the C library.
  bool IsLeft() const { return combined_.has_back_reference || combined_.left_to_c_library; }

  std::unique_ptr<Matcher> MakeRe2(const Re2Regex& regex, bool check_words) const {
    auto matcher = NewRe2Matcher(regex, source_.terminator);
    if (matcher == nullptr || !check_words) return matcher;
    return NewWordMatcher(std::move(matcher), source_, IsLeft());
  }

  const pattern::Source source_;
  const pattern::Alphabet alphabet_;
  const pattern::Combined combined_;
  std::unique_ptr<WordList> words_;
  std::optional<pattern::Sequences> sequences_;
  std::optional<Re2Regex> any_;
  std::optional<Re2Regex> ascii_;  // where it differs from any_
  bool any_words_ = false;         // whether -w is not part of any_ and must be seen to
  bool ascii_words_ = false;
  bool readings_differ_ = false;            // the automaton's and the C library's
  std::optional<LineAutomaton> automaton_;  // GNU grep's, where the C library is asked, too
  bool automaton_decides_ = false;          // about lines, without the C library
  mutable std::once_flag piecewise_once_;
  mutable std::optional<LineAutomaton> piecewise_;
  bool spans_by_gnu_ = false;  // that a line matches does not say where
  bool matches_empty_line_ = false;
  bool matches_every_line_ = false;
  bool indifferent_to_nul_ = false;
  std::string name_;
  std::string reason_;
  Accelerator accelerator_;
  // Compiling proves that the engine accepts the pattern; the first thread gets the result.
  mutable std::mutex first_mutex_;
  mutable std::unique_ptr<Matcher> first_matcher_;
};

}  // namespace

std::unique_ptr<Engine> Engine::Compile(const pattern::Source& source) {
  if (source.syntax == pattern::Syntax::kPerl) {
    return CompilePerl(source);
  }
  return std::make_unique<RegexEngine>(pattern::AsFixedWherePlain(source));
}

}  // namespace mr::match
