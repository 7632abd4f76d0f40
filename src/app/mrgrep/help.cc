#include "app/mrgrep/help.h"

#include <fmt/format.h>

namespace mr::app {
namespace {

constexpr std::string_view kUsage = "Usage: {} [OPTION]... PATTERNS [FILE]...\n";

constexpr std::string_view kOptions =
    R"(Print the lines of each FILE that match one of PATTERNS, which newlines separate.

Patterns:
  -G, --basic-regexp         PATTERNS are basic regular expressions (the default)
  -E, --extended-regexp      PATTERNS are extended regular expressions
  -F, --fixed-strings        PATTERNS are plain strings
  -P, --perl-regexp          PATTERNS is one Perl regular expression
  -e, --regexp=PATTERNS      search for PATTERNS; may be given many times
  -f, --file=FILE            read patterns from FILE, one a line; - is standard input
  -i, --ignore-case          upper and lower case are the same
      --no-ignore-case       they are not (the default)
  -w, --word-regexp          match whole words only
  -x, --line-regexp          match whole lines only
  -z, --null-data            lines end in a zero byte instead of a newline

Output:
  -v, --invert-match         print the lines that do not match
  -m, --max-count=NUM        stop reading a file after NUM selected lines
  -b, --byte-offset          print the byte offset of each line
  -n, --line-number          print the number of each line
  -H, --with-filename        print the file name with each line
  -h, --no-filename          do not print file names
      --label=LABEL          print LABEL as the name of standard input
  -o, --only-matching        print only the matching parts, one a line
  -q, --quiet, --silent      print nothing; stop at the first match
  -c, --count                print the number of selected lines of each file
  -l, --files-with-matches   print the names of files with selected lines
  -L, --files-without-match  print the names of files without selected lines
  -T, --initial-tab          align the text after prefixes to tab stops
  -Z, --null                 print a zero byte after file names
      --color[=WHEN], --colour[=WHEN]
                             mark matches with colour: always, never or auto
      --line-buffered        write out every line at once
  -s, --no-messages          no messages about files that cannot be read

Context:
  -B, --before-context=NUM   print NUM lines before each match
  -A, --after-context=NUM    print NUM lines after each match
  -C, --context=NUM, -NUM    print NUM lines before and after
      --group-separator=SEP  print SEP between groups of lines
      --no-group-separator   print nothing between them

Files:
  -r, --recursive            search directories, in path order
  -R, --dereference-recursive
                             likewise, following every symbolic link
  -d, --directories=ACTION   read, recurse or skip directories
  -D, --devices=ACTION       read or skip devices, FIFOs and sockets
      --include=GLOB         search only files whose name matches GLOB
      --exclude=GLOB         skip files whose name matches GLOB
      --exclude-from=FILE    skip files that match a glob in FILE
      --exclude-dir=GLOB     skip directories that match GLOB
  -a, --text                 take binary files for text
  -I                         take binary files for files without a match
      --binary-files=TYPE    binary, text or without-match
  -U, --binary               no effect on this system

Reading:
      --mmap                 map files into memory; same as --io=mmap
      --read, --no-mmap      read files into buffers; same as --io=read
      --io=MODE[:OPTION,...] auto (the default), read:buffer=SIZE,
                             mmap:window=SIZE,populate,advice=ADVICE,
                             direct:buffer=SIZE,depth=N,
                             uring:buffer=SIZE,depth=N,direct
      --cache=POLICY         what becomes of the page cache: normal, keep
                             (displace nothing) or drop (leave no trace)
  -j, --threads=N            search with N threads; by default one for each processor
      --stats[=FORMAT]       report what was read and how, on standard error:
                             text or json
      --sort[=path]          print files in path order, as always
      --no-progress          no line on the terminal that tells how far a long
                             search has come
      --debug                say which engine was chosen and why, and for each
                             file how it is read

  -V, --version              print the version and exit
      --help                 print this text and exit

FILE - is standard input. Without FILE, -r searches the current directory,
otherwise standard input is searched. The exit status is 0 when a line was
selected, 1 when none was, and 2 after an error (but 0 with -q and a match).
)";

}  // namespace

std::string UsageHint(std::string_view program_name) {
  return fmt::format(fmt::runtime(kUsage), program_name) +
         fmt::format("Try '{} --help' for more information.\n", program_name);
}

std::string HelpText(std::string_view program_name) {
  return fmt::format(fmt::runtime(kUsage), program_name).append(kOptions);
}

std::string VersionText(std::string_view program_name) {
  constexpr std::string_view kGnuVersion = "3.11";
  if (program_name == "mrgrep") {
    return fmt::format("mrgrep {} (options and output of GNU grep {})\n", MRGREP_VERSION,
                       kGnuVersion);
  }
  return fmt::format("{} (mrgrep, compatible with GNU grep) {}\nThis is mrgrep {}.\n", program_name,
                     kGnuVersion, MRGREP_VERSION);
}

}  // namespace mr::app
