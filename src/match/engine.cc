// Chooses the engine. One tree is made of all patterns, and the first of these that is exact
// for it wins: a trie for long lists of fixed strings; byte sequences where every match is one of a
// few; RE2; RE2 for ASCII lines and GNU regex for the others; GNU regex.
#include "match/engine.h"

#include <mutex>
#include <utility>

#include "match/accelerator.h"
#include "match/ascii_split.h"
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
#include "pattern/emit_re2.h"
#include "pattern/emit_sequences.h"

namespace mr::match {
namespace {

using pattern::Node;
using pattern::Re2Regex;
using pattern::Re2Text;

constexpr char kGnuRegex[] = "gnu regex";

class RegexEngine final : public Engine {
 public:
  explicit RegexEngine(const pattern::Source& source)
      : source_(source), alphabet_(source), combined_(pattern::Combine(source, alphabet_)) {
    Choose();
    first_matcher_ = MakeMatcher();
    matches_empty_line_ = first_matcher_->Matches("");
    // The C library compares bytes that are no characters with those of the other case, too.
    const bool bytes_fold = combined_.has_invalid_bytes && source_.ignore_case;
    const bool c_library_reads = name_ == kGnuRegex && (combined_.readings_differ || bytes_fold);
    if (alphabet_.exact() && !combined_.needs_c_library && !c_library_reads) {
      accelerator_.Plan(source_, alphabet_, combined_.tree, Accelerator::Promise::kExact);
    }
    matches_every_line_ = matches_empty_line_ && alphabet_.exact() && !c_library_reads &&
                          !source_.match_word && !source_.match_line &&
                          source_.terminator == '\n' && pattern::MatchesEveryLine(combined_.tree);
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
  bool FinderIsCheap() const override { return accelerator_.cheap(); }
  bool MatchesEmptyLine() const override { return matches_empty_line_; }
  bool MatchesEveryLine() const override { return matches_every_line_; }
  bool IndifferentToNul() const override { return indifferent_to_nul_; }
  const std::vector<std::string>& warnings() const override { return combined_.warnings; }
  std::string_view name() const override { return name_; }
  std::string_view reason() const override { return reason_; }

 private:
  void Choose() {
    if (!alphabet_.exact()) return UseGnu("multi-byte character set other than UTF-8");
    if (combined_.has_back_reference) return UseGnu("back-reference");
    if (combined_.needs_c_library)
      return UseGnu("a byte that is no character in a bracket expression");
    if (combined_.has_invalid_bytes) return UseGnu("invalid UTF-8 in the pattern");
    spans_by_gnu_ = combined_.readings_differ;
    // So are words wherever characters beyond ASCII may be part of them.
    const bool left_words = source_.match_word && !source_.match_line && !alphabet_.plain_bytes();
    if (spans_by_gnu_ && (combined_.left_to_c_library || left_words)) {
      return UseGnu("the C library reads it differently");
    }

    const pattern::Contents contents = pattern::Inspect(combined_.tree);
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

  std::unique_ptr<Matcher> MakeMatcher() const {
    if (!spans_by_gnu_) return MakeLineMatcher();
    return NewTwoReadings(MakeLineMatcher(), [this] { return NewGnuRegexMatcher(source_); });
  }

  std::unique_ptr<Matcher> MakeLineMatcher() const {
    if (words_ != nullptr) return words_->NewMatcher();
    if (sequences_) return NewSequenceMatcher(*sequences_);
    if (!any_ && !ascii_) return NewGnuRegexMatcher(source_);
    const auto make_any = [this]() -> std::unique_ptr<Matcher> {
      auto matcher = any_ ? MakeRe2(*any_, any_words_) : nullptr;
      return matcher != nullptr ? std::move(matcher) : NewGnuRegexMatcher(source_);
    };
    if (!ascii_) return make_any();
    auto ascii = MakeRe2(*ascii_, ascii_words_);
    if (ascii == nullptr) return NewGnuRegexMatcher(source_);
    return NewAsciiSplit(std::move(ascii), make_any, source_.terminator);
  }

  std::unique_ptr<Matcher> MakeRe2(const Re2Regex& regex, bool check_words) const {
    auto matcher = NewRe2Matcher(regex, source_.terminator);
    if (matcher == nullptr || !check_words) return matcher;
    return NewWordMatcher(std::move(matcher), source_);
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
