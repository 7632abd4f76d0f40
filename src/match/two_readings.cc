#include "match/two_readings.h"

#include <utility>

namespace mr::match {
namespace {

class TwoReadingsMatcher final : public Matcher {
 public:
  TwoReadingsMatcher(std::unique_ptr<Matcher> lines,
                     std::function<std::unique_ptr<Matcher>()> make_spans)
      : lines_(std::move(lines)), make_spans_(std::move(make_spans)) {}

  std::optional<Span> Find(std::string_view line, std::size_t from) override {
    if (spans_ == nullptr) spans_ = make_spans_();
    return spans_->Find(line, from);
  }
  bool Matches(std::string_view line) override { return lines_->Matches(line); }
  std::optional<std::size_t> FindLine(std::string_view block, std::size_t from) override {
    return lines_->FindLine(block, from);
  }

 private:
  std::unique_ptr<Matcher> lines_;
  std::function<std::unique_ptr<Matcher>()> make_spans_;
  std::unique_ptr<Matcher> spans_;
};

}  // namespace

std::unique_ptr<Matcher> NewTwoReadings(std::unique_ptr<Matcher> lines,
                                        std::function<std::unique_ptr<Matcher>()> make_spans) {
  return std::make_unique<TwoReadingsMatcher>(std::move(lines), std::move(make_spans));
}

}  // namespace mr::match
