#include "search/ordered_output.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "search/file_search.h"

namespace mr::search {
namespace {

class RefusableOutput final : public Output {
 public:
  void Write(std::string_view bytes) override {
    if (refuses) throw OutputError("write error");
    text += bytes;
  }
  void Message(Severity, std::string_view message) override { text += message; }
  std::string text;
  bool refuses = false;
};

class BareSink final : public Sink {
 public:
  Flow Accept(const Line&, RenderedText&) override { return Flow::kContinue; }
  void Gap(RenderedText&) override {}
  void Finish(const FileSummary&, RenderedText&) override {}
  bool copies_lines() const override { return true; }
};

// The same large block again and again.
class LargeBlocks final : public io::BlockSource {
 public:
  std::unique_ptr<io::BlockLease> Next() override {
    const std::uint64_t index = given_out++;
    if (index >= 3) return nullptr;
    return std::make_unique<Lease>(io::Block{bytes_, index * bytes_.size(), index});
  }
  bool parallel() const override { return true; }
  std::string_view mode() const override { return "fake"; }
  std::size_t bytes() const { return bytes_.size(); }

  std::atomic<std::uint64_t> given_out{0};

 private:
  class Lease final : public io::BlockLease {
   public:
    explicit Lease(io::Block block) { block_ = block; }
    bool NulFollows(std::uint64_t) override { return false; }
    std::optional<io::Damage> CheckDamage() override { return std::nullopt; }
  };

  const std::string bytes_ = std::string((std::size_t{9} << 20) - 1, 'x') + '\n';
};

TEST(OrderedOutput, NeverKeepsTheFirstPlaceWaitingHoweverManyOthersThereAre) {
  RefusableOutput output;
  OrderedOutput ordered(output);
  OrderedOutput::Place* const first = ordered.Append();
  for (int i = 0; i < 50000; ++i) ordered.Append();
  ordered.WaitForRoom(*first);
  first->Write("through");
  EXPECT_EQ(output.text, "through");
}

TEST(OrderedOutput, PutsAPlaceBehindAnotherAmongThoseThatThereAre) {
  RefusableOutput output;
  OrderedOutput ordered(output);
  OrderedOutput::Place* const first = ordered.Append();
  OrderedOutput::Place* const last = ordered.Append();
  last->Message(Severity::kNotice, "f");
  last->Write("g");
  last->WriteGroup("--", "h");
  last->Write("i");
  last->Finish();
  first->Write("a");
  OrderedOutput::Place* const third = ordered.AppendTo(*first);
  OrderedOutput::Place* const second = ordered.AppendTo(*first);
  third->Write("d");
  third->Write("e");
  third->Finish();
  second->WriteGroup("--", "c");
  EXPECT_EQ(output.text, "a");
  first->Write("b");
  first->Finish();
  EXPECT_EQ(output.text, "abc");
  EXPECT_TRUE(ordered.IsDue(*second));
  second->Finish();
  EXPECT_EQ(output.text, "abcdefg--hi");
}

TEST(OrderedOutput, DropsWhatIsBehindTheEndOfTheOutput) {
  RefusableOutput output;
  OrderedOutput ordered(output);
  OrderedOutput::Place* const first = ordered.Append();
  OrderedOutput::Place* const second = ordered.Append();
  OrderedOutput::Place* const third = ordered.Append();
  third->Write("c");
  second->Write("b");
  second->EndOutput();
  second->Finish();
  first->Write("a");
  first->Finish();
  third->Write("d");
  third->Finish();
  EXPECT_EQ(output.text, "ab");
}

TEST(OrderedOutput, WritesNothingBehindWhatCouldNotBeWritten) {
  RefusableOutput output;
  OrderedOutput ordered(output);
  OrderedOutput::Place* const first = ordered.Append();
  output.refuses = true;
  EXPECT_THROW(first->Write("lost"), OutputError);
  output.refuses = false;
  first->Write("behind it");
  EXPECT_EQ(output.text, "");
}

TEST(FileSearch, LetsWorkersJoinWhileItsOutputWaitsForAnEarlierFile) {
  const SearchPlan plan;
  pattern::Source source;
  source.syntax = pattern::Syntax::kFixed;
  source.patterns = {"x"};
  const std::unique_ptr<match::Engine> engine = match::Engine::Compile(source);
  const SinkFactory sinks = [] { return std::make_unique<BareSink>(); };
  RefusableOutput output;
  OrderedOutput ordered(output);
  OrderedOutput::Place* const earlier = ordered.Append();
  OrderedOutput::Place* const place = ordered.Append();
  const std::string label = "file";
  LargeBlocks blocks;
  FileSearch search(plan, label, 0, blocks, *place);

  ASSERT_TRUE(search.Join());
  bool worker_was_last = false;
  std::thread thread([&] {
    Worker worker(plan, *engine, sinks);
    worker_was_last = search.Work(worker);
  });
  // The second block's text has to wait: more than enough is kept already.
  while (blocks.given_out < 2) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ASSERT_TRUE(search.Join());
  EXPECT_EQ(output.text, "");
  earlier->Finish();
  Worker worker(plan, *engine, sinks);
  const bool other_was_last = search.Work(worker);
  thread.join();
  EXPECT_NE(worker_was_last, other_was_last);
  EXPECT_EQ(output.text.size(), 3 * blocks.bytes());
}

// One block whose second half is found missing when it is asked for the fourth time.
class HalfLost final : public io::BlockSource {
 public:
  static constexpr std::size_t kLines = 600000;

  std::unique_ptr<io::BlockLease> Next() override {
    if (std::exchange(given_out_, true)) return nullptr;
    return std::make_unique<Lease>(io::Block{bytes_, 0, 0});
  }
  bool parallel() const override { return true; }
  std::string_view mode() const override { return "fake"; }

 private:
  class Lease final : public io::BlockLease {
   public:
    explicit Lease(io::Block block) { block_ = block; }
    bool NulFollows(std::uint64_t) override { return false; }
    std::optional<io::Damage> CheckDamage() override {
      if (++asked_ < 4) return std::nullopt;
      return io::Damage{block_.bytes.size() / 2, os::IoError("file", EIO, kLines)};
    }

   private:
    int asked_ = 0;
  };

  static std::string Lines() {
    std::string lines;
    for (std::size_t i = 0; i < kLines; ++i) lines += "x\n";
    return lines;
  }

  const std::string bytes_ = Lines();
  bool given_out_ = false;
};

class NamingSink final : public Sink {
 public:
  Flow Accept(const Line& line, RenderedText& out) override {
    ((out += line.path) += line.text) += '\n';
    return Flow::kContinue;
  }
  void Gap(RenderedText&) override {}
  void Finish(const FileSummary&, RenderedText&) override {}
};

TEST(FileSearch, WritesWhatIsThereOnceThoughItHasWrittenSomeOfItAhead) {
  const SearchPlan plan;
  pattern::Source source;
  source.syntax = pattern::Syntax::kFixed;
  source.patterns = {"x"};
  const std::unique_ptr<match::Engine> engine = match::Engine::Compile(source);
  const SinkFactory sinks = [] { return std::make_unique<NamingSink>(); };
  RefusableOutput output;
  OrderedOutput ordered(output);
  const std::string label(40, 'n');
  HalfLost source_of_blocks;
  FileSearch search(plan, label, 0, source_of_blocks, *ordered.Append());
  ASSERT_TRUE(search.Join());
  Worker worker(plan, *engine, sinks);
  ASSERT_TRUE(search.Work(worker));
  std::string expected;
  for (std::size_t i = 0; i < HalfLost::kLines / 2; ++i) expected += label + "x\n";
  ASSERT_GT(expected.size(), 2 * RenderedText::kFullBytes);
  expected += os::IoError("file", EIO, HalfLost::kLines).what();
  EXPECT_TRUE(output.text == expected) << output.text.size() << " bytes, not " << expected.size();
  EXPECT_EQ(search.selected(), HalfLost::kLines / 2);
}

}  // namespace
}  // namespace mr::search
