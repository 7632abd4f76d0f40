#include "lab/compare/copies.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <system_error>

#include "lab/data/checksum.h"
#include "lab/data/copy.h"
#include "os/descriptor.h"
#include "os/error.h"
#include "os/file.h"
#include "os/page_cache.h"

namespace mr::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

[[noreturn]] void ThrowFilesystem(const fs::path& path, const std::error_code& error) {
  throw os::IoError(path.string(), error.value());
}

std::string ChecksumOf(const std::string& path, std::uint64_t& bytes) {
  const os::File file = os::File::Open(path, path, AT_FDCWD);
  Checksum checksum;
  std::string buffer(kBufferBytes, '\0');
  bytes = 0;
  while (const std::size_t n = file.ReadAt(buffer.data(), buffer.size(), bytes)) {
    checksum.Feed(std::string_view(buffer).substr(0, n));
    bytes += n;
  }
  return checksum.Hex();
}

void Sync(const fs::path& path) {
  const os::Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd || (::fsync(fd.get()) != 0 && errno != EINVAL)) throw os::IoError(path, errno);
}

// Names in the order of their bytes, whatever the file system's.
std::vector<std::string> RegularFilesBelow(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator it(directory, error), end; it != end; it.increment(error)) {
    if (error) break;
    const fs::file_status status = it->symlink_status(error);
    if (error) break;
    if (fs::is_regular_file(status)) {
      names.push_back(fs::path(it->path()).lexically_relative(directory));
    } else if (!fs::is_directory(status) && !fs::is_symlink(status)) {
      throw os::IoError(it->path(), "neither a file nor a directory: it cannot be copied");
    }
  }
  if (error) ThrowFilesystem(directory, error);
  std::sort(names.begin(), names.end());
  return names;
}

// std::filesystem::copy calls a full disk an input/output error.
void CopyFile(const fs::path& source, const fs::path& target) {
  const os::File from = os::File::Open(source, source, AT_FDCWD);
  struct stat info = {};
  if (::fstat(from.fd(), &info) != 0) throw os::IoError(source, errno);
  const os::Descriptor to(
      ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, info.st_mode & 0777));
  if (!to) throw os::IoError(target, errno);
  CopyBytes(from, std::numeric_limits<std::uint64_t>::max(), to.get(), target);
}

// Directories, regular files and symbolic links, of which alone the inventory consists.
void CopyTree(const fs::path& source, const fs::path& target) {
  if (!fs::is_directory(source)) return CopyFile(source, target);
  std::error_code error;
  fs::create_directory(target, source, error);
  if (error) ThrowFilesystem(target, error);
  for (fs::recursive_directory_iterator it(source, error), end; it != end; it.increment(error)) {
    if (error) break;
    const fs::path place = target / it->path().lexically_relative(source);
    if (it->is_symlink()) {
      fs::copy_symlink(it->path(), place, error);
    } else if (it->is_directory()) {
      fs::create_directory(place, it->path(), error);
    } else {
      CopyFile(it->path(), place);
    }
    if (error) ThrowFilesystem(place, error);
  }
  if (error) ThrowFilesystem(source, error);
}

void Copy(const std::string& source, const DataInventory& inventory, const fs::path& target) {
  const fs::path partial =
      target.parent_path() / ("." + target.filename().string() + ".mrbench-partial");
  std::error_code error;
  fs::remove_all(partial, error);
  try {
    CopyTree(source, partial);
    for (const std::string& path : FilePaths(inventory, partial)) Sync(path);
    fs::rename(partial, target, error);
    if (error) ThrowFilesystem(target, error);
  } catch (const os::IoError& failure) {
    fs::remove_all(partial, error);
    // The name of the partial copy would tell nobody anything.
    if (failure.path().starts_with(partial.string())) throw os::IoError(target, failure.reason());
    throw;
  } catch (...) {
    fs::remove_all(partial, error);
    throw;
  }
}

}  // namespace

std::uint64_t DataInventory::total_bytes() const {
  std::uint64_t total = 0;
  for (const File& file : files) total += file.bytes;
  return total;
}

std::string DataInventory::checksum() const {
  if (files.size() == 1 && files.front().name.empty()) return files.front().checksum;
  Checksum checksum;
  for (const File& file : files) checksum.Feed(file.checksum + "  " + file.name + "\n");
  return checksum.Hex();
}

std::vector<std::string> FilePaths(const DataInventory& inventory, const std::string& data) {
  std::vector<std::string> paths;
  for (const DataInventory::File& file : inventory.files) {
    paths.push_back(file.name.empty() ? data : data + "/" + file.name);
  }
  return paths;
}

DataInventory TakeInventory(const std::string& path) {
  DataInventory inventory;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error) ThrowFilesystem(path, error);
  if (fs::is_directory(status)) {
    for (std::string& name : RegularFilesBelow(path)) {
      inventory.files.push_back({.name = std::move(name), .bytes = 0, .checksum = {}});
    }
  } else if (fs::is_regular_file(status)) {
    inventory.files.emplace_back();
  } else {
    throw os::IoError(path, "neither a file nor a directory");
  }
  const std::vector<std::string> paths = FilePaths(inventory, path);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    inventory.files[i].checksum = ChecksumOf(paths[i], inventory.files[i].bytes);
  }
  if (inventory.total_bytes() == 0) throw os::IoError(path, "there is nothing in it");
  return inventory;
}

CopyOutcome PlaceCopy(const std::string& source, const DataInventory& inventory,
                      const std::string& target) {
  std::error_code error;
  CopyOutcome outcome = CopyOutcome::kWasThere;
  if (!fs::exists(fs::symlink_status(target, error))) {
    Copy(source, inventory, target);
    outcome = CopyOutcome::kCopied;
  } else if (fs::equivalent(source, target, error)) {
    outcome = CopyOutcome::kIsSource;
  }
  for (const std::string& path : FilePaths(inventory, target)) {
    // What this machine has just written would be read back from its own cache. A file system in
    // memory has no other; whether eviction works there is not what this is about.
    if (fs::exists(path, error)) os::Evict(path, std::chrono::milliseconds(0));
  }
  if (TakeInventory(target) != inventory) {
    throw os::IoError(target, outcome == CopyOutcome::kCopied
                                  ? "the copy that was read back differs from " + source
                                  : "is there already, and differs from " + source);
  }
  return outcome;
}

}  // namespace mr::lab
