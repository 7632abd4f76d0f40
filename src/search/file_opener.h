// From a file's name to a source of its blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "io/block.h"
#include "io/source_factory.h"
#include "match/engine.h"
#include "os/file.h"
#include "search/search.h"

namespace mr::search {

struct OpenedFile {
  std::optional<os::File> file;
  os::FileInfo info;  // of a small file that was listed: kind and size only
  std::unique_ptr<io::BlockSource> source;
  std::string why;  // with SearchPlan::explain_io: the choice of the source, in words
  std::uint64_t resident_before = 0;  // pages, with SearchPlan::measure_residency
  std::uint64_t pages_unknown = 0;    // whose residency the kernel did not tell
};

// One for a whole search. Thread-safe. Must outlive the sources.
class FileOpener {
 public:
  FileOpener(const SearchPlan& plan, const match::Engine& engine);  // `plan` must outlive it

  // Opens the file of a task without error. False when it is of a kind that the task passes over.
  // Throws os::IoError; what is set of `opened` stays.
  bool Open(const FileTask& task, OpenedFile& opened);

  // Pages of the file in the page cache, with SearchPlan::measure_residency.
  std::uint64_t ResidentPages(OpenedFile& opened) const;

  io::SourceFactory& sources() { return sources_; }

 private:
  void OpenAsListed(const FileTask& task, OpenedFile& opened);

  const SearchPlan& plan_;
  io::SourceFactory sources_;
  std::atomic<bool> trusts_listing_{true};  // as long as the kernel lets us open as listed
};

}  // namespace mr::search
