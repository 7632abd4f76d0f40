// Prose: paragraphs of sentences, wrapped at about 72 columns. And lists of words.
#include <cstring>
#include <string>
#include <vector>

#include "lab/data/lines.h"
#include "lab/data/pieces.h"
#include "lab/data/vocabulary.h"

namespace mr::lab {
namespace {

// The capital of the letter that a word begins with, in place: ASCII or basic Cyrillic.
void Capitalize(char* word) {
  const auto first = static_cast<unsigned char>(word[0]);
  const auto second = static_cast<unsigned char>(word[1]);
  if (first < 0x80) {
    word[0] = static_cast<char>(first & ~0x20u);
  } else if (first == 0xD0) {  // а to п, U+0430 to U+043F; capitals are 0x20 below
    word[1] = static_cast<char>(second - 0x20);
  } else if (first == 0xD1 && second < 0x90) {  // р to я, U+0440 to U+044F
    word[0] = static_cast<char>(0xD0);
    word[1] = static_cast<char>(second + 0x20);
  }
}

// Phrases of one to three words, drawn as the words of a text would be: a text of ready phrases
// has the word frequencies of one that was drawn word by word, in a third of the time.
std::vector<std::string> Phrases(const std::vector<std::string>& words, std::size_t count) {
  const SkewedIndex index(ZipfWeights(words.size()));
  Random random(count);
  std::vector<std::string> phrases;
  while (phrases.size() < count) {
    std::string phrase = words[index.Pick(Next32(random))];
    for (int more = 0; more < 2; ++more) {
      const std::string& word = words[index.Pick(Next32(random))];
      if (phrase.size() + 1 + word.size() >= kPieceBytes) break;
      phrase += ' ';
      phrase += word;
    }
    phrases.push_back(std::move(phrase));
  }
  return phrases;
}

class ProseLines final : public LineMaker {
 public:
  explicit ProseLines(bool cyrillic)
      : phrases_(PieceTable::Uniform(
            Phrases(cyrillic ? RussianWords(kWords) : EnglishWords(kWords), kPhrases))),
        width_bytes_(cyrillic ? 108 : 60) {}

  void Start(Random random, std::uint64_t, std::uint64_t) override {
    random_ = random;
    between_paragraphs_ = false;
    phrases_left_ = SentencePhrases(Next32(random_));
    sentence_begins_ = true;
  }

  char* Line(char* out, Place* place) override {
    place->offset = 0;
    if (between_paragraphs_) {
      between_paragraphs_ = false;
      place->length = 0;
      *out = '\n';
      return out + 1;
    }
    char* end = out;
    // Locals, since stores of characters could alias members.
    Random random = random_;
    std::uint32_t phrases_left = phrases_left_;
    bool capital = sentence_begins_;
    const std::ptrdiff_t width_bytes = width_bytes_;
    // The last phrase may stand out: a ragged edge needs no look ahead.
    while (end - out < width_bytes) {
      const std::uint64_t bits = random.Next();
      char* const phrase = end;
      end = Append(end, phrases_.Pick(static_cast<std::uint32_t>(bits)));
      if (capital) Capitalize(phrase);
      capital = false;
      const auto fate = static_cast<std::uint32_t>(bits >> 32);
      if (--phrases_left == 0) {
        *end++ = (fate & 0xF) == 0 ? '?' : '.';
        phrases_left = SentencePhrases(Next32(random));
        capital = true;
        if (fate >> 29 == 0) {  // every eighth sentence ends its paragraph
          between_paragraphs_ = true;
          ++end;
          break;
        }
      } else if (fate < 0x30000000) {
        *end++ = ',';
      }
      *end++ = ' ';
    }
    random_ = random;
    phrases_left_ = phrases_left;
    sentence_begins_ = capital;
    end[-1] = '\n';
    place->length = static_cast<std::uint32_t>(end - out - 1);
    return end;
  }

 private:
  static constexpr std::size_t kWords = 4096;
  static constexpr std::size_t kPhrases = 8192;

  // 2 to 9, the middle more often: two dice. About 15 words.
  static std::uint32_t SentencePhrases(std::uint32_t bits) {
    return 2 + (bits >> 30) + (bits >> 28 & 3) + (bits >> 27 & 1);
  }

  const PieceTable phrases_;
  const std::ptrdiff_t width_bytes_;
  Random random_{0};
  bool between_paragraphs_ = false;
  bool sentence_begins_ = true;
  std::uint32_t phrases_left_ = 0;
};

// A word on each line: one or two parts of one to three syllables, 17 million different words.
class WordLines final : public LineMaker {
 public:
  WordLines() {
    constexpr const char* kOnsets[] = {"b", "c", "d", "f", "g", "h", "l",  "m",  "n",  "p",
                                       "r", "s", "t", "v", "w", "k", "st", "pr", "ch", "tr"};
    constexpr const char* kVowels[] = {"a", "e", "i", "o", "u", "ea", "ou", "y"};
    constexpr const char* kCodas[] = {"", "n", "r", "s", "l", "t", "m", "nd"};
    Random random(kParts);
    for (Part& part : parts_) {
      std::string text = kOnsets[random.Below(20)];
      text += kVowels[random.Below(8)];
      for (std::uint32_t more = random.Below(3); more > 0; --more) {
        text += kOnsets[random.Below(16)];
        text += kVowels[random.Below(5)];
      }
      text += kCodas[random.Below(8)];
      part.length = static_cast<std::uint32_t>(text.size());
      text.resize(sizeof(part.bytes));
      std::memcpy(part.bytes, text.data(), sizeof(part.bytes));
    }
  }

  void Start(Random random, std::uint64_t, std::uint64_t) override { random_ = random; }

  char* Line(char* out, Place* place) override {
    const std::uint64_t bits = random_.Next();
    const Part& first = parts_[bits >> 52];
    const Part& second = parts_[bits >> 40 & (kParts - 1)];
    std::memcpy(out, first.bytes, sizeof(first.bytes));
    std::memcpy(out + first.length, second.bytes, sizeof(second.bytes));
    // Three of four words have a second part; which of them is no branch.
    const std::uint32_t length = first.length + second.length * ((bits & 3) != 0 ? 1 : 0);
    out[length] = '\n';
    *place = {0, length};
    return out + length + 1;
  }

 private:
  static constexpr std::size_t kParts = 4096;
  struct Part {
    char bytes[12];
    std::uint32_t length;
  };

  Part parts_[kParts];
  Random random_{0};
};

}  // namespace

std::unique_ptr<LineMaker> MakeProseLines(bool cyrillic) {
  return std::make_unique<ProseLines>(cyrillic);
}

std::unique_ptr<LineMaker> MakeWordLines() { return std::make_unique<WordLines>(); }

}  // namespace mr::lab
