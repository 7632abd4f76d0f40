#include "pattern/emit_sequences.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "pattern/analyze.h"
#include "pattern/byte_rarity.h"
#include "pattern/folded_letter.h"

namespace mr::pattern {
namespace {

using Kind = Node::Kind;

constexpr std::size_t kMostBranches = 32;
constexpr std::size_t kMostBytes = 64;  // of a sequence

// Repeats within repeats are written out as long as they need no more than so many steps.
constexpr int kMostSteps = 2000;

// So many adjacent bytes tell a sequence as well as more would.
constexpr std::size_t kTellingBytes = 3;

ByteSet One(char byte) { return ByteSet().set(static_cast<unsigned char>(byte)); }

// The branches of the tree, those of groups inside multiplied out as long as they are few.
std::vector<Node> Branches(const Node& node) {
  if (node.kind == Kind::kAlternate) {
    std::vector<Node> all;
    for (const Node& child : node.children) {
      if (all.size() > kMostBranches) break;
      std::vector<Node> branches = Branches(child);
      std::move(branches.begin(), branches.end(), std::back_inserter(all));
    }
    return all;
  }
  if (node.kind != Kind::kConcat) return {node};
  std::vector<std::vector<Node>> products(1);
  for (const Node& child : node.children) {
    std::vector<Node> branches = Branches(child);
    if (branches.size() * products.size() > kMostBranches) branches = {child};
    std::vector<std::vector<Node>> longer;
    for (const Node& branch : branches) {
      for (const auto& product : products) {
        longer.push_back(product);
        longer.back().push_back(branch);
      }
    }
    products = std::move(longer);
  }
  std::vector<Node> all;
  for (auto& product : products) all.push_back(Node::Concat(std::move(product)));
  return all;
}

// The runs of one branch.
class BranchReader {
 public:
  BranchReader(const Alphabet& alphabet, char terminator, bool nul_ends_line, Wanted wanted)
      : alphabet_(alphabet),
        terminator_(terminator),
        nul_ends_line_(nul_ends_line),
        wanted_(wanted) {}

  // The run that is told most easily; `others` become the characters that may take the place of one
  // in it.
  std::optional<ByteSequence> Read(const Node& branch, std::set<char32_t>& others) {
    const bool trim = wanted_ == Wanted::kLines;
    std::span<const Node> nodes(&branch, 1);
    if (branch.kind == Kind::kConcat) nodes = trim ? NeededChildren(branch) : branch.children;
    for (const Node& node : nodes) {
      const bool outer = &node == &nodes.front() || &node == &nodes.back();
      if (trim && outer && node.kind == Kind::kRepeat) {
        if (!VisitCopies(node.children[0], node.min)) Break();
      } else {
        Visit(node);
      }
    }
    KeepBetter();
    if (best_.sequence.bytes.empty()) return std::nullopt;
    best_.sequence.whole = whole_;
    others.merge(best_.others);
    return std::move(best_.sequence);
  }

 private:
  struct Run {
    ByteSequence sequence;
    std::set<char32_t> others;
  };

  void Visit(const Node& node) {
    switch (node.kind) {
      case Kind::kEmpty:
        break;
      case Kind::kLiteral:
        for (const char byte : node.literal) Append(One(byte));
        break;
      case Kind::kSet:
        VisitSet(*node.set);
        break;
      case Kind::kAssert:
        VisitAssertion(node.assertion);
        break;
      case Kind::kConcat:
        for (const Node& child : node.children) Visit(child);
        break;
      case Kind::kRepeat:
        if (node.min == 0) {
          Break();
        } else if (!VisitCopies(node.children[0], node.min) || node.min != node.max) {
          Break();  // the last copies are adjacent to what comes next
          VisitCopies(node.children[0], node.min);
        }
        break;
      case Kind::kAlternate:
      case Kind::kBackReference:
        Break();
        break;
    }
  }

  // Whether all copies are in the run.
  bool VisitCopies(const Node& node, int copies) {
    for (int i = 0; i < copies; ++i) {
      if (run_.sequence.bytes.size() >= kMostBytes || ++steps_ > kMostSteps) return false;
      Visit(node);
    }
    return true;
  }

  void VisitSet(const CharSet& set) {
    ByteSet bytes;
    std::set<char32_t> others;
    if (alphabet_.utf8() && !set.IsSubsetOf(CharSet(0, kLastAscii))) {
      const std::optional<char> letter = FoldedLetter(set, others);
      if (!letter) return VisitFew(set);
      bytes = One(*letter) | One(static_cast<char>(*letter - 'a' + 'A'));
      run_.others.merge(others);
    } else {
      for (const CharRange& r : set.ranges()) {
        for (char32_t c = r.first; c <= r.last; ++c) bytes.set(c);
      }
    }
    Append(bytes);
  }

  // Characters beyond ASCII: those of one length become a set for each byte, which has more members
  // than they are.
  void VisitFew(const CharSet& set) {
    if (set.size() > kFewCharacters) return Break();
    std::vector<ByteSet> bytes;
    for (const CharRange& r : set.ranges()) {
      for (char32_t c = r.first; c <= r.last; ++c) {
        std::string encoded;
        alphabet_.Encode(c, encoded);
        if (bytes.empty()) bytes.resize(encoded.size());
        if (bytes.size() != encoded.size()) return Break();
        for (std::size_t i = 0; i < encoded.size(); ++i) bytes[i] |= One(encoded[i]);
      }
    }
    if (set.size() > 1) whole_ = false;
    for (const ByteSet& byte : bytes) Append(byte);
  }

  void VisitAssertion(Assertion assertion) {
    ByteSequence& run = run_.sequence;
    switch (assertion) {
      case Assertion::kLineBegin:
      case Assertion::kBufferBegin:
        if (run.bytes.empty()) {
          run.from_line_begin = true;
          run.bytes.push_back(One(terminator_));
        } else if (!run.from_line_begin || run.bytes.size() > 1) {
          whole_ = false;
        }
        break;
      case Assertion::kLineEnd:
      case Assertion::kBufferEnd:
        if (!run.to_line_end) run.bytes.push_back(One(terminator_));
        run.to_line_end = true;
        break;
      default:
        whole_ = false;
    }
  }

  void Append(ByteSet bytes) {
    if (run_.sequence.to_line_end || run_.sequence.bytes.size() == kMostBytes) Break();
    bytes.reset(static_cast<unsigned char>(terminator_));  // no line holds these
    if (nul_ends_line_) bytes.reset(0);
    run_.sequence.bytes.push_back(bytes);
  }

  // What comes next need not be adjacent.
  void Break() {
    whole_ = false;
    KeepBetter();
    run_ = {};
  }

  void KeepBetter() {
    if (run_.sequence.bytes.empty()) return;
    if (best_.sequence.bytes.empty() || RarityBits(run_) > RarityBits(best_)) best_ = run_;
  }

  // Of the bytes that tell the run best.
  static double RarityBits(const Run& run) {
    const std::vector<ByteSet>& bytes = run.sequence.bytes;
    const std::size_t telling = std::min(kTellingBytes, bytes.size());
    double most = 0;
    for (std::size_t at = 0; at + telling <= bytes.size(); ++at) {
      double bits = 0;
      for (std::size_t i = 0; i < telling; ++i) bits += pattern::RarityBits(bytes[at + i]);
      most = std::max(most, bits);
    }
    return most;
  }

  const Alphabet& alphabet_;
  const char terminator_;
  const bool nul_ends_line_;
  const Wanted wanted_;
  Run run_;
  Run best_;
  int steps_ = 0;
  bool whole_ = true;  // the run is all that there is in the branch
};

}  // namespace

std::optional<Sequences> EmitSequences(const Node& tree, const Alphabet& alphabet, char terminator,
                                       Wanted wanted) {
  const Contents contents = Inspect(tree);
  if (terminator != '\n' && contents.line_assertions) return std::nullopt;
  if (tree.children.size() > kMostBranches && tree.kind == Kind::kAlternate) return std::nullopt;
  const std::vector<Node> branches = Branches(tree);
  if (branches.size() > kMostBranches) return std::nullopt;
  const bool nul_ends_line = !alphabet.line_characters().Contains(0);
  Sequences result;
  std::set<char32_t> others;
  for (const Node& branch : branches) {
    BranchReader reader(alphabet, terminator, nul_ends_line, wanted);
    std::optional<ByteSequence> sequence = reader.Read(branch, others);
    if (!sequence) return std::nullopt;
    sequence->whole &= !contents.back_references;
    if (!sequence->whole) result.exact = result.exact_on_ascii = false;
    result.any_of.push_back(*std::move(sequence));
  }
  for (const char32_t other : others) {
    result.exact = false;
    std::string encoded;
    alphabet.Encode(other, encoded);
    ByteSequence sequence;
    sequence.whole = false;
    for (const char byte : encoded) sequence.bytes.push_back(One(byte));
    result.any_of.push_back(std::move(sequence));
  }
  return result;
}

}  // namespace mr::pattern
