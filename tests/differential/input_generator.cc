#include "differential/input_generator.h"

#include <algorithm>

namespace differential {
namespace {

std::string Words(Random& random, Alphabet alphabet) {
  std::string words;
  const std::size_t count = random.Below(12);
  for (std::size_t i = 0; i < count; ++i) {
    words += random.Chance(20) ? std::string(1, " \t_-.,"[random.Below(6)])
                               : RandomCharacter(random, alphabet);
  }
  return words;
}

std::string Line(Random& random, Alphabet alphabet, const std::vector<std::string>& likely) {
  if (likely.empty() || random.Chance(30)) return Words(random, alphabet);
  std::string text = random.Pick(likely);
  switch (random.Below(6)) {
    case 0:
      break;
    case 1:
      if (!text.empty()) text.erase(random.Below(text.size()), 1);
      break;
    case 2:
      text += random.Pick(likely);
      break;
    case 3:
      // The other case, for -i.
      for (char& byte : text) {
        if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')) {
          byte = static_cast<char>(byte ^ 0x20);
        }
      }
      break;
    case 4:
      text = " " + text + " ";
      break;
    default:
      text = Words(random, alphabet) + text + Words(random, alphabet);
      break;
  }
  return text;
}

// Overwrites or inserts one byte somewhere.
void Insert(Random& random, std::string& bytes, char byte) {
  const std::size_t at = random.Below(bytes.size() + 1);
  if (at < bytes.size() && random.Chance(30)) {
    bytes[at] = byte;
  } else {
    bytes.insert(at, 1, byte);
  }
}

}  // namespace

std::string MakeContents(Random& random, Alphabet alphabet,
                         const std::vector<std::string>& likely) {
  if (random.Chance(4)) return {};
  const std::string line_end = random.Chance(6) ? "\r\n" : "\n";
  std::string bytes;
  const std::size_t lines = 1 + random.Below(random.Chance(20) ? 40 : 8);
  for (std::size_t i = 0; i < lines; ++i) {
    std::string line = Line(random, alphabet, likely);
    // A line of the file is one line, whatever the pattern's text was.
    std::replace(line.begin(), line.end(), '\n', ' ');
    bytes += line + line_end;
  }
  if (random.Chance(2)) {
    std::string line = Line(random, alphabet, likely);
    line.insert(random.Below(line.size() + 1), std::string(5000 + random.Below(9000), 'q'));
    bytes += line + line_end;
  }
  if (random.Chance(2)) {
    // Beyond one read of GNU grep, with something to find on either side of its border.
    const std::string filler = Line(random, alphabet, {}) + line_end;
    const std::size_t target = 90'000 + random.Below(220'000);
    const std::string head = bytes;
    while (bytes.size() < target) bytes += filler;
    bytes += head;
  }
  if (random.Chance(8)) {
    const std::size_t count = 1 + random.Below(3);
    for (std::size_t i = 0; i < count; ++i) Insert(random, bytes, '\0');
  }
  if (random.Chance(8)) {
    const std::size_t count = 1 + random.Below(3);
    for (std::size_t i = 0; i < count; ++i)
      Insert(random, bytes, "\xff\x80\xc3\xe2\xf0"[random.Below(5)]);
  }
  if (random.Chance(25) && bytes.ends_with('\n')) bytes.pop_back();
  return bytes;
}

}  // namespace differential
