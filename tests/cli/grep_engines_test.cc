// Where GNU grep's two engines, or mrgrep's several, have different ideas of a pattern: every row
// is a difference that once was found by chance.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "support/grep_comparison.h"
#include "support/make_locale.h"

namespace mr::test {
namespace {

class GrepEngines : public ::testing::Test {
 protected:
  GrepComparison grep;
};

TEST_F(GrepEngines, LinesGoByTheAutomatonAndMatchesByTheCLibrary) {
  grep.ExpectSameForEach(R"sh(
printf 'T\n' | grep -oi '\t'
printf 'T\n' | grep -ci '\t'
printf 'x\n' | LC_ALL=C grep -i --color=always '\x'
printf '[za[\n' | grep -i '[[:digit:][]\([a-z]\)\a\['
printf '{1}a\n' | grep -E '{1}a'
printf '{1}a\n' | grep -oE '{1}a'
printf '*ab\n' | grep -oE '^*ab'
printf '\n-\n' | LC_ALL=C grep -E -e - -e '({1})[[.a.]]{,}'
printf 'B\n' | LC_ALL=C grep --color=always "[A-Z]\\'\\?"
printf ']\n' | grep -E '\B{0}{2}'
printf 'S\342\204\252x\n\305\277x\nq\n' >k; grep -E '[Kk]|q' k
grep -E '(a|[Ss]|q)x' k
grep -E 'a*[Kk]|a*q' k
grep -i -e K -e q k
grep -ix -e s -e q k
printf 'x{0}\nx{\n\n' | grep -E 'x{\0}'
printf 'x{10}\nx\nxxxxxxxxxx\n' | grep -E 'x{1\0}|y{1,\0}'
printf 'aax{0}\naa\n' | grep -E '(a)\1x{\0}'
printf 'a{1,2}\naa\n' | grep -E 'a{1\,2}'
printf 'b\n' | grep -E '{\,}'
printf 'ax\nAX\n' | grep -wi 'a\x'
printf 'ca-\nCACAb\n' | grep -wiE '(c\a|[B]*)c{1}a.'
printf 'S\302\240\317\202\302\240\n' | LC_ALL=C grep -aw $'\\(\\(\\(S\\|^\317\202\\)\302\240\\)\\{1\\}\\)\\+'
)sh");
}

TEST_F(GrepEngines, WarningsAndErrorsComeInGnuGrepsWordsAndOrder) {
  grep.ExpectSameForEach(R"sh(
echo | grep -E '{2}*'
echo | grep -E '**'
echo | grep -E '*{1}'
echo | grep -E '+{2}*'
echo | grep -E '\>{,}*'
echo | grep -E '{32768}'
echo | grep -E '^{32768}'
echo | grep -E 'a{32768}'
echo | grep '[[.ab.]]\'
echo | grep -E '([[..]]'
echo | grep '[[.ab.]-z]'
printf '[[.ce.]]\n' >p; echo | grep -f p
printf 'a\n[[..]]\n[\n' >p; echo | grep -f p
)sh");
}

TEST_F(GrepEngines, TheAutomatonComplainsOnceAllPatternsPleaseTheCLibrary) {
  grep.ExpectSameForEach(R"sh(
echo | grep 'a\{\0\}'
echo | grep 'a\{1\09\}\|b'
echo | grep 'a\{\0\}['
echo | grep 'a\{\0\}\('
echo | grep 'c\<\{'
echo | grep 'c\<\{['
echo | grep 'c\<\{32768\}'
echo | grep 'c\`\{32768\}'
echo | grep 'a\{1\,2\}'
echo | grep 'c\<\{\0\}\('
echo | grep "c\\'\\{x\\}"
echo | grep "c\\'\\{x\\}\\)"
echo | grep -e 'c\<\{' -e 'a\{x\}'
echo | grep -e 'a\{\0\}' -e '[[.ab.]]'
echo | grep -e 'c\<\{' -e 'a\{\0\}'
echo | grep -e 'c\<\{' -e '[:space:]'
echo | grep -e '[:space:]' -e 'c\<\{'
echo | grep -e '[:space:]' -e '\('
echo | grep -E '{32768}('
echo | grep -E -e '*{32768}' -e ')a('
echo | grep -E -e '+' -e '*{32768}|*' -e '?'
echo | grep -E -e '+' -e '[:space:]|*' -e '?'
echo | grep -E -e '[:space:]' -e '{32768}'
echo | grep -P '{32768}'
)sh");
}

TEST_F(GrepEngines, TheCLibraryKnowsWhichGroupsAreClosed) {
  grep.ExpectSameForEach(R"sh(
echo | grep -E '(*)\1'
echo | grep -E '(\>?)\1'
echo | grep -E '((*)\2'
echo | grep -E '(*)a()\1)'
echo | grep -E '(()|*)\2'
echo | grep -E '()|\1'
echo | grep -E '(()|a)\2'
echo | grep -E '((a)|\2)'
)sh");
}

TEST_F(GrepEngines, TwoPatternsWithoutOperatorsAreFixedStrings) {
  grep.files().Write("lines", "a\\\n\\\nb\ntt\n)\n}\nk\\\nK\\\n\n\377\\\n");
  std::string scripts;
  // A backslash at the very end is one then.
  for (const char* patterns :
       {R"(-e q -e 'a\')", R"(-e 'a\' -e q)", R"(-E -e q -e '\t\')", R"(-e b. -e 'a\')",
        R"(-i -e q -e 'K\')", R"(-i -e s -e 'A\')", R"(-x -e b -e '\')", R"(-w -e b -e 'a\')",
        R"(-e '\' -e '\')", R"(-e 'a\')", R"(-e '\}' -e 'a\')", R"(-e '\)' -e 'a\')",
        R"(-E -e '\)' -e 'a\')", R"(-e '\w' -e 'a\')", R"(-e $'\377' -e 'a\')"}) {
    scripts += std::string("grep -a ") + patterns + " lines\n";
  }
  // In UTF-8 an empty word is found behind a longer match that is none.
  grep.files().Write("words", "S ,1\nk ,K\n. \303\251,x\ni ,i\n \n");
  for (const char* patterns :
       {"-F -e , -e ''", "-e , -e ''", "-e , -e '' -e 'a*'", "-e , -e '' -e '\\/'", "-E ',|'",
        "-Fi -e , -e '' -e k", "-Fi -e , -e '' -e s", "-Fi -e , -e '' -e \303\251",
        "-F -e , -e '' -e \303\251", "-F -e , -e '' -e $'\\377'", "-ob -e , -e ''"}) {
    scripts += std::string("grep -w ") + patterns + " words\n";
    scripts += std::string("LC_ALL=C grep -aw ") + patterns + " words\n";
  }
  grep.ExpectSameForEach(scripts);
}

TEST_F(GrepEngines, PerlTakesOnePatternOfWhichNoneIsOverlooked) {
  grep.ExpectSameForEach(R"sh(
printf 'a\n\n' | grep -P -e '' -e a
printf 'a\n\n' | grep -P -e '' -e '('
printf 'a\n\n' | grep -P -e a -e ''
printf 'a\n\n' | grep -P -e '' -e ''
)sh");
}

TEST_F(GrepEngines, WithoutPatternsItIsTheLinesOfVThatAreNotInverted) {
  std::string scripts;
  for (const char* colors : {"sl=1", "sl=1:rv", "sl=1:cx=2", "sl=1:cx=2:rv"}) {
    for (const char* options : {"-v", "-vx", "-vw", "-vo", "-vC1", "-vc", "-C1", "-L"}) {
      scripts += std::string("printf ' \\nx\\n' | GREP_COLORS=") + colors +
                 " grep --color=always -f /dev/null " + options + "\n";
    }
  }
  grep.ExpectSameForEach(scripts);
}

TEST_F(GrepEngines, BytesThatAreNoCharactersFoldInTheCLibrary) {
  grep.ExpectSameForEach(R"sh(
printf '\320\n\321\217\n' | grep -ic $'\320'
printf '\320\n\320\257\n' | grep -ic $'\257'
printf '\320\n\320\257\n' | grep -c $'\257'
)sh");
}

TEST_F(GrepEngines, BytesThatAreNoCharactersAreFoundInCharactersOfAnotherLength) {
  grep.ExpectSameForEach(R"sh(
printf '\304\261\n' | grep -ci $'\261'
printf '\304\261\n' | grep -ciw $'\261'
printf '\304\261\nx\261\n' | grep -ni $'\261'
printf '\304\261a\304\261\n' | grep -ciE $'(\261)a'
)sh");
}

// What it would find it does not find at once, or never.
TEST_F(GrepEngines, TheCLibraryIsNotAskedAboutLinesThatTheAutomatonRejects) {
  grep.ExpectSameForEach(R"sh(
printf baB | grep '\(b\)\(\|^a\{,\}\([[:lower:]]\)\)\{1\,\}B'
printf baB | grep '\(b\)\(\|^a\{,\}\([[:lower:]]\)\)\{1,\}B'
printf 'baB\nbB\nxbaB\n' | grep -n '\(b\)\(\|^a\{,\}\([[:lower:]]\)\)\{1,\}B'
printf 'abbc\n{abbc\n' | grep -nE '{ab.[c-d]'
printf 'abbc\n{abbc\n' | grep -onE '{ab.[c-d]'
printf 'abbc\n{abbc\n' | grep -xnE '{ab.[c-d]'
printf 'abbc\n{abbc\n' | grep -wnE '{ab.[c-d]'
printf 'aa\nab\nb\n' | grep -nE '(a|b)\1$|b^+'
printf 'aa b\nab b\n' | LC_ALL=C grep -nwE '(a|b)\1\>|b^+a'
)sh");
}

TEST_F(GrepEngines, WhatIsRepeatedNoTimesIsNotLeftToTheCLibrary) {
  grep.ExpectSameForEach(R"sh(
printf 'e\n' | grep -i '\e[A-Z]\{0\}'
printf 'e\n' | grep -iE '\e(\<[^a]){0}'
printf 'e\n' | grep -iE '(\e)\1{0}'
printf 'e\n' | grep -ioE '(\e)\1{0}'
)sh");
}

TEST_F(GrepEngines, TheCLibraryIsAskedForOneMatchInALine) {
  grep.ExpectSameForEach(R"sh(
printf 'ab%0200d\n' 0 | grep -c -E -e '^.' -e '(0*)*\1{3,}[^]0-9[:alpha:]]'
printf 'ab%0200d\n' 0 | grep -c -E -e '(0*)*\1{3,}[^]0-9[:alpha:]]' -e '^.'
)sh");
}

TEST_F(GrepEngines, EmptyWordsAreTheAutomatonsUnlessItLeavesThemToTheCLibrary) {
  std::string scripts;
  for (const char* pattern : {"^[ [=a=]]?", "[ [=a=]]?", "^[ ]?", "[ ]?", "(x*)\\1| ?"}) {
    for (const char* options : {"-nw", "-now", "-nwv"}) {
      scripts += std::string("printf '\\n a\\n b\\n  \\n- -\\n' | LC_ALL=C grep -E ") + options +
                 " '" + pattern + "'\n";
    }
  }
  grep.ExpectSameForEach(scripts);
}

TEST_F(GrepEngines, TheAutomatonKnowsWordsWhereCharactersAreBytes) {
  std::string lines;
  for (int i = 0; i < 5 * 5 * 5 * 5; ++i) {
    for (int rest = i; rest > 0; rest /= 5) {
      if (rest % 5 > 0) lines += "i_x -"[rest % 5];
    }
    lines += '\n';
  }
  grep.files().Write("f", lines);
  std::string scripts;
  for (const char* pattern :
       {R"(i|_(\<x*|i)+)", R"((\<|x\>)*_|i(\B|_\>))", R"((\b-|x\>)(\B|i)+|^(\<i|\>)$)",
        R"((^|\>)(_*|-)(\<|$))", R"((i|x)\1\>|(\b-|x\>)(\B|_)+)", R"(\<)", R"(\B*\>x*\<)",
        R"(_{1}(\<-*|i)+(())|\`)", R"(_(\<-*|i)+x|$)"}) {
    for (const char* options : {"-n", "-nw", "-nx", "-no", "-nv"}) {
      scripts += std::string("LC_ALL=C grep -E ") + options + " '" + pattern + "' f\n";
    }
  }
  grep.ExpectSameForEach(scripts);
}

// The C library takes a newline for the end of a line now and then.
TEST_F(GrepEngines, AnchorsOfRecordsAreTheCLibrarysWhereItIsAsked) {
  std::string scripts = "printf '\\n' | grep -cEz '[^a]^'\n";
  for (const char* pattern : {"[^a]^", "^[^b]", "b$", "^b", "$[^a]", "[[:lower:]]$[^x]", "(^|b)a",
                              "[^x]^b|^$", "(b)\\1|a$"}) {
    for (const char* options : {"-c", "-cx", "-cw", "-on", "-ci"}) {
      scripts += std::string("printf 'a\\nb\\0b\\n\\0\\nb\\n' | grep -zE ") + options + " '" +
                 pattern + "'\n";
    }
  }
  grep.ExpectSameForEach(scripts);
}

TEST_F(GrepEngines, AlternativesThatBeginAlikeMatchInTheCLocale) {
  grep.ExpectSameForEach(R"sh(
printf '\n\341\n' | LC_ALL=C grep -ac $'\341\\|\341'
printf 'a\341\n' | LC_ALL=C grep -ac $'\341a\\|\341'
printf 'x\303\251b\n' | LC_ALL=C grep -aoE $'x\303\251a|x\303\251b'
)sh");
}

TEST_F(GrepEngines, TheCandidateFinderLosesNothing) {
  std::string text = "Iab Kbsi\n";
  for (int i = 0; i < 10'000; ++i) text += "ek,K- i0\n";
  text += "1bA{b .11ac{B.1.cbxx{b b1xa 1\nx\n";
  grep.files().Write("big", text);
  grep.files().Write("nul", std::string("\0b\n", 3));
  grep.ExpectSameForEach(R"sh(
grep -c -E 'i($|k{3})?' big
grep -c -P 'i($|k{3})?' big
grep -n -E '^b*x' big
grep -l b nul
grep -L b nul
grep -q b nul
LC_ALL=C grep -lr b .
)sh",
                         GrepComparison::Order::kAnyLineOrder);
}

TEST_F(GrepEngines, ALineThatIsNoTextLeavesAGapInTheContext) {
  std::string scripts;
  for (const char* text : {R"(\303\n\303\na\n)", R"(a\n\303\nb\n)", R"(a\n\303\n\303\nb\n)",
                           R"(a\n\303\nb\nc\n)", R"(\342\n\204\n\n)"}) {
    for (const char* options : {"-2 ''", "-B0 ''", "-A1 ''", "-A0 ''", "-B1 ''", "-vA1 x",
                                "-nA1 ''", "-A2 a", "-B1 '[abc]'"}) {
      scripts += std::string("printf '") + text + "' | grep " + options + "\n";
    }
  }
  grep.ExpectSameForEach(scripts);
}

// Small blocks hold nothing of what stands before them.
TEST_F(GrepEngines, AGapInTheContextIsTheSameWhereverBlocksEnd) {
  std::string text = "\303\na\nb\n\303\n";
  for (int i = 0; i < 20; ++i) {
    for (int line = 0; line < 600 * i; ++line) text += std::to_string(i) + "\n";
    text += i % 3 == 0 ? "a\n\nx\n\303\nq\n" : "\303\n\303\nx\n";
  }
  grep.files().Write("f", text);
  for (const char* options : {"-A1", "-nA2", "-nC1", "-nA3 -B1", "-nB2", "-nA20", "-nC400"}) {
    for (const char* pattern :
         {"'a\\|.*'", "a", "'[^0-9x]'", "-v '[0-9x]'", "-v '[0-9xa]'", "-v q"}) {
      const std::string script = std::string("grep ") + options + " " + pattern + " f";
      const ScriptResult whole = grep.RunOurs(script, "--io=read:buffer=16M");
      for (const char* mode : {"--io=read:buffer=4K", "--io=read:buffer=5000 -j2",
                               "--io=read:buffer=64K -j1", "--io=read:buffer=100"}) {
        EXPECT_EQ(grep.RunOurs(script, mode), whole) << script << " " << mode;
      }
    }
  }
  // Within what GNU grep has in its buffer, too, it is the same.
  grep.files().Write("f", "x\n\303\na\n\nx\n\nq\n\303\nx\n\n\303\na\n");
  grep.ExpectSameForEach(R"sh(
grep -nA1 '^[^x]' f
grep -nA2 'a\|[^qx]' f
grep -nC1 '[^qx]' f
grep -nA9 -e a -e '[^x]' f
grep -nvA1 '[qx]' f
)sh");
}

TEST_F(GrepEngines, ALastLineWithoutAnEndIsSearchedByItself) {
  std::string scripts;
  for (const char* text : {R"(a\n\303\nb)", R"(\n\302\n\331)", R"(a\n\303\n\303\nb)",
                           R"(a\n\n\n.\342)", R"(a\n\n\n.\342\n)", R"(\n\303\nb\n)"}) {
    for (const char* options :
         {"-vA1 q", "-vC1 q", "-vxA1 q", "-A1 '[^x]'", "-A2 '[^x]'", "-C1 '[^x]'", "-vnB1 q"}) {
      scripts += std::string("printf '") + text + "' >last; grep " + options + " last\n";
    }
  }
  grep.ExpectSameForEach(scripts);
}

TEST_F(GrepEngines, AFileWithoutMatchForItsNulsIsNoGroup) {
  grep.files().Write("nul", std::string("\0", 1));
  grep.files().Write("text", "B\n");
  grep.ExpectSameForEach(R"sh(
grep -A0 -I '' nul text
grep -A0 '' nul text
)sh");
}

// Locales that the machine may lack are made from their sources.
class GrepLocales : public ::testing::Test {
 protected:
  bool Make(const std::string& language, const std::string& charset) {
    const std::string name = language + "." + charset;
    const auto locales = grep.files().path() / "locales";
    environment_ = "unset LC_ALL; export LOCPATH=" + locales.string() + " LC_CTYPE=" + name + "; ";
    if (MakeLocale(locales, language, charset)) return true;
    std::cout << "no sources for the locale " << name << " (package locales)\n";
    return false;
  }

  // Every pattern with every set of options, over the file f.
  void Compare(const std::vector<std::string>& patterns, const std::vector<std::string>& options) {
    std::string script = environment_;
    for (const auto& pattern : patterns) {
      for (const auto& option : options) {
        script += "echo \"== " + option + " \"$'" + pattern + "'; grep " + option + " -e $'" +
                  pattern + "' f; ";
      }
    }
    grep.ExpectSame(script);
  }

  GrepComparison grep;
  std::string environment_;
};

TEST_F(GrepLocales, EightBitCharactersHaveClassesCaseAndWords) {
  if (!Make("en_US", "ISO-8859-1")) return;
  grep.files().Write("f",
                     "e\n\xe9\n\xc9\n\xff\n\xdf\n\xb5\n\xe9"
                     "a\na\xe9\nx \xe9\n\xd7\n\xaa\n\xa0\nx\xa0y\n");
  Compare(
      {"\\xe9",       ".",           "^.$",          "[[:alpha:]]", "[[:upper:]]", "[[:lower:]]",
       "\\\\w",       "\\\\W",       "[^[:alpha:]]", "\\\\<a",      "a\\\\>",      "\\\\s",
       "\\\\S",       "[0-9]",       "\\xe9\\\\|e",  "\\\\be",      "[[.\\xe9.]]", "[[:space:]]",
       "[[:punct:]]", "[[:print:]]", "x.y",          "[^\\xe9]",    "\\xc9"},
      {"-n", "-in", "-wn", "-xn", "-on", "-inw", "-vn", "-c", "-iow", "-E", "-nF", "-inF", "-nP",
       "-inP", "-onP"});
}

TEST_F(GrepLocales, BytesThatAreNoCharactersStandBesideRanges) {
  if (!Make("en_US", "UTF-8")) return;
  grep.files().Write("f", "\u00e9\n\xa0\nx\xa0y\n\xc3\n5\n");
  std::string script = environment_ + "export LC_ALL=en_US.UTF-8; ";
  for (const char* pattern : {"[\\xa0\u00e9-\u00fc]", "[^\\xa0\u00e9-\u00fc]",
                              "[\\xc3\u00e9-\u00fc]", "[\\xa0\u00e9-\u00fc\\xc3]",
                              "[\\xa0[:digit:]\u00e9-\u00fc]", "[\u00e9-\u00fc[:digit:]-]"}) {
    script += std::string("grep -an -e $'") + pattern + "' f; ";
  }
  grep.ExpectSame(script);
}

TEST_F(GrepLocales, TurkishFoldsItsOwnLetters) {
  if (!Make("tr_TR", "UTF-8")) return;
  grep.files().Write("f", "i\nI\n\u0131\n\u0130\nk\nK\nisi\nIsI\n\u0130S\u0130\n\u0131s\u0131\n");
  Compare({"i", "I", "\u0131", "\u0130", "[i]", "[I]", "isi", "ISI", "\\\\(i\\\\)s\\\\1", "i.i",
           "\\\\w"},
          {"-n", "-in", "-iF", "-ix", "-io", "-iw"});
  Compare({"i", "I", "[i]", "isi"}, {"-P", "-iP"});
}

TEST_F(GrepLocales, OtherMultibyteCharactersAreTheCLibrarys) {
  if (!Make("ja_JP", "EUC-JP")) return;
  grep.files().Write("f",
                     "a\n\xa4\xa2\n\xa4\xa2\xa4\xa4\n\xa2\xa4\n\xa4\nx\xa4\xa2y\n\x8f\xa2\xaf\n");
  Compare(
      {"a", ".", "^.$", "^..$", "\\xa4\\xa2", "\\xa2\\xa4", "[\\xa4\\xa2]", "[^\\xa4\\xa2]",
       "\\\\w", "x.y", "\\xa4\\xa2*", "[[:alpha:]]"},
      {"-n", "-in", "-F", "-iF", "-x", "-o", "-io", "-iw", "-w", "-c", "-v", "-E", "-a", "-ao"});
}

TEST_F(GrepLocales, WhatIsNotInstalledIsBytes) {
  grep.files().Write("f", "\u00e4\n\u00c4\n");
  grep.ExpectSameForEach(R"sh(
LC_ALL=xx_YY.UTF-8 grep -c '^..$' f
LC_ALL=xx_YY.UTF-8 grep -ci ä f
unset LC_ALL; LANG=xx_YY.UTF-8 grep -c '^..$' f
unset LC_ALL; LC_CTYPE=C LANG=C.UTF-8 grep -c '^..$' f
unset LC_ALL; LANG=C.UTF-8 grep -c '^.$' f
LC_ALL= LC_CTYPE= LANG=C.UTF-8 grep -c '^.$' f
LC_ALL=POSIX grep -c '^..$' f
LC_ALL=C.utf8 grep -c '^.$' f
)sh");
}

}  // namespace
}  // namespace mr::test
