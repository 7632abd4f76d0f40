#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "lab/data/set.h"
#include "os/text_file.h"

namespace mr::lab {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMemory = 932249600;

// What an expression that must fail says.
template <typename Call>
std::string Complaint(Call call) {
  try {
    call();
  } catch (const DataSpecError& error) {
    return error.what();
  }
  return "no complaint";
}

DataRequest Request(std::string size) {
  DataRequest request;
  request.size = std::move(size);
  return request;
}

TEST(DataSize, TakesBytesAndMultiplesOfTheMemory) {
  const struct {
    const char* text;
    std::uint64_t bytes;
  } cases[] = {
      {"1", 1},
      {"2000000", 2000000},
      {"64K", 65536},
      {"512M", 536870912},
      {"2G", 2147483648},
      {"2x", 1864499200},
      {"1x", 932249600},
      {"1.5x", 1398374400},
      {"0.25x", 233062400},
      {".5x", 466124800},
      {"1.1x", 1025474560},
      {"1.0000001x", 932249693},  // 932249693.22496
  };
  for (const auto& test : cases) {
    EXPECT_EQ(ParseDataSize(test.text, kMemory), test.bytes) << test.text;
  }
  EXPECT_EQ(ParseDataSize("2x", 7), 14U);
  EXPECT_EQ(ParseDataSize("1.5x", 7), 10U) << "rounded down";
}

TEST(DataSize, RefusesWhatIsNoSize) {
  for (const char* text : {"", "x", ".x", "3.x", "-1", "-2x", "1e3", "2X", "2xx", "1.2.3x", "1.5G",
                           "2 x", "12345678901x", "ten"}) {
    EXPECT_THAT(Complaint([&] { ParseDataSize(text, kMemory); }), HasSubstr("bad size")) << text;
  }
  EXPECT_THAT(Complaint([] { ParseDataSize("0", kMemory); }), HasSubstr("no bytes at all"));
  EXPECT_THAT(Complaint([] { ParseDataSize("0.0x", kMemory); }), HasSubstr("no bytes at all"));
  EXPECT_THAT(Complaint([] { ParseDataSize("999999999x", UINT64_MAX); }), HasSubstr("too large"));
}

TEST(DataSize, MemoryIsPhysicalAtMost) {
  const std::uint64_t bytes = AvailableMemoryBytes();
  EXPECT_GT(bytes, 0U);
  const std::string meminfo = os::ReadText("/proc/meminfo").value();
  const std::uint64_t total_kib = std::stoull(meminfo.substr(meminfo.find(':') + 1));
  EXPECT_LE(bytes, total_kib * 1024);
}

TEST(DataSpec, ComesFromJson) {
  const DataRequest request = ParseDataSpec(
      R"({"comment": "c", "kind": "prose", "size": "2x", "seed": 7, "needle": "né", "needles": 3})");
  EXPECT_EQ(request.kind, DataKind::kProse);
  const DataSpec spec = ResolveDataSpec(request, 1000000);
  EXPECT_EQ(spec.size_bytes, 2000000U);
  EXPECT_EQ(spec.seed, 7U);
  EXPECT_EQ(spec.needle, "né");
  EXPECT_EQ(spec.needles, 3U);
}

TEST(DataSpec, HasDefaultsForAllButKindAndSize) {
  const DataSpec spec = ResolveDataSpec(ParseDataSpec(R"({"kind":"log","size":5000})"), 1);
  EXPECT_EQ(spec.size_bytes, 5000U);
  EXPECT_EQ(spec.seed, 1U);
  EXPECT_EQ(spec.needle, kDefaultNeedle);
  EXPECT_EQ(spec.needles, 0U);
}

TEST(DataSpec, RefusesJsonThatIsNoSpec) {
  const struct {
    const char* text;
    const char* complaint;
  } cases[] = {
      {"", "not JSON"},
      {"{", "not JSON"},
      {"[]", "not a JSON object"},
      {R"({"kind":"log"})", "\"size\" is missing"},
      {R"({"size":"1M"})", "\"kind\" is missing"},
      {R"({"kind":"logs","size":"1M"})", "unknown kind of data 'logs' (there are log, source"},
      {R"({"kind":5,"size":"1M"})", "\"kind\" must be a string"},
      {R"({"kind":"log","size":1.5})", "\"size\" must be a string"},
      {R"({"kind":"log","size":"1M","seed":-1})", "\"seed\" must be a whole number"},
      {R"({"kind":"log","size":"1M","needles":"3"})", "\"needles\" must be a whole number"},
      {R"({"kind":"log","size":"1M","nedle":"x"})", "unknown member \"nedle\""},
  };
  for (const auto& test : cases) {
    EXPECT_THAT(Complaint([&] { ParseDataSpec(test.text); }), HasSubstr(test.complaint))
        << test.text;
  }
}

TEST(DataSpec, RefusesNeedlesThatFitOnNoLine) {
  const auto complaint = [](std::string needle) {
    DataRequest request = Request("1M");
    request.needle = std::move(needle);
    return Complaint([&] { ResolveDataSpec(request, 1); });
  };
  EXPECT_THAT(complaint(""), HasSubstr("empty"));
  EXPECT_THAT(complaint("a\nb"), HasSubstr("newline"));
  EXPECT_THAT(complaint(std::string("a\0b", 3)), HasSubstr("NUL"));
  EXPECT_THAT(complaint("\xff"), HasSubstr("not UTF-8"));
  EXPECT_THAT(complaint(std::string(1001, 'x')), HasSubstr("1001 bytes long"));
}

TEST(DataSpec, KnowsThatOneLineHoldsOneNeedle) {
  DataRequest request = Request("1M");
  request.kind = DataKind::kOneLine;
  request.needles = 2;
  EXPECT_THAT(Complaint([&] { ResolveDataSpec(request, 1); }), HasSubstr("room for one"));
}

TEST(DataSpec, EveryFileUnderDatasetsIsOne) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PROJECT_ROOT "/datasets")) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    const std::string text = os::ReadText(entry.path()).value();
    EXPECT_NO_THROW(ResolveDataSpec(ParseDataSpec(text), kMemory)) << entry.path();
  }
  EXPECT_GT(files, 5);
  const std::string seed = os::ReadText(PROJECT_ROOT "/datasets/seed-2006.json").value();
  EXPECT_EQ(ResolveDataSpec(ParseDataSpec(seed), kMemory).size_bytes, 2052167894U);
}

}  // namespace
}  // namespace mr::lab
