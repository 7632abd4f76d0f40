#include "match/vectorscan_finder.h"

#include <hs.h>

#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <string>

#include "match/engine.h"
#include "match/vectorscan_scan.h"

namespace mr::match {
namespace {

// hs_scan takes its length as an unsigned int.
constexpr std::size_t kMaxScanBytes = std::size_t{1} << 30;

struct DatabaseDeleter {
  void operator()(hs_database_t* database) const { Free16(database); }
};
struct ScratchDeleter {
  void operator()(hs_scratch_t* scratch) const { hs_free_scratch(scratch); }
};

class VectorscanFinder final : public CandidateFinder {
 public:
  VectorscanFinder(const DatabasePlan& plan, const hs_database_t* database,
                   std::function<std::unique_ptr<Matcher>()> make_matcher)
      : plan_(plan), database_(database), make_matcher_(std::move(make_matcher)) {
    hs_scratch_t* scratch = nullptr;
    if (hs_alloc_scratch(database_, &scratch) != HS_SUCCESS) throw std::bad_alloc();
    scratch_.reset(scratch);
  }

  std::size_t Scan(std::string_view block, CandidateSink found) override {
    const std::size_t size = block.size();
    Target target;
    target.found = &found;
    while (!block.empty() && !target.stopped) {
      std::size_t length = block.size();
      if (length > kMaxScanBytes) {
        const std::size_t end = block.rfind(plan_.terminator, kMaxScanBytes - 1);
        if (end == std::string_view::npos) {
          length = ScanLongLine(block, target);
          target.offset += length;
          block.remove_prefix(length);
          continue;
        }
        length = end + 1;
      }
      const hs_error_t error = scan_(database_, block.data(), static_cast<unsigned>(length), 0,
                                     scratch_.get(), OnMatch, &target);
      if (target.failure) std::rethrow_exception(target.failure);
      if (error != HS_SUCCESS && error != HS_SCAN_TERMINATED) {
        throw MatchError("Vectorscan failed with error " + std::to_string(error));
      }
      target.offset += length;
      block.remove_prefix(length);
    }
    return size;
  }

  bool exact() const override { return false; }

 private:
  struct Target {
    std::size_t offset = 0;
    const CandidateSink* found = nullptr;
    bool stopped = false;
    std::exception_ptr failure;  // must not pass through Vectorscan's own frames
  };

  static int OnMatch(unsigned int, unsigned long long, unsigned long long to, unsigned int,
                     void* context) {
    auto& target = *static_cast<Target*>(context);
    try {
      target.stopped = (*target.found)(target.offset + static_cast<std::size_t>(to) - 1) == kStop;
    } catch (...) {
      target.failure = std::current_exception();
      target.stopped = true;
    }
    return target.stopped ? 1 : 0;
  }

  // The first line of `block` is longer than a scan may be. Returns its length with terminator.
  std::size_t ScanLongLine(std::string_view block, Target& target) {
    if (matcher_ == nullptr) matcher_ = make_matcher_();
    const std::size_t end = std::min(block.find(plan_.terminator), block.size());
    if (matcher_->Matches(block.substr(0, end))) {
      target.stopped = (*target.found)(target.offset) == kStop;
    }
    return std::min(end + 1, block.size());
  }

  const DatabasePlan& plan_;
  const hs_database_t* database_;
  const ScanFunction scan_ = Scan16();
  std::function<std::unique_ptr<Matcher>()> make_matcher_;
  std::unique_ptr<hs_scratch_t, ScratchDeleter> scratch_;
  std::unique_ptr<Matcher> matcher_;
};

class VectorscanDatabase final : public Database {
 public:
  VectorscanDatabase(const DatabasePlan& plan, hs_database_t* database)
      : plan_(plan), database_(database) {
    plan_.literals.clear();
  }

  std::unique_ptr<CandidateFinder> NewFinder(
      std::function<std::unique_ptr<Matcher>()> make_matcher) const override {
    return std::make_unique<VectorscanFinder>(plan_, database_.get(), std::move(make_matcher));
  }

 private:
  DatabasePlan plan_;
  std::unique_ptr<hs_database_t, DatabaseDeleter> database_;
};

hs_database_t* CompileExpression(const pattern::Superset& superset) {
  hs_database_t* database = nullptr;
  hs_compile_error_t* error = nullptr;
  const unsigned flags = superset.has_assertions ? HS_FLAG_MULTILINE : 0;
  const hs_platform_info_t platform = Platform16();
  if (hs_compile(superset.text.c_str(), flags, HS_MODE_BLOCK, &platform, &database, &error) !=
      HS_SUCCESS) {
    hs_free_compile_error(error);
    return nullptr;
  }
  return database;
}

hs_database_t* CompileLiterals(const std::vector<std::string>& literals, bool caseless) {
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  texts.reserve(literals.size());
  lengths.reserve(literals.size());
  for (const std::string& literal : literals) {
    texts.push_back(literal.data());
    lengths.push_back(literal.size());
  }
  const std::vector<unsigned> flags(literals.size(), caseless ? HS_FLAG_CASELESS : 0);
  const hs_platform_info_t platform = Platform16();
  const std::vector<unsigned> ids(literals.size(), 0);
  hs_database_t* database = nullptr;
  hs_compile_error_t* error = nullptr;
  if (hs_compile_lit_multi(texts.data(), flags.data(), ids.data(), lengths.data(),
                           static_cast<unsigned>(literals.size()), HS_MODE_BLOCK, &platform,
                           &database, &error) != HS_SUCCESS) {
    hs_free_compile_error(error);
    return nullptr;
  }
  return database;
}

}  // namespace

std::unique_ptr<Database> Database::Compile(const DatabasePlan& plan) {
  if (hs_valid_platform() != HS_SUCCESS || Scan16() == nullptr) return nullptr;
  hs_database_t* database = plan.expression ? CompileExpression(*plan.expression)
                                            : CompileLiterals(plan.literals, plan.caseless);
  if (database == nullptr) return nullptr;
  return std::make_unique<VectorscanDatabase>(plan, database);
}

}  // namespace mr::match
