// The unit in which bytes travel from files to the search: a block of whole lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/buffer_pool.h"
#include "io/io_spec.h"
#include "io/read_depth.h"
#include "os/error.h"

namespace mr::io {

// Whole lines, in file order by `index`. The views are valid as long as the lease that carries it.
struct Block {
  std::string_view bytes;    // every line with its terminator; the file's last may lack it
  std::uint64_t offset = 0;  // of bytes[0], counted from where the search of the file began
  std::uint64_t index = 0;   // 0, 1, 2, ... without gaps; a block may be empty
  // NUL bytes that stand in the file before `offset`, behind the block before this one, and are in
  // no block: a hole that was passed over (LineRules::skip_holes).
  std::uint64_t zeros_before = 0;
  bool last =
      false;  // surely nothing of the file is behind it; where that is not known it is false
  // Where the line behind `bytes` is too long to be given out as a whole (LineRules::pieces), its
  // beginning: BlockLease::More and Hold go on with it. Else empty.
  std::string_view fragment{};
};

// Why a block is not whole: a failed read, a file that shrank under a mapping.
struct Damage {
  std::size_t valid_bytes = 0;  // of the block, from its beginning
  os::IoError error;
};

// A block on loan. Destroying it gives the memory back to its source, which must outlive it.
class BlockLease {
 public:
  virtual ~BlockLease() = default;
  const Block& block() const { return block_; }

  // What follows block().fragment of the same line, piece by piece, each valid until the next call;
  // nothing behind the end of the line. The last piece ends with what ends the line, unless that is
  // the end of the file or damage. A lease that goes back before that may end the whole source.
  // Only for the thread that was given the lease.
  std::optional<std::string_view> More();

  // Makes the line a part of block().bytes, unless it is damaged: that it is too long to be held is
  // damage, too, of a file called `name`. What More has given out already is read again, where
  // reads_again().
  void Hold(const std::string& name);
  virtual bool reads_again() const { return false; }

  // Whether a NUL byte stands in the file's bytes from the end of this block, and of a line that
  // More has given out, up to `end_offset`: what decides whether a line near the end of the block
  // counts as text. Bytes that are not there (behind the end of the file, not yet in the pipe,
  // unreadable) count as none.
  virtual bool NulFollows(std::uint64_t end_offset) = 0;

  // To be asked after the bytes have been used, since a mapped file can lose them at any moment.
  // When set, only the first `valid_bytes` were real, and nothing behind this block can be trusted.
  virtual std::optional<Damage> CheckDamage() { return damage_; }

 protected:
  virtual std::optional<std::string_view> NextPiece() { return std::nullopt; }
  // Copies the `bytes` bytes behind block().bytes to `to`. Returns how many there are. Throws
  // os::IoError.
  virtual std::size_t ReadAgain(char* /*to*/, std::size_t /*bytes*/) { return 0; }

  Block block_;
  std::optional<Damage> damage_;

 private:
  std::size_t piece_bytes_ = 0;  // that More has given out
  std::optional<Buffer> held_;
};

// Gives out the blocks of one file, each once. Thread-safe.
class BlockSource {
 public:
  virtual ~BlockSource() = default;

  // The next block, or null at the end of the file. Indices follow the order of the calls, so
  // whoever holds block k knows that all earlier ones have been given out. A failure to read is
  // reported by the lease of the block that it struck (CheckDamage), so that it has its place in
  // the order of results; a source does not throw.
  virtual std::unique_ptr<BlockLease> Next() = 0;

  // Whether several threads may gain by calling Next. Where it is false Next can wait for input
  // without end, so a second thread in it could not be stopped.
  virtual bool parallel() const = 0;

  // "read", "mmap", "direct" or "uring", for --stats.
  virtual std::string_view mode() const = 0;

  // Of reads that run ahead, for --stats. To be asked when no thread is in Next.
  virtual ReadDepth depth() const { return {}; }

  // How the page cache is treated, for --stats.
  virtual CachePolicy policy() const { return CachePolicy::kNormal; }
};

}  // namespace mr::io
