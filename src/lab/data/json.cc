// One line of minified JSON: an array of objects. Each chunk holds whole elements, and the file as
// a whole is valid JSON.
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "lab/data/lines.h"
#include "lab/data/pieces.h"
#include "lab/data/vocabulary.h"

namespace mr::lab {
namespace {

std::vector<std::string> Decimals(std::size_t count, std::uint64_t bound) {
  Random random(bound);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(std::to_string(random.Below(bound)));
  return texts;
}

class JsonElements final : public LineMaker {
 public:
  void Start(Random random, std::uint64_t chunk_index, std::uint64_t bytes_after) override {
    random_ = random;
    first_ = chunk_index == 0;
    // The end of the array may fall into a last chunk of a byte or two.
    end_ = bytes_after == 0 ? "]\n" : bytes_after == 1 ? "]" : bytes_after == 2 ? "" : ",";
  }

  char* Line(char* out, Place* place) override {
    char* end = out;
    if (first_) *end++ = '[';
    first_ = false;
    end = head_.Render(end, random_);
    place->offset = static_cast<std::uint32_t>(end - out);
    end = text_.Render(end, random_);
    place->length = static_cast<std::uint32_t>(end - out) - place->offset;
    return tail_.Render(end, random_);
  }

  // Finish() must be able to end the array.
  bool Fits(std::size_t bytes, std::size_t room) const override {
    return bytes + kEndBytes <= room;
  }

  void Finish(char* out, std::size_t room, const char* cut) override {
    std::memset(out, ' ', room);
    const std::size_t end_bytes = std::min(room, end_.size());
    std::memcpy(out + room - end_bytes, end_.data() + end_.size() - end_bytes, end_bytes);
    room -= end_bytes;
    if (cut[0] == '[' && room > 0) {
      *out++ = '[';
      --room;
    }
    // All elements so far have a comma behind them, so one more must follow: padding, or a zero.
    constexpr std::string_view kPad = "{\"padding\":\"\"}";
    if (room >= kPad.size()) {
      std::memset(out, 'x', room);
      std::memcpy(out, kPad.data(), kPad.size() - 2);
      std::memcpy(out + room - 2, kPad.data() + kPad.size() - 2, 2);
    } else if (room > 0) {
      out[room - 1] = '0';
    }
  }

 private:
  static constexpr std::size_t kEndBytes = 3;  // "0]\n"

  const PieceTable* Find(char letter) const {
    switch (letter) {
      case 'w':
        return &words_;
      case 'd':
        return &numbers_;
      case 'i':
        return &ids_;
      default:
        return &booleans_;
    }
  }
  LineTemplate Template(std::string_view pattern) const {
    return LineTemplate(pattern, [this](char letter) { return Find(letter); });
  }

  const PieceTable words_ = PieceTable::Zipf(EnglishWords(4096));
  const PieceTable numbers_ = PieceTable::Uniform(Decimals(1024, 1000));
  const PieceTable ids_ = PieceTable::Uniform(Decimals(8192, 1'000'000'000));
  const PieceTable booleans_ = PieceTable::Uniform({"true", "false"});
  const LineTemplate head_ = Template(
      "{\"id\":%i,\"user\":\"%w.%w\",\"email\":\"%w%d@%w.example\",\"active\":%b,"
      "\"balance\":%d.%d,\"tags\":[\"%w\",\"%w\",\"%w\"],\"text\":\"");
  const LineTemplate text_ = Template("%w %w %w %w %w %w %w %w");
  const LineTemplate tail_ = Template("\",\"at\":{\"lat\":%d.%i,\"lon\":-%d.%i},\"next\":null},");
  Random random_{0};
  bool first_ = false;
  std::string_view end_;
};

}  // namespace

std::unique_ptr<LineMaker> MakeJsonElements() { return std::make_unique<JsonElements>(); }

}  // namespace mr::lab
