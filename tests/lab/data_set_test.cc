#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "data_kinds.h"
#include "lab/data/checksum.h"
#include "lab/data/chunk.h"
#include "lab/data/set.h"
#include "lab/data/sidecar.h"
#include "os/descriptor.h"
#include "os/error.h"
#include "os/text_file.h"
#include "support/temp_dir.h"

namespace mr::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

DataSpec SpecWithNeedles(DataKind kind, std::uint64_t size_bytes, std::uint64_t needles) {
  DataSpec spec;
  spec.kind = kind;
  spec.size_bytes = size_bytes;
  spec.needles = needles;
  return spec;
}

DataOutcome Generate(const DataSpec& spec, const std::string& path, bool force = false) {
  return GenerateData(spec, path, force, nullptr);
}

std::vector<std::string> Names(const test::TempDir& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    names.push_back(entry.path().filename());
  }
  return names;
}

std::string PathIn(const test::TempDir& directory, const std::string& name) {
  return directory.path() / name;
}

void FlipByte(const std::string& path, std::streamoff at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(at);
  const auto byte = static_cast<char>(file.get() ^ 1);
  file.seekp(at);
  file.put(byte);
}

std::string ChecksumOf(const std::string& path) {
  Checksum checksum;
  checksum.Feed(os::ReadText(path).value());
  return checksum.Hex();
}

template <typename Error, typename Call>
std::string Failure(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no failure";
}

TEST(GenerateData, PutsEveryNeedleWhereTheSidecarSays) {
  const test::TempDir directory;
  for (const DataKind kind : kAllKinds) {
    const std::uint64_t needles = kind == DataKind::kOneLine ? 1 : 23;
    const DataSpec spec = SpecWithNeedles(kind, 3 * kChunkBytes + 1234, needles);
    const std::string path = PathIn(directory, std::string(DataKindName(kind)));
    const DataOutcome outcome = Generate(spec, path);
    EXPECT_TRUE(outcome.generated);
    const std::string text = os::ReadText(path).value();
    ASSERT_EQ(text.size(), spec.size_bytes);
    EXPECT_EQ(outcome.sidecar.checksum, ChecksumOf(path));
    std::vector<std::uint64_t> found;
    for (std::size_t at = 0; (at = text.find(spec.needle, at)) != std::string::npos; ++at) {
      found.push_back(at);
    }
    EXPECT_EQ(found.size(), needles) << DataKindName(kind);
    EXPECT_EQ(found, outcome.sidecar.needle_offsets) << DataKindName(kind);
    EXPECT_THAT(VerifyData(path, nullptr), IsEmpty()) << DataKindName(kind);
  }
}

TEST(GenerateData, CanPutANeedleOnEveryLineThatHasRoom) {
  const test::TempDir directory;
  DataSpec spec = SpecWithNeedles(DataKind::kLog, 2 * kChunkBytes, 1'000'000);
  const std::string path = PathIn(directory, "log");
  const std::string complaint =
      Failure<DataSpecError>([&] { Generate(spec, path); });  // "1000000 ..., but N lines ..."
  ASSERT_THAT(complaint, HasSubstr(", but "));
  EXPECT_THAT(Names(directory), IsEmpty());

  spec.needles = std::stoull(complaint.substr(complaint.find(", but ") + 6));
  EXPECT_GT(spec.needles, 3000U);
  const DataSidecar sidecar = Generate(spec, path).sidecar;
  EXPECT_LE(sidecar.lines - spec.needles, 2U) << "the cut last line of each chunk has no room";
  EXPECT_EQ(sidecar.needle_offsets.size(), 1000U) << "no more are listed";
  EXPECT_THAT(VerifyData(path, nullptr), IsEmpty());
  spec.needles += 1;
  EXPECT_NE(Failure<DataSpecError>([&] { Generate(spec, path); }), "no failure");
}

TEST(GenerateData, WritesTheSameFileAgain) {
  const test::TempDir directory;
  const DataSpec spec = SpecWithNeedles(DataKind::kSource, 500000, 5);
  const std::string checksum = Generate(spec, PathIn(directory, "a")).sidecar.checksum;
  EXPECT_EQ(Generate(spec, PathIn(directory, "b")).sidecar.checksum, checksum);
  EXPECT_EQ(ChecksumOf(PathIn(directory, "a")), ChecksumOf(PathIn(directory, "b")));
}

TEST(GenerateData, LeavesACompleteFileAlone) {
  const test::TempDir directory;
  const DataSpec spec = SpecWithNeedles(DataKind::kLog, 500000, 3);
  const std::string path = PathIn(directory, "log");
  const DataOutcome first = Generate(spec, path);
  struct stat before {};
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  const DataOutcome second = Generate(spec, path);
  EXPECT_FALSE(second.generated);
  EXPECT_EQ(second.sidecar.checksum, first.sidecar.checksum);
  EXPECT_EQ(second.sidecar.needle_offsets, first.sidecar.needle_offsets);
  struct stat after {};
  ASSERT_EQ(::stat(path.c_str(), &after), 0);
  EXPECT_EQ(after.st_ino, before.st_ino);
  EXPECT_TRUE(Generate(spec, path, true).generated) << "unless forced";
}

TEST(GenerateData, MakesAnewWhatIsNoLongerRight) {
  const test::TempDir directory;
  const DataSpec spec = SpecWithNeedles(DataKind::kLog, 500000, 3);
  const std::string path = PathIn(directory, "log");
  const std::string checksum = Generate(spec, path).sidecar.checksum;

  FlipByte(path, 1000);
  EXPECT_TRUE(Generate(spec, path).generated) << "a changed byte in a chunk that is spot-checked";
  std::filesystem::resize_file(path, 400000);
  EXPECT_TRUE(Generate(spec, path).generated) << "a file that was cut";
  std::filesystem::remove(path);
  EXPECT_TRUE(Generate(spec, path).generated) << "a sidecar without a file";
  directory.Write("log.json", "{");
  EXPECT_TRUE(Generate(spec, path).generated) << "a mangled sidecar";
  EXPECT_EQ(ChecksumOf(path), checksum);

  DataSpec other = spec;
  other.seed = 2;
  EXPECT_TRUE(Generate(other, path).generated) << "other parameters";
  EXPECT_NE(ChecksumOf(path), checksum);
}

TEST(GenerateData, DoesNotReplaceAStrangersFile) {
  const test::TempDir directory;
  const DataSpec spec = SpecWithNeedles(DataKind::kLog, 5000, 0);
  const std::string path = directory.Write("thesis", "years of work");
  EXPECT_THAT(Failure<os::IoError>([&] { Generate(spec, path); }),
              HasSubstr("was not made by mrbench data"));
  EXPECT_EQ(os::ReadText(path), "years of work");
  EXPECT_TRUE(Generate(spec, path, true).generated) << "unless forced";

  EXPECT_THAT(Failure<os::IoError>([&] { Generate(spec, "/dev/null", true); }),
              HasSubstr("not a regular file"));
  EXPECT_THAT(Failure<os::IoError>([&] { Generate(spec, directory.path(), true); }),
              HasSubstr("not a regular file"));
  EXPECT_THAT(Failure<os::IoError>([&] { Generate(spec, directory.path() / "", true); }),
              HasSubstr("not the name of a file"));
}

TEST(GenerateData, RefusesANeedleThatIsInTheDataAnyway) {
  const test::TempDir directory;
  DataSpec spec = SpecWithNeedles(DataKind::kProse, 100000, 0);
  spec.needle = "the";
  EXPECT_THAT(Failure<DataSpecError>([&] { Generate(spec, PathIn(directory, "x")); }),
              HasSubstr("occurs in this prose data by itself"));
  EXPECT_THAT(Names(directory), IsEmpty());
}

TEST(GenerateData, RefusesNeedlesThatFindNoRoom) {
  const test::TempDir directory;
  DataSpec spec = SpecWithNeedles(DataKind::kWords, 1000000, 3);
  spec.needle = std::string(100, 'q');
  EXPECT_THAT(Failure<DataSpecError>([&] { Generate(spec, PathIn(directory, "x")); }),
              HasSubstr("have room for"));
  EXPECT_THAT(Names(directory), IsEmpty());
}

TEST(GenerateData, LeavesNothingBehindWhenInterrupted) {
  const test::TempDir directory;
  const DataSpec spec = SpecWithNeedles(DataKind::kRandom, std::uint64_t{40} << 20, 0);
  const std::string path = PathIn(directory, "random");
  for (const DataPhase stop : {DataPhase::kGenerate, DataPhase::kSync}) {
    const auto progress = [&](DataPhase phase, std::uint64_t done, std::uint64_t) {
      return !(phase == stop && done > 0);
    };
    EXPECT_THROW(GenerateData(spec, path, false, progress), DataInterrupted);
    EXPECT_THAT(Names(directory), IsEmpty());
  }
}

TEST(GenerateData, KeepsTheOldFileWhenTheNewOneFails) {
  const test::TempDir directory;
  const std::string path = PathIn(directory, "log");
  const std::string checksum =
      Generate(SpecWithNeedles(DataKind::kLog, 5000, 1), path).sidecar.checksum;
  DataSpec bad = SpecWithNeedles(DataKind::kLog, 500000, 1);
  bad.needle = "INFO";
  EXPECT_THROW(Generate(bad, path), DataSpecError);
  EXPECT_EQ(ReadSidecar(path)->checksum, checksum);
  EXPECT_THAT(VerifyData(path, nullptr), IsEmpty());
  EXPECT_THAT(Names(directory), UnorderedElementsAre("log", "log.json"));
}

TEST(GenerateData, RefusesWhatTheDiskHasNoRoomFor) {
  const test::TempDir directory;
  const DataSpec spec = SpecWithNeedles(DataKind::kLog, std::uint64_t{1} << 60, 0);
  EXPECT_THAT(Failure<os::IoError>([&] { Generate(spec, PathIn(directory, "x")); }),
              HasSubstr("not enough room: 1.0E needed, "));
  EXPECT_THAT(Names(directory), IsEmpty());
}

TEST(GenerateData, TakesOverWhatAKilledRunLeft) {
  const test::TempDir directory;
  directory.Write("log.partial", std::string(700000, 'x'));
  directory.Write("log.json.partial", std::string(7000, 'x'));
  const std::string path = PathIn(directory, "log");
  Generate(SpecWithNeedles(DataKind::kLog, 500000, 1), path);
  EXPECT_THAT(VerifyData(path, nullptr), IsEmpty());
  EXPECT_THAT(Names(directory), UnorderedElementsAre("log", "log.json"));
}

TEST(GenerateData, KeepsOutOfTheWayOfAnotherRun) {
  const test::TempDir directory;
  const std::string partial = directory.Write("log.partial", "theirs");
  const os::Descriptor theirs(::open(partial.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(theirs.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_THAT(Failure<os::IoError>([&] {
                Generate(SpecWithNeedles(DataKind::kLog, 5000, 0), PathIn(directory, "log"));
              }),
              HasSubstr("another process is making this file"));
  EXPECT_EQ(os::ReadText(partial), "theirs");
}

TEST(GenerateData, LeavesHolesInSparseFiles) {
  const test::TempDir directory;
  const std::string path = PathIn(directory, "sparse");
  const DataSpec spec = SpecWithNeedles(DataKind::kSparse, std::uint64_t{64} << 20, 10);
  Generate(spec, path);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(static_cast<std::uint64_t>(info.st_size), spec.size_bytes);
  EXPECT_LT(info.st_blocks * 512, std::int64_t{3} << 20);
  EXPECT_THAT(VerifyData(path, nullptr), IsEmpty());
}

TEST(VerifyData, FindsAFlippedByteAnywhere) {
  const test::TempDir directory;
  const DataSpec spec = SpecWithNeedles(DataKind::kLog, 3 * kChunkBytes, 2);
  const std::string path = PathIn(directory, "log");
  Generate(spec, path);
  for (const std::uint64_t at : {std::uint64_t{0}, kChunkBytes + 5, spec.size_bytes - 2}) {
    FlipByte(path, static_cast<std::streamoff>(at));
    EXPECT_THAT(VerifyData(path, nullptr), ElementsAre(HasSubstr("XXH128 checksum")));
    FlipByte(path, static_cast<std::streamoff>(at));
  }
  EXPECT_THAT(VerifyData(path, nullptr), IsEmpty());
}

TEST(VerifyData, NamesALostNeedleAndALostNewline) {
  const test::TempDir directory;
  const std::string path = PathIn(directory, "log");
  const DataSidecar sidecar = Generate(SpecWithNeedles(DataKind::kLog, 100000, 2), path).sidecar;
  FlipByte(path, static_cast<std::streamoff>(sidecar.needle_offsets[1]));
  FlipByte(path, 99999);
  EXPECT_THAT(
      VerifyData(path, nullptr),
      ElementsAre(HasSubstr("XXH128 checksum"), HasSubstr("newlines"),
                  HasSubstr("lines with the needle 1 instead of 2"),
                  HasSubstr("no needle at offset " + std::to_string(sidecar.needle_offsets[1]))));
}

TEST(ReadSidecar, TellsAbsentFromWrong) {
  const test::TempDir directory;
  const std::string path = directory.Write("data", "0123456789");
  EXPECT_FALSE(ReadSidecar(path).has_value());
  EXPECT_THAT(Failure<os::IoError>([&] { VerifyData(path, nullptr); }), HasSubstr("no sidecar"));
  directory.Write("data.json", "[]");
  EXPECT_THAT(Failure<os::IoError>([&] { ReadSidecar(path); }),
              HasSubstr("not a sidecar of mrbench data"));

  Generate(SpecWithNeedles(DataKind::kLog, 5000, 1), path, true);
  EXPECT_EQ(ReadSidecar(path)->spec, SpecWithNeedles(DataKind::kLog, 5000, 1));
  std::filesystem::resize_file(path, 4999);
  EXPECT_THAT(Failure<os::IoError>([&] { ReadSidecar(path); }),
              HasSubstr("4999 bytes long, but 5000 by its sidecar"));
}

TEST(Sidecar, SurvivesItsOwnText) {
  DataSidecar sidecar;
  sidecar.spec = SpecWithNeedles(DataKind::kCyrillic, 123, 4);
  sidecar.spec.needle = "\"quoted\"\tне\\";
  sidecar.spec.seed = UINT64_MAX;
  sidecar.lines = 77;
  sidecar.needle_offsets = {1, 22, 333};
  sidecar.checksum = std::string(32, 'a');
  sidecar.generator_version = kGeneratorVersion;
  sidecar.program_version = "9.9";
  const DataSidecar back = ParseSidecar(FormatSidecar(sidecar), "x.json");
  EXPECT_EQ(back.spec, sidecar.spec);
  EXPECT_EQ(back.lines, sidecar.lines);
  EXPECT_EQ(back.needle_offsets, sidecar.needle_offsets);
  EXPECT_EQ(back.checksum, sidecar.checksum);
  EXPECT_EQ(back.program_version, sidecar.program_version);
}

TEST(Checksum, IsThatOfXxh128sum) {
  EXPECT_EQ(Checksum().Hex(), "99aa06d3014798d86001c324468d497f") << "of nothing";
  Checksum pieces;
  pieces.Feed("seq");
  pieces.Feed("uence");
  Checksum whole;
  whole.Feed("sequence");
  EXPECT_EQ(pieces.Hex(), whole.Hex());
}

}  // namespace
}  // namespace mr::lab
