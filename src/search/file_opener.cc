#include "search/file_opener.h"

#include <cerrno>

#include "os/page_cache.h"

namespace mr::search {
namespace {

io::SourceRequest SourcesFor(const SearchPlan& plan, const match::Engine& engine) {
  io::SourceRequest request;
  request.spec = plan.io;
  request.cache = plan.cache;
  request.count_bytes = plan.count_bytes;
  io::LineRules& rules = request.rules;
  rules.terminator = plan.terminator;
  rules.nul_ends = plan.DetectsBinaryFiles();
  // Where NULs end lines a binary file has no lines to be shown, so nobody counts the empty ones.
  const bool counts_empty_lines = plan.line_numbers || plan.before_context > 0 ||
                                  plan.after_context > 0 || plan.terminator != '\0';
  rules.skip_holes =
      engine.MatchesEmptyLine() == plan.invert && (rules.nul_ends || !counts_empty_lines);
  // Counts and names do not depend on which lines are text. Whoever waits for the first lines only
  // wants them at once.
  const bool shows_text =
      plan.report == Report::kLines || plan.binary_files == BinaryFiles::kWithoutMatch;
  rules.whole_windows = rules.nul_ends && shows_text && !plan.prompt && plan.max_count == kNoLimit;
  // Neighbours are shown whether they match or not.
  rules.pieces = !plan.ShowsNeighbours();
  return request;
}

}  // namespace

FileOpener::FileOpener(const SearchPlan& plan, const match::Engine& engine)
    : plan_(plan), sources_(SourcesFor(plan, engine)) {}

bool FileOpener::Open(const FileTask& task, OpenedFile& opened) {
  if (task.local_file) OpenAsListed(task, opened);
  if (opened.source != nullptr) return true;
  std::optional<os::File>& file = opened.file;
  if (!file) {
    file.emplace(task.is_stdin ? os::File::StandardInput(task.label)
                               : os::File::Open(task.path, task.label, task.directory_fd,
                                                {.nonblocking = task.skip_device,
                                                 .no_follow = !task.follow_symlink}));
  }
  opened.info = file->Info();
  const os::FileKind kind = opened.info.kind;
  if (task.skip_directory && kind == os::FileKind::kDirectory) return false;
  if (task.skip_device && kind != os::FileKind::kRegular && kind != os::FileKind::kDirectory) {
    return false;
  }
  opened.resident_before = ResidentPages(opened);
  opened.source = sources_.Open(*file, opened.info, plan_.explain_io ? &opened.why : nullptr);
  return true;
}

// Makes the source of most files of a listing, without asking the kernel once more what they are.
void FileOpener::OpenAsListed(const FileTask& task, OpenedFile& opened) {
  if (plan_.measure_residency || plan_.explain_io || !trusts_listing_) return;
  try {
    opened.file.emplace(os::File::Open(
        task.path, task.label, task.directory_fd,
        {.nonblocking = task.skip_device, .no_follow = !task.follow_symlink, .same_mount = true}));
    opened.source = sources_.OpenSmall(*opened.file, opened.info);
  } catch (const os::IoError& error) {
    // The usual way opens it, or tells what is wrong.
    const int number = error.error_number();
    if (number == ENOSYS || number == EPERM) trusts_listing_ = false;  // openat2(2) was refused
  }
}

std::uint64_t FileOpener::ResidentPages(OpenedFile& opened) const {
  if (!plan_.measure_residency) return 0;
  const os::Residency residency = os::MeasureResidency(opened.file->fd(), opened.file->name());
  if (residency.resident_pages) return *residency.resident_pages;
  opened.pages_unknown += residency.total_pages;
  return 0;
}

}  // namespace mr::search
