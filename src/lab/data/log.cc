// Log lines: time stamp, level, host, program, message.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "lab/data/lines.h"
#include "lab/data/pieces.h"
#include "lab/data/vocabulary.h"

namespace mr::lab {
namespace {

// Days since 1970-01-01 to year, month and day: after Hinnant, "chrono-Compatible Low-Level Date
// Algorithms", civil_from_days, for days >= 0.
struct Date {
  std::uint32_t year, month, day;
};
Date DateOf(std::uint64_t days) {
  const std::uint64_t shifted = days + 719468;
  const std::uint64_t era = shifted / 146097;
  const std::uint64_t day_of_era = shifted % 146097;
  const std::uint64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::uint64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::uint64_t month = (5 * day_of_year + 2) / 153;  // from March
  return {static_cast<std::uint32_t>(year_of_era + era * 400 + (month < 10 ? 0 : 1)),
          static_cast<std::uint32_t>(month < 10 ? month + 3 : month - 9),
          static_cast<std::uint32_t>(day_of_year - (153 * month + 2) / 5 + 1)};
}

void PutDigits(char* out, std::uint32_t value, int digits) {
  for (int i = digits - 1; i >= 0; --i, value /= 10) out[i] = static_cast<char>('0' + value % 10);
}

// Time goes on from line to line and from chunk to chunk: chunk i begins at i x kChunkMicros,
// and its lines cannot take longer than that.
constexpr std::uint64_t kEpochSeconds = 1709251200;  // 2024-03-01
constexpr std::uint64_t kChunkMicros = 6'000'000;
constexpr std::uint32_t kMaxStepMicros = 1400;  // 256 KiB hold less than 4285 lines of 62 bytes

struct Message {
  std::uint64_t weight;
  const char* pattern;
};

// %w word, %d number, %h four hexadecimal digits, %m method, %p path element,
// %s status, %t three digits, %u user, %v version
constexpr Message kMessages[] = {
    {200, "INFO  %n gateway[%d]: %m /api/v1/%p/%d status=%s bytes=%d time=%d.%tms id=%h%h%h%h"},
    {80,
     "INFO  %n gateway[%d]: %m /api/v2/%p/%d/%p status=%s bytes=%d time=%d.%tms id=%h%h%h%h "
     "agent=\"Mozilla/5.0 (X11; Linux x86_64; rv:%v.0) Gecko/20100101 Firefox/%v.0\""},
    {120, "DEBUG %n cache[%d]: hit key=%p:%d:%h%h age=%ds size=%d shard=%d of 16, owner %u"},
    {60, "INFO  %n auth[%d]: session %h%h-%h-%h opened for user %u from 10.%d.%d.%d port %d"},
    {60,
     "DEBUG %n db[%d]: select * from %p where %w_id = %d and %w > %d limit 100 -- rows=%d %d.%tms"},
    {50,
     "INFO  %n worker[%d]: job %h%h%h%h finished queue=%w attempts=%d elapsed=%d.%ts result=ok"},
    {16,
     "WARN  %n gateway[%d]: slow request %m /api/v1/%p/%d took %d%tms id=%h%h%h%h upstream=%w-%d"},
    {6, "INFO  %n kernel: [%d.%t%t] %w%d: link is up, %d Mbps, full duplex, flow control %w"},
    {40,
     "INFO  %n worker[%d]: {\"event\":\"%w.%w\",\"order\":%d,\"user\":\"%u\",\"amount\":%d.%d,"
     "\"items\":[%d,%d,%d],\"trace\":\"%h%h%h%h%h%h%h%h\"}"},
    {12,
     "WARN  %n cache[%d]: evicted %d entries of %p in shard %d, memory %d%% of limit, oldest %ds"},
    {8,
     "ERROR %n gateway[%d]: upstream %w-%d refused connection (111), %m /api/v1/%p/%d id=%h%h%h%h"},
    {5, "ERROR %n worker[%d]: job %h%h%h%h failed: %w of %w is not %w (attempt %d), retry in %ds"},
    {8,
     "WARN  %n auth[%d]: failed password for user %u from 192.168.%d.%d port %d, %d attempts left"},
    {1, "FATAL %n db[%d]: could not open %w file \"/var/lib/%w/%h.%h\": no space left on device"},
};

std::vector<std::string> Numbers(std::size_t count) {
  // Lengths of one to five digits, evenly: small numbers are the frequent ones in logs.
  constexpr std::array<std::uint32_t, 5> kBounds = {10, 100, 1000, 10000, 100000};
  Random random(count);
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    numbers.push_back(std::to_string(random.Below(kBounds[i % kBounds.size()])));
  }
  return numbers;
}

std::vector<std::string> Digits(std::size_t count, int digits, std::uint32_t base) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text(static_cast<std::size_t>(digits), '0');
    std::size_t value = base == 10 ? i : i * 65536 / count + i % 16;
    for (auto at = text.rbegin(); at != text.rend(); ++at, value /= base) {
      *at = "0123456789abcdef"[value % base];
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> Hosts() {
  std::vector<std::string> hosts;
  for (int i = 1; i <= 12; ++i) {
    for (const char* role : {"web", "api", "db", "job"}) {
      std::string host = role;
      host += i < 10 ? "-0" : "-";
      hosts.push_back(host + std::to_string(i));
    }
  }
  return hosts;
}

struct LogTables {
  PieceTable words = PieceTable::Zipf(EnglishWords(1024));
  PieceTable users = PieceTable::Uniform(EnglishWords(2048));
  PieceTable numbers = PieceTable::Uniform(Numbers(4096));
  PieceTable three_digits = PieceTable::Uniform(Digits(1000, 3, 10));
  PieceTable hexadecimal = PieceTable::Uniform(Digits(4096, 4, 16));
  PieceTable hosts = PieceTable::Zipf(Hosts());
  PieceTable methods =
      PieceTable::Zipf({"GET", "GET", "GET", "POST", "GET", "PUT", "GET", "HEAD", "DELETE"});
  PieceTable versions = PieceTable::Zipf({"122", "121", "115", "120", "118", "109", "102"});
  PieceTable statuses =
      PieceTable::Zipf({"200", "200", "200", "304", "204", "404", "301", "500", "403", "503"});
  PieceTable paths =
      PieceTable::Zipf({"orders", "users", "items", "invoices", "sessions", "search", "reports",
                        "products", "carts", "payments", "messages", "accounts"});

  const PieceTable* Find(char letter) const {
    switch (letter) {
      case 'w':
        return &words;
      case 'u':
        return &users;
      case 'd':
        return &numbers;
      case 't':
        return &three_digits;
      case 'h':
        return &hexadecimal;
      case 'n':
        return &hosts;
      case 'm':
        return &methods;
      case 's':
        return &statuses;
      case 'v':
        return &versions;
      default:
        return &paths;
    }
  }
};

class LogLines final : public LineMaker {
 public:
  LogLines() : choice_(Weights()) {
    for (const Message& message : kMessages) {
      messages_.emplace_back(message.pattern, [this](char c) { return tables_.Find(c); });
    }
    for (std::uint32_t i = 0; i < 1000; ++i) PutDigits(three_digits_[i], i, 3);
  }

  void Start(Random random, std::uint64_t chunk_index, std::uint64_t) override {
    random_ = random;
    const std::uint64_t micros = chunk_index * kChunkMicros;
    seconds_ = kEpochSeconds + micros / 1'000'000;
    micros_ = static_cast<std::uint32_t>(micros % 1'000'000);
    PutSeconds();
  }

  char* Line(char* out, Place* place) override {
    const std::uint64_t bits = random_.Next();
    micros_ += static_cast<std::uint32_t>((bits & 0xFFFF) * kMaxStepMicros >> 16);
    if (micros_ >= 1'000'000) {
      micros_ -= 1'000'000;
      ++seconds_;
      PutSeconds();
    }
    std::memcpy(out, stamp_, sizeof(stamp_));  // "2024-03-01T00:00:00." and what follows
    std::memcpy(out + 20, three_digits_[micros_ / 1000], 4);
    std::memcpy(out + 23, three_digits_[micros_ % 1000], 4);
    out[26] = 'Z';
    out[27] = ' ';
    const LineTemplate& message = messages_[choice_.Pick(static_cast<std::uint32_t>(bits >> 32))];
    char* end = message.Render(out + kStampBytes, random_);
    *end++ = '\n';
    place->offset = kStampBytes + 6;  // behind the level
    place->length = static_cast<std::uint32_t>(end - out - 1) - place->offset;
    return end;
  }

 private:
  static constexpr std::uint32_t kStampBytes = 28;

  static std::vector<std::uint64_t> Weights() {
    std::vector<std::uint64_t> weights;
    for (const Message& message : kMessages) weights.push_back(message.weight << 32);
    return weights;
  }

  void PutSeconds() {
    const Date date = DateOf(seconds_ / 86400);
    const auto second_of_day = static_cast<std::uint32_t>(seconds_ % 86400);
    std::memcpy(stamp_, "0000-00-00T00:00:00.        ", sizeof(stamp_));
    PutDigits(stamp_, date.year, 4);
    PutDigits(stamp_ + 5, date.month, 2);
    PutDigits(stamp_ + 8, date.day, 2);
    PutDigits(stamp_ + 11, second_of_day / 3600, 2);
    PutDigits(stamp_ + 14, second_of_day / 60 % 60, 2);
    PutDigits(stamp_ + 17, second_of_day % 60, 2);
  }

  const LogTables tables_{};
  const SkewedIndex choice_;
  std::vector<LineTemplate> messages_;
  char three_digits_[1000][4] = {};
  Random random_{0};
  std::uint64_t seconds_ = 0;
  std::uint32_t micros_ = 0;
  char stamp_[kStampBytes] = {};
};

}  // namespace

std::unique_ptr<LineMaker> MakeLogLines() { return std::make_unique<LogLines>(); }

}  // namespace mr::lab
