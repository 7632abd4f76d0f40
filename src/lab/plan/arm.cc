#include "lab/plan/arm.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

namespace mr::lab {
namespace {

constexpr std::string_view kShell = "/bin/sh";

enum class Quote { kNone, kSingle, kDouble };

// Characters that mean something to a shell outside quotes.
bool IsShellCharacter(char c) {
  return std::string_view("|&;<>()$`*?[]#~{}!\n").find(c) != std::string_view::npos;
}

// `value` as shell text that stands for itself within the given kind of quotes.
std::string ShellText(std::string_view value, Quote quote) {
  std::string text;
  for (const char c : value) {
    if (quote != Quote::kDouble && c == '\'') {
      text += "'\\''";
    } else {
      if (quote == Quote::kDouble && std::string_view("\\\"$`").find(c) != std::string_view::npos) {
        text += '\\';
      }
      text += c;
    }
  }
  return quote == Quote::kNone ? "'" + text + "'" : text;
}

// Reads a command once and keeps two readings of it: as words to execute, and as text for a shell.
class CommandReader {
 public:
  CommandReader(const Arm& arm, std::string_view pattern, std::string_view file)
      : arm_(arm), pattern_(pattern), file_(file) {}

  std::vector<std::string> Read() {
    std::string_view rest = arm_.command;
    while (!rest.empty()) {
      if (Placeholder(rest, "{pattern}", pattern_) || Placeholder(rest, "{file}", file_)) continue;
      Character(rest);
    }
    if (quote_ != Quote::kNone) {
      throw ArmError(fmt::format("arm {}: unfinished quote in '{}'", arm_.name, arm_.command));
    }
    EndWord();
    if (needs_shell_) return {std::string(kShell), "-c", shell_text_};
    return std::move(words_);
  }

 private:
  bool Placeholder(std::string_view& rest, std::string_view name, std::string_view value) {
    if (!rest.starts_with(name)) return false;
    rest.remove_prefix(name.size());
    shell_text_ += ShellText(value, quote_);
    Add(value);
    return true;
  }

  void Character(std::string_view& rest) {
    const char c = rest.front();
    rest.remove_prefix(1);
    shell_text_ += c;
    if (quote_ == Quote::kSingle) {
      if (c == '\'') {
        quote_ = Quote::kNone;
      } else {
        Add({&c, 1});
      }
      return;
    }
    if (c == '\\' && !rest.empty()) {
      Escaped(rest);
    } else if (c == '"') {
      quote_ = quote_ == Quote::kDouble ? Quote::kNone : Quote::kDouble;
      in_word_ = true;
    } else if (quote_ == Quote::kDouble) {
      if (c == '$' || c == '`') needs_shell_ = true;
      Add({&c, 1});
    } else if (c == '\'') {
      quote_ = Quote::kSingle;
      in_word_ = true;
    } else if (c == ' ' || c == '\t') {
      EndWord();
    } else {
      // A first word with an equals sign is an assignment: LC_ALL=C grep ...
      if (IsShellCharacter(c) || (c == '=' && words_.empty())) needs_shell_ = true;
      Add({&c, 1});
    }
  }

  void Escaped(std::string_view& rest) {
    const char c = rest.front();
    rest.remove_prefix(1);
    shell_text_ += c;
    const bool literal =
        quote_ == Quote::kDouble && std::string_view("\\\"$`").find(c) == std::string_view::npos;
    if (literal) Add("\\");
    Add({&c, 1});
  }

  void Add(std::string_view text) {
    word_ += text;
    in_word_ = true;
  }

  void EndWord() {
    if (in_word_) words_.push_back(std::exchange(word_, {}));
    in_word_ = false;
  }

  const Arm& arm_;
  std::string_view pattern_;
  std::string_view file_;
  Quote quote_ = Quote::kNone;
  bool in_word_ = false;
  bool needs_shell_ = false;
  std::string word_;
  std::vector<std::string> words_;
  std::string shell_text_;
};

bool IsExecutable(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> FindInPath(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return IsExecutable(name) ? std::optional(name) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::string_view directory = rest.substr(0, colon);
    std::string candidate = directory.empty() ? name : fmt::format("{}/{}", directory, name);
    if (IsExecutable(candidate)) return candidate;
    if (colon == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(colon + 1);
  }
}

[[noreturn]] void ThrowMissing(const Arm& arm, const std::string& program) {
  std::error_code error;
  if (program.find('/') != std::string::npos && std::filesystem::exists(program, error)) {
    throw ArmError(fmt::format("arm {}: {}: not an executable file", arm.name, program));
  }
  throw ArmError(fmt::format("arm {}: {}: command not found", arm.name, program));
}

// The first word of a shell command that is not an assignment, when it is made of nothing but
// characters that cannot have another meaning there.
std::optional<std::string> PlainCommandName(std::string_view shell_text) {
  while (true) {
    const std::size_t begin = shell_text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return std::nullopt;
    const std::string_view word =
        shell_text.substr(begin, shell_text.find_first_of(" \t", begin) - begin);
    shell_text.remove_prefix(begin + word.size());
    for (const char c : word) {
      if (IsShellCharacter(c) || c == '\'' || c == '"' || c == '\\') return std::nullopt;
    }
    if (word.find('=') == std::string_view::npos) return std::string(word);
  }
}

// What POSIX lets a shell command begin with besides programs, as far as it makes sense here.
bool IsShellWord(std::string_view word) {
  static constexpr std::array kWords = {
      "cd",     "exec",  "for",    "if",      "while", "until", "case", "set",  "eval",  "trap",
      "ulimit", "umask", "export", "command", "exit",  ".",     ":",    "read", "unset", "wait"};
  for (const std::string_view known : kWords) {
    if (word == known) return true;
  }
  return false;
}

}  // namespace

std::string FindMrgrep() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const std::string sibling = self.parent_path() / "mrgrep";
    if (IsExecutable(sibling)) return sibling;
  }
  return "mrgrep";
}

std::vector<Arm> DefaultArms(const std::string& mrgrep) {
  const std::string program = ShellText(mrgrep, Quote::kNone);
  return {{"mmap", program + " --mmap -e {pattern} {file}"},
          {"read", program + " --read -e {pattern} {file}"}};
}

Arm ParseArm(std::string_view text, const std::string& mrgrep) {
  const std::size_t equals = text.find('=');
  const std::string name(text.substr(0, equals));
  if (name.empty()) throw ArmError(fmt::format("--arm '{}': an arm needs a name", text));
  if (equals == std::string_view::npos) {
    for (const Arm& arm : DefaultArms(mrgrep)) {
      if (name == arm.name || name == arm.name.substr(0, 1)) return arm;
    }
    throw ArmError(fmt::format(
        "--arm '{}': not a known arm (mmap, read); write NAME='COMMAND {{pattern}} {{file}}'",
        name));
  }
  Arm arm{name, std::string(text.substr(equals + 1))};
  if (arm.command.find_first_not_of(" \t\n") == std::string::npos) {
    throw ArmError(fmt::format("arm {}: its command is empty", name));
  }
  if (arm.command.find("{file}") == std::string::npos) {
    throw ArmError(fmt::format("arm {}: its command does not say where the {{file}} goes", name));
  }
  return arm;
}

std::vector<std::string> ExpandCommand(const Arm& arm, std::string_view pattern,
                                       std::string_view file) {
  return CommandReader(arm, pattern, file).Read();
}

std::string CheckProgram(const Arm& arm, const std::vector<std::string>& arguments) {
  const std::optional<std::string> program = FindInPath(arguments.front());
  if (!program) ThrowMissing(arm, arguments.front());
  if (arguments.front() == kShell && arguments.size() == 3) {
    const std::optional<std::string> name = PlainCommandName(arguments.back());
    if (name && !IsShellWord(*name) && !FindInPath(*name)) ThrowMissing(arm, *name);
  }
  return *program;
}

}  // namespace mr::lab
