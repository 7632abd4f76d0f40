// What "compatible" means for everything around the patterns, in plain values: those of GNU
// grep 3.8. The installed grep is asked as well, in every way to read.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/grep_comparison.h"

namespace mr::test {
namespace {

struct Row {
  const char* script;
  int status;
  const char* output;
  const char* errors = "";
};

class GrepContract : public ::testing::Test {
 protected:
  GrepContract() {
    const TempDir& files = grep.files();
    files.Write("f", "a\nb\nab\nc\n");
    files.Write("g", "x a\n");
    files.Write("nul", std::string("a\0a\nb\n", 6));
    files.Write("enc", "a\200\na\n");
    files.Write("empty", "");
    files.Write("open", "a\nopen");
    files.Write("words", "one b1\n\ntwo b2 b22\n");
    std::filesystem::create_directory(files.path() / "d");
  }

  void Expect(const std::vector<Row>& rows) const {
    std::string scripts;
    for (const Row& row : rows) {
      const ScriptResult ours = grep.RunOurs(row.script);
      EXPECT_EQ(ours.status, row.status) << row.script;
      EXPECT_EQ(ours.output, row.output) << row.script;
      EXPECT_EQ(ours.errors, row.errors) << row.script;
      scripts += row.script;
      scripts += '\n';
    }
    grep.ExpectSameForEach(scripts);
  }

  GrepComparison grep;
};

TEST_F(GrepContract, ExitStatusTellsWhatWasSelectedAndWhatWentWrong) {
  Expect({
      {R"(grep b f)", 0, "b\nab\n"},
      {R"(grep zz f)", 1, ""},
      {R"(grep zz f empty)", 1, ""},
      {R"(grep a nonexistent)", 2, "", "grep: nonexistent: No such file or directory\n"},
      {R"(grep b nonexistent f)", 2, "f:b\nf:ab\n",
       "grep: nonexistent: No such file or directory\n"},
      {R"(grep b f nonexistent)", 2, "f:b\nf:ab\n",
       "grep: nonexistent: No such file or directory\n"},
      {R"(grep zz nonexistent f)", 2, "", "grep: nonexistent: No such file or directory\n"},
      {R"(grep -q b nonexistent f)", 0, "", "grep: nonexistent: No such file or directory\n"},
      {R"(grep -q b f nonexistent)", 0, ""},
      {R"(grep -q zz f nonexistent)", 2, "", "grep: nonexistent: No such file or directory\n"},
      {R"(grep -v . f)", 1, ""},
      {R"(grep -c zz f)", 1, "0\n"},
      {R"(grep '[' f)", 2, "", "grep: Invalid regular expression\n"},
      {R"(grep -s b nonexistent)", 2, ""},
      {R"(grep -s b nonexistent f)", 2, "f:b\nf:ab\n"},
      {R"(grep -qs b nonexistent f)", 0, ""},
      {R"(grep -qs zz nonexistent f)", 2, ""},
      {R"(grep -s '[' f)", 2, "", "grep: Invalid regular expression\n"},
      {R"(grep -L b f g)", 0, "g\n"},
      {R"(grep -L zz f g)", 1, "f\ng\n"},
      {R"(grep -L b f)", 0, ""},
      {R"(grep -Lv . f)", 1, "f\n"},
      {R"(grep -L b nonexistent)", 2, "", "grep: nonexistent: No such file or directory\n"},
      {R"(grep -l b f g)", 0, "f\n"},
      {R"(grep -l zz f g)", 1, ""},
      {R"(grep -lv . f g)", 1, ""},
  });
}

TEST_F(GrepContract, DirectoriesAreErrorsUnlessSkipped) {
  Expect({
      {R"(grep a d)", 2, "", "grep: d: Is a directory\n"},
      {R"(grep a d f)", 2, "f:a\nf:ab\n", "grep: d: Is a directory\n"},
      {R"(grep -s a d)", 2, ""},
      {R"(grep -d skip a d)", 1, ""},
      {R"(grep -d skip a d g)", 0, "g:x a\n"},
      {R"(grep -c a d)", 2, "0\n", "grep: d: Is a directory\n"},
  });
}

TEST_F(GrepContract, BinaryFilesAreNamedOnStandardErrorInsteadOfShown) {
  Expect({
      {R"(grep a nul)", 0, "", "grep: nul: binary file matches\n"},
      {R"(grep -s a nul)", 0, "", "grep: nul: binary file matches\n"},
      {R"(grep a nul g)", 0, "g:x a\n", "grep: nul: binary file matches\n"},
      {R"(grep -c a nul)", 0, "2\n"},
      {R"(grep -l a nul)", 0, "nul\n"},
      {R"(grep -q a nul)", 0, ""},
      {R"(grep -L a nul)", 0, ""},
      {R"(grep -o a nul)", 0, "", "grep: nul: binary file matches\n"},
      {R"(grep -v a nul)", 0, "", "grep: nul: binary file matches\n"},
      {R"(grep zz nul)", 1, ""},
      {R"(grep -I a nul)", 1, ""},
      {R"(grep b nul)", 0, "", "grep: nul: binary file matches\n"},
      {R"(grep a enc)", 0, "a\n", "grep: enc: binary file matches\n"},
      {R"(grep -c a enc)", 0, "2\n"},
      {R"(grep -o a enc)", 0, "a\na\n"},
      {R"(LC_ALL=C grep -c a enc)", 0, "2\n"},
      {R"(grep -a -c a nul enc)", 0, "nul:1\nenc:2\n"},
  });
}

TEST_F(GrepContract, AFileThatTakesTheOutputIsNotSearchedForLines) {
  Expect({
      {R"(cp f out; grep a out >> out; echo $?; cat out)", 0, "2\na\nb\nab\nc\n",
       "grep: out: input file is also the output\n"},
      {R"(cp f out; grep a < out >> out; echo $?)", 0, "2\n",
       "grep: (standard input): input file is also the output\n"},
      {R"(cp f out; grep -q a out >> out; echo $?)", 0, "0\n"},
      {R"(cp f out; grep -l a out >> out; echo $?; cat out)", 0, "0\na\nb\nab\nc\nout\n"},
      {R"(cp f out; grep -L zz out >> out; echo $?; cat out)", 0, "1\na\nb\nab\nc\nout\n"},
      {R"(cp f out; grep -m1 a out >> out; echo $?; cat out)", 0, "0\na\nb\nab\nc\na\n"},
      {R"(cp f out; grep -c a out >> out; echo $?; cat out)", 0, "0\na\nb\nab\nc\n2\n"},
      {R"(cp f out; grep -s a out >> out; echo $?)", 0, "2\n"},
  });
}

TEST_F(GrepContract, EveryLineEndsInANewlineAndALimitPositionsStandardInput) {
  Expect({
      {R"(grep open open)", 0, "open\n"},
      {R"(grep -c open open)", 0, "1\n"},
      {R"(grep '' open g)", 0, "open:a\nopen:open\ng:x a\n"},
      {R"((grep -m1 b; cat) < f)", 0, "b\nab\nc\n"},
      {R"((grep -m1 -A9 b; echo -; cat) < f)", 0, "b\nab\nc\n-\nab\nc\n"},
      {R"((grep -m2 -A9 b; echo -; cat) < f)", 0, "b\nab\nc\n-\nc\n"},
      {R"((grep -m1 -c b; cat) < f)", 0, "1\nab\nc\n"},
      {R"((grep -m2 -c ''; cat) < f)", 0, "2\nab\nc\n"},
      {R"((grep -m3 -v zz; echo -; cat) < f)", 0, "a\nb\nab\n-\nc\n"},
      {R"((grep -m1 -vc zz; echo -; cat) < f)", 0, "1\n-\nb\nab\nc\n"},
      {R"((grep -m1 -o b; cat) < f)", 0, "b\nab\nc\n"},
      {R"((grep -m1 b > /dev/null; cat) < f)", 0, "ab\nc\n"},
      {R"((grep -m2 b > /dev/null; cat) < f)", 0, ""},
      {R"((grep -q -m1 b; cat) < f)", 0, ""},
      {R"((grep -l -m1 b; cat) < f)", 0, "(standard input)\n"},
      {R"((grep b; cat) < f)", 0, "b\nab\n"},
      {R"((grep -m1 a; tr '\0' '@') < nul)", 0, "a\nb\n",
       "grep: (standard input): binary file matches\n"},
      {R"((grep -m1 -c a; tr '\0' '@') < nul)", 0, "1\na\nb\n"},
      {R"((grep -m2 -c a; tr '\0' '@') < nul)", 0, "2\nb\n"},
      {R"((grep -v -m1 a; tr '\0' '@') < nul)", 0, "",
       "grep: (standard input): binary file matches\n"},
  });
}

TEST_F(GrepContract, OnlyMatchesThatAreNotEmptyAreShownAndNoContext) {
  Expect({
      {R"(grep -o b words)", 0, "b\nb\nb\n"},
      {R"(grep -o 'b[0-9]*' words)", 0, "b1\nb2\nb22\n"},
      {R"(grep -o 'x*' words)", 0, ""},
      {R"(grep -o '' words)", 0, ""},
      {R"(grep -no 'b2*' words)", 0, "1:b\n3:b2\n3:b22\n"},
      {R"(grep -bo 'b2*' words)", 0, "4:b\n12:b2\n15:b22\n"},
      {R"(grep -o -A1 one words)", 0, "one\n"},
      {R"(grep -o -C1 b22 words)", 0, "b22\n"},
      {R"(grep -on -A0 'b[12]$\|one' words g f)", 0, "words:1:one\nwords:1:b1\n"},
      {R"(grep -ov b words)", 0, ""},
      {R"(grep -oc b words)", 0, "2\n"},
  });
}

TEST_F(GrepContract, ColoursComeFromGrepColors) {
  Expect({
      {R"(grep --color=always b f)", 0,
       "\033[01;31m\033[Kb\033[m\033[K\na\033[01;31m\033[Kb\033[m\033[K\n"},
      {R"(grep --color=always -nbH b f)", 0,
       "\033[35m\033[Kf\033[m\033[K\033[36m\033[K:\033[m\033[K\033[32m\033[K2\033[m\033[K\033["
       "36m\033[K:\033[m\033[K\033[32m\033[K2\033[m\033[K\033[36m\033[K:\033[m\033[K\033[01;"
       "31m\033[Kb\033[m\033[K\n\033[35m\033[Kf\033[m\033[K\033[36m\033[K:\033[m\033[K\033[32m\033["
       "K3\033[m\033[K\033[36m\033[K:\033[m\033[K\033[32m\033[K4\033[m\033[K\033[36m\033[K:\033["
       "m\033[Ka\033[01;31m\033[Kb\033[m\033[K\n"},
      {R"(grep --color=always -n -A1 b g f)", 0,
       "\033[35m\033[Kf\033[m\033[K\033[36m\033[K:\033[m\033[K\033[32m\033[K2\033[m\033[K\033["
       "36m\033[K:\033[m\033[K\033[01;31m\033[Kb\033[m\033[K\n\033[35m\033[Kf\033[m\033[K\033["
       "36m\033[K:\033[m\033[K\033[32m\033[K3\033[m\033[K\033[36m\033[K:\033[m\033[Ka\033[01;"
       "31m\033[Kb\033[m\033[K\n\033[35m\033[Kf\033[m\033[K\033[36m\033[K-\033[m\033[K\033[32m\033["
       "K4\033[m\033[K\033[36m\033[K-\033[m\033[Kc\n"},
      {R"(GREP_COLORS='mt=7' grep --color=always b f)", 0,
       "\033[7m\033[Kb\033[m\033[K\na\033[7m\033[Kb\033[m\033[K\n"},
      {R"(GREP_COLORS='ms=4:mc=5' grep --color=always -A1 b f)", 0,
       "\033[4m\033[Kb\033[m\033[K\na\033[4m\033[Kb\033[m\033[K\nc\n"},
      {R"(GREP_COLORS='sl=1:cx=2' grep --color=always -A1 a g)", 0,
       "\033[1m\033[Kx \033[01;31m\033[Ka\033[m\033[K\n"},
      {R"(GREP_COLORS='sl=1:cx=2:rv' grep --color=always -v -A1 ab f)", 0,
       "\033[2m\033[Ka\033[m\033[K\n\033[2m\033[Kb\033[m\033[K\n\033[1m\033[K\033[01;31m\033["
       "Kab\033[m\033[K\n\033[2m\033[Kc\033[m\033[K\n"},
      {R"(GREP_COLORS='ne' grep --color=always b f)", 0,
       "\033[01;31mb\033[m\na\033[01;31mb\033[m\n"},
      {R"(GREP_COLORS='fn=1:ln=2:bn=3:se=4' grep --color=always -nbH ab f)", 0,
       "\033[1m\033[Kf\033[m\033[K\033[4m\033[K:\033[m\033[K\033[2m\033[K3\033[m\033[K\033[4m\033["
       "K:\033[m\033[K\033[3m\033[K4\033[m\033[K\033[4m\033[K:\033[m\033[K\033[01;31m\033[Kab\033["
       "m\033[K\n"},
      {R"(GREP_COLOR=7 grep --color=always ab f)", 0, "\033[7m\033[Kab\033[m\033[K\n",
       "grep: warning: GREP_COLOR='7' is deprecated; use GREP_COLORS='mt=7'\n"},
      {R"(GREP_COLOR=7 grep ab f)", 0, "ab\n"},
      {R"(GREP_OPTIONS=-c grep ab f)", 0, "ab\n"},
  });
}

TEST_F(GrepContract, PrefixesAreNameNumberOffsetAndTellContextFromMatches) {
  Expect({
      {R"(grep -nb ab f g)", 0, "f:3:4:ab\n"},
      {R"(grep -nbH ab f)", 0, "f:3:4:ab\n"},
      {R"(grep -nH -A1 ab f)", 0, "f:3:ab\nf-4-c\n"},
      {R"(grep -nH -C1 'x\|c' f g)", 0, "f-3-ab\nf:4:c\n--\ng:1:x a\n"},
      {R"(grep -b -A1 b f)", 0, "2:b\n4:ab\n7-c\n"},
      {R"(grep --group-separator='#' -A0 '^[ac]$' f)", 0, "a\n#\nc\n"},
      {R"(grep --no-group-separator -A0 '^[ac]$' f)", 0, "a\nc\n"},
      {R"(grep -c a f g)", 0, "f:2\ng:1\n"},
  });
}

TEST_F(GrepContract, PatternsComeFromFilesAndAreSeparatedByNewlines) {
  Expect({
      {R"(grep -f empty f)", 1, ""},
      {R"(grep -c -v -f empty f)", 0, "4\n"},
      {R"(grep -c '' f)", 0, "4\n"},
      {R"(grep -c -e '' -e zz f)", 0, "4\n"},
      {R"(echo > p; grep -c -f p f)", 0, "4\n"},
      {R"(grep $'ab\nc' f)", 0, "ab\nc\n"},
      {R"(grep -e ab -e c f)", 0, "ab\nc\n"},
      {R"(grep -F $'ab\nc' f)", 0, "ab\nc\n"},
      {R"(grep -c $'zz\n' f)", 0, "4\n"},
  });
}

TEST_F(GrepContract, WordsAreTriedShorterBeforeLaterAndLinesOverrideThem) {
  Expect({
      {R"(grep -xw a f)", 0, "a\n"},
      {R"(grep -x b f)", 0, "b\n"},
      {R"(printf 'ab a-b\n' | grep -ow 'a.*')", 0, "ab a-b\n"},
      {R"(printf 'abc abd ab\n' | grep -ow 'ab.*')", 0, "abc abd ab\n"},
      {R"(printf 'foo-bar foobar\n' | grep -Eow 'foo|foo-b')", 0, "foo\n"},
      {R"(printf 'xa a\n' | grep -ow a)", 0, "a\n"},
      {R"(printf 'xa ya\n' | grep -w a)", 1, ""},
      {R"(printf 'a b c\n' | grep -ow 'a b\|a')", 0, "a b\n"},
      {R"(printf 'aa a_ a1 a-\n' | grep -bow a)", 0, "9:a\n"},
      {R"(printf 'é a é\n' | grep -ow 'é')", 0, "\303\251\n\303\251\n"},
      {R"(printf 'éa\n' | grep -w a)", 1, ""},
  });
}

TEST_F(GrepContract, MatchesAreLeftmostLongestButThoseOfPerlLeftmostFirst) {
  Expect({
      {R"(printf 'xabcabc\n' | grep -oE 'ab|abc|abcab')", 0, "abcab\n"},
      {R"(printf 'xabcabc\n' | grep -oP 'ab|abc|abcab')", 0, "ab\nab\n"},
      {R"(printf 'xabcabc\n' | grep -o 'ab\|abc\|abcab')", 0, "abcab\n"},
      {R"(printf 'xabcabc\n' | grep -oF -e ab -e abc -e abcab)", 0, "abcab\n"},
      {R"(printf 'aaa\n' | grep -oE 'a+?')", 0, "aaa\n"},
      {R"(printf 'aaa\n' | grep -oP 'a+?')", 0, "a\na\na\n"},
      {R"(printf 'aaab\n' | grep -oE 'a??b')", 0, "ab\n"},
      {R"(printf 'ab abb\n' | grep -oE 'ab*?')", 0, "ab\nabb\n"},
      {R"(printf 'weeknights\n' | grep -oE '(we|wee|week)(knights|night)?')", 0, "weeknights\n"},
      {R"(printf 'weeknights\n' | grep -oP '(we|wee|week)(knights|night)?')", 0, "we\n"},
      {R"(printf 'abcd\n' | grep -oE '(a|ab)(c|bcd)?')", 0, "abcd\n"},
      {R"(printf 'a\nb\na\n' | grep -o -A0 a)", 0, "a\n--\na\n"},
      {R"(printf 'a\nb\na\n' | grep -oP -C0 a)", 0, "a\n--\na\n"},
      {R"(printf 'a\na\nb\na\n' | grep -on -A1 a)", 0, "1:a\n2:a\n4:a\n"},
  });
}

TEST_F(GrepContract, RecordsThatEndInZeroBytesMayHoldNewlines) {
  Expect({
      {R"(printf 'a\nb\0c\0' | grep -z 'a.b' | tr '\0' '@')", 0, "a\nb@"},
      {R"(printf 'a\nb\0b\0' | grep -z '^b' | tr '\0' '@')", 0, "b@"},
      {R"(printf 'a\nb\0a\0' | grep -z 'a$' | tr '\0' '@')", 0, "a@"},
      {R"(printf 'a\nb\0c\0' | grep -zx 'a.b' | tr '\0' '@')", 0, "a\nb@"},
      {R"(printf 'a\nb\0c\0' | grep -zc 'a[^c]b')", 0, "1\n"},
      {R"(printf 'a\nb\0c\0' | grep -zno . | tr '\0' '@')", 0, "1:a@1:\n@1:b@2:c@"},
      {R"(printf 'a\nb\0c' | grep -zb '' | tr '\0' '@')", 0, "0:a\nb@4:c@"},
      {R"(printf 'a\nb\0' | grep -zP '^b' | tr '\0' '@')", 0, ""},
      {R"(printf 'a\nb\0' | grep -zP '(?m)^b' | tr '\0' '@')", 0, "a\nb@"},
  });
}

TEST_F(GrepContract, NothingMatchesANewline) {
  Expect({
      {R"(printf 'a\nb\n' | grep -c 'a[^x]*b')", 1, "0\n"},
      {R"(printf 'a\nb\n' | grep -c 'a\sb')", 1, "0\n"},
      {R"(printf 'a\nb\n' | grep -c 'a\Wb')", 1, "0\n"},
      {R"(printf 'a\nb\n' | grep -cE 'a(.|[[:space:]]|\s)b')", 1, "0\n"},
      {R"(printf 'a\nb\n' | grep -c '^\s*$')", 1, "0\n"},
      {R"(printf 'a\n\nb\n' | grep -nE '^[^x]$')", 0, "1:a\n3:b\n"},
      {R"(printf 'a\n\nb\n' | grep -n '^[[:space:]]*$')", 0, "2:\n"},
      {R"(printf 'a\nb\n' | grep -c $'a\\\nb')", 2, "", "grep: Trailing backslash\n"},
      {R"(printf 'a\nb\n' | grep -cP 'a\nb|\n|a\s')", 1, "0\n"},
      {R"(printf 'a\nb\n' | grep -n "\`b")", 1, ""},
      {R"(printf 'a\nb\n' | grep -n "a\\'")", 0, "1:a\n"},
      {R"(printf 'a\nb\n' | grep -co 'a[^x]*')", 0, "1\n"},
  });
}

TEST_F(GrepContract, BackReferencesAreNumberedInEachPattern) {
  Expect({
      {R"(printf 'aa\nbb\nab\n' | grep -n -e '\(a\)\1' -e '\(b\)\1')", 0, "1:aa\n2:bb\n"},
      {R"(printf 'aa\nbb\nab\n' | grep -nE -e '(a)b' -e '(b)\1')", 0, "2:bb\n3:ab\n"},
      {R"(printf 'aa\n' | grep -e '\(a\)' -e '\1')", 2, "", "grep: Invalid back reference\n"},
      {R"(printf 'aa\n' | grep -E '(a)\2')", 2, "", "grep: Invalid back reference\n"},
      {R"(printf 'aa\n' | grep -E '(a\1)')", 2, "", "grep: Invalid back reference\n"},
      {R"(printf 'aa\nbb\n' | grep -E '(a)|b\1')", 2, "", "grep: Invalid back reference\n"},
      {R"(printf 'aa\nbb\n' | grep -nE '(a)\1|b')", 0, "1:aa\n2:bb\n"},
      {R"(printf 'aAaA\n' | grep -oiE '(a)\1')", 0, "aA\naA\n"},
      {R"(printf 'xyyx\n' | grep -oE '(.)(.)\2\1')", 0, "xyyx\n"},
  });
}

TEST_F(GrepContract, InTheCLocaleEveryByteIsACharacter) {
  Expect({
      {R"(printf '\303\251\n' | LC_ALL=C grep -c '^..$')", 0, "1\n"},
      {R"(printf '\303\251\n' | LC_ALL=C grep -c '^.$')", 1, "0\n"},
      {R"(printf '\303\251\n' | grep -c '^.$')", 0, "1\n"},
      {R"(printf '\377\n' | LC_ALL=C grep -c '^.$')", 0, "1\n"},
      {R"(printf '\377\n' | grep -c '^.$')", 1, "0\n"},
      {R"(printf '\377\n' | grep -c '^[^a]$')", 1, "0\n"},
      {R"(printf '\377\n' | LC_ALL=C grep -c '^[^a]$')", 0, "1\n"},
      {R"(printf '\303\251\n' | LC_ALL=C grep -c '\w')", 1, "0\n"},
      {R"(printf '\303\251\n' | LC_ALL=C grep -ci $'\303\211')", 1, "0\n"},
      {R"(printf '\303\251\n' | grep -ci $'\303\211')", 0, "1\n"},
      {R"(printf 'aA\n' | LC_ALL=C grep -oi a)", 0, "a\nA\n"},
      {R"(printf '\303\251\n' | LC_ALL=xx_YY.UTF-8 grep -c '^..$')", 0, "1\n"},
      {R"(printf '\303\251a\n' | LC_ALL=C grep -cw a)", 0, "1\n"},
      {R"(printf '\303\251a\n' | grep -cw a)", 1, "0\n"},
  });
}

TEST_F(GrepContract, CaseIsThatOfTheLocaleAndForPerlThatOfUnicode) {
  Expect({
      {R"(printf 'k\nK\n\342\204\252\n' | grep -nio k)", 0, "1:k\n2:K\n"},
      {R"(printf 'k\nK\n\342\204\252\n' | grep -nioF k)", 0, "1:k\n2:K\n"},
      {R"(printf 'k\nK\n\342\204\252\n' | grep -nioP k)", 0, "1:k\n2:K\n3:\342\204\252\n"},
      {R"(printf 's\nS\n\305\277\n' | grep -nio s)", 0, "1:s\n2:S\n3:\305\277\n"},
      {R"(printf 's\nS\n\305\277\n' | grep -nioF s)", 0, "1:s\n2:S\n3:\305\277\n"},
      {R"(printf 'i\nI\n\304\261\n\304\260\n' | grep -nio i)", 0, "1:i\n2:I\n3:\304\261\n"},
      {R"(printf 'i\nI\n\304\261\n\304\260\n' | grep -nioE '[i]')", 0, "1:i\n2:I\n3:\304\261\n"},
      {R"(printf '\303\237\n\341\272\236\n' | grep -ni $'\303\237')", 0, "1:\303\237\n"},
  });
}

TEST_F(GrepContract, EscapedLettersAreOfOneCaseToTheCLibraryWhichSaysWhatIsShown) {
  Expect({
      {R"(printf 'bX\n' | grep -io 'b\x*')", 0, "b\n"},
      {R"(printf 'bX\nbX.\n' | grep -nix 'b\x*')", 0, "1:bX\n"},
      {R"(printf 'bX\n' | grep -ixo 'b\x*')", 0, "b\n"},
      {R"(printf 'bX\n' | grep -ixo '.\x*')", 0, "b\nX\n"},
      {R"(printf 'bX\n' | LC_ALL=C grep -ixo '[^a]\x*')", 0, "b\nX\n"},
      {R"(printf 'bX\n' | grep -ixwo 'b\x*')", 0, ""},
  });
}

TEST_F(GrepContract, BracesThatBeginNoIntervalAreOrdinaryToOneOfTwoParsers) {
  Expect({
      {R"(printf '{\n{a\n1\n' | grep -nE '{')", 0, "1:{\n2:{a\n"},
      {R"(printf '{\n{a\n' | grep -E '({)')", 2, "", "grep: Unmatched ( or \\(\n"},
      {R"(printf '{\n{a\n' | grep -E '(a|{)')", 2, "", "grep: Unmatched ( or \\(\n"},
      {R"(printf '{\n{a\n' | grep -E '({{)')", 2, "", "grep: Unmatched ( or \\(\n"},
      {R"(printf '{\n{a\n' | grep -nE '({a)')", 0, "2:{a\n"},
      {R"(printf '{\n{a\nx{\n' | grep -nE 'x{')", 0, "3:x{\n"},
      {R"(printf '{\n{a\nx{\n' | grep -nE '(x{)')", 0, "3:x{\n"},
      {R"(printf '{\n' | grep '\b\<\{')", 1, ""},
      {R"(printf '{\n' | grep 'e\{')", 2, "", "grep: Unmatched \\{\n"},
      {R"(printf '{\n' | grep 'e\b\{')", 2, "", "grep: invalid content of \\{\\}\n"},
      {R"(printf '{\n' | grep 'e\b\<\{')", 2, "", "grep: invalid content of \\{\\}\n"},
      {R"(printf '{\n' | grep 'e\b*\b\b\{1')", 2, "", "grep: invalid content of \\{\\}\n"},
      {R"(printf 'e{\n' | grep 'e\|\b\b\{')", 0, "e{\n"},
      {R"(printf 'e{\n' | grep "e\>\\'\{")", 2, "", "grep: invalid content of \\{\\}\n"},
  });
}

}  // namespace
}  // namespace mr::test
