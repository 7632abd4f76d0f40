// The unit in which bytes travel from files to the search: a block of whole lines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "os/error.h"

namespace mr::io {

// Whole lines, in file order by `index`. The view is valid as long as the lease that carries it.
struct Block {
  std::string_view bytes;      // every line with its terminator; the file's last may lack it
  std::uint64_t offset = 0;    // of bytes[0], counted from where the search of the file began
  std::uint64_t index = 0;     // 0, 1, 2, ... without gaps; a block may be empty
};

// What a mapped file turned out not to hold after all (it shrank, or the device failed).
struct Damage {
  std::size_t valid_bytes = 0;  // of the block, from its beginning
  os::IoError error;
};

// A block on loan. Destroying it gives the memory back to its source, which must outlive it.
class BlockLease {
 public:
  virtual ~BlockLease() = default;
  const Block& block() const { return block_; }

  // Whether a NUL byte stands in the file bytes [block end, end_offset), which lie behind this
  // block: GNU grep's question whether a line near the end of the block is text. Bytes behind the
  // end of the file, or not yet arrived in a pipe, count as none. Throws IoError.
  virtual bool NulFollows(std::uint64_t end_offset) = 0;

  // Called after the bytes have been used: set when some of them were not there. Lines that
  // reach past `valid_bytes` must be taken for not read.
  virtual std::optional<Damage> CheckDamage() { return std::nullopt; }

 protected:
  Block block_;
};

// Gives out the blocks of one file, each once. Thread-safe.
class BlockSource {
 public:
  virtual ~BlockSource() = default;

  // The next block, or null at the end of the file. Indices are given out in the order of the
  // calls, so whoever holds block k knows that all earlier ones have been taken. Throws IoError;
  // the blocks before the failure have been given out by then.
  virtual std::unique_ptr<BlockLease> Next() = 0;

  // Whether more than one thread gains by calling Next (false for pipes).
  virtual bool parallel() const = 0;

  virtual std::string_view mode() const = 0;  // "read" or "mmap", for --stats
};

}  // namespace mr::io
