#include "pattern/analyze.h"

#include <algorithm>

namespace mr::pattern {
namespace {

using Kind = Node::Kind;

// First and last characters differ only in the order in which a concatenation is walked.
CharSet EdgeCharacters(const Node& node, const Alphabet& alphabet, bool first) {
  switch (node.kind) {
    case Kind::kEmpty:
    case Kind::kAssert:
      return CharSet();
    case Kind::kSet:
      return *node.set;
    case Kind::kBackReference:
      return alphabet.line_characters();
    case Kind::kLiteral: {
      std::size_t at = 0;
      Alphabet::Decoded decoded = alphabet.Decode(node.literal, at);
      while (!first && at + decoded.length_bytes < node.literal.size()) {
        at += decoded.length_bytes;
        decoded = alphabet.Decode(node.literal, at);
      }
      if (!decoded.code) return alphabet.line_characters();
      return CharSet(*decoded.code, *decoded.code);
    }
    case Kind::kRepeat:
      return EdgeCharacters(node.children[0], alphabet, first);
    case Kind::kAlternate: {
      CharSet set;
      for (const Node& child : node.children) set.Add(EdgeCharacters(child, alphabet, first));
      return set;
    }
    case Kind::kConcat: {
      CharSet set;
      const std::size_t n = node.children.size();
      for (std::size_t i = 0; i < n; ++i) {
        const Node& child = node.children[first ? i : n - 1 - i];
        set.Add(EdgeCharacters(child, alphabet, first));
        if (!IsNullable(child)) break;
      }
      return set;
    }
  }
  return CharSet();
}

}  // namespace

bool IsNullable(const Node& node) {
  switch (node.kind) {
    case Kind::kEmpty:
    case Kind::kAssert:
    case Kind::kBackReference:
      return true;
    case Kind::kLiteral:
    case Kind::kSet:
      return false;
    case Kind::kConcat:
      return std::all_of(node.children.begin(), node.children.end(), IsNullable);
    case Kind::kAlternate:
      return std::any_of(node.children.begin(), node.children.end(), IsNullable);
    case Kind::kRepeat:
      return node.min == 0 || IsNullable(node.children[0]);
  }
  return true;
}

CharSet FirstCharacters(const Node& node, const Alphabet& alphabet) {
  return EdgeCharacters(node, alphabet, true);
}

CharSet LastCharacters(const Node& node, const Alphabet& alphabet) {
  return EdgeCharacters(node, alphabet, false);
}

Contents Inspect(const Node& node) {
  Contents result;
  if (node.kind == Kind::kAssert) {
    result.word_assertions = node.assertion >= Assertion::kWordBegin;
    result.line_assertions = !result.word_assertions;
  }
  result.back_references = node.kind == Kind::kBackReference;
  for (const Node& child : node.children) {
    const Contents inside = Inspect(child);
    result.back_references |= inside.back_references;
    result.line_assertions |= inside.line_assertions;
    result.word_assertions |= inside.word_assertions;
    result.repeat_product = std::max(result.repeat_product, inside.repeat_product);
  }
  if (node.kind == Kind::kRepeat) {
    // Saturates long before it can overflow: a pattern that large has no tree-based engine.
    constexpr std::size_t kHuge = 1u << 30;
    const auto count = static_cast<std::size_t>(std::max({node.min, node.max, 1}));
    result.repeat_product = std::min(kHuge, result.repeat_product * count);
  }
  return result;
}

std::optional<std::size_t> LongestMatchBytes(const Node& node) {
  constexpr std::size_t kBytesOfCharacter = 4;  // in UTF-8 the most (RFC 3629)
  constexpr std::size_t kHuge = std::size_t{1} << 30;
  std::size_t bytes = 0;
  switch (node.kind) {
    case Kind::kEmpty:
    case Kind::kAssert:
      return 0;
    case Kind::kLiteral:
      return node.literal.size();
    case Kind::kSet:
      return kBytesOfCharacter;
    case Kind::kBackReference:
      return std::nullopt;
    case Kind::kConcat:
    case Kind::kAlternate:
    case Kind::kRepeat:
      break;
  }
  for (const Node& child : node.children) {
    const std::optional<std::size_t> more = LongestMatchBytes(child);
    if (!more) return std::nullopt;
    bytes = node.kind == Kind::kConcat ? bytes + *more : std::max(bytes, *more);
  }
  if (node.kind == Kind::kRepeat) {
    if (node.max == Node::kUnlimited) return bytes == 0 ? std::optional(bytes) : std::nullopt;
    bytes *= static_cast<std::size_t>(node.max);
  }
  return std::min(bytes, kHuge);
}

bool IsLeftToCLibrary(const Node& node, const Alphabet& alphabet) {
  if (node.left_to_c_library) return true;
  if (node.kind == Kind::kAssert && node.assertion >= Assertion::kWordBegin) {
    return !alphabet.single_bytes();
  }
  return std::any_of(node.children.begin(), node.children.end(),
                     [&](const Node& child) { return IsLeftToCLibrary(child, alphabet); });
}

bool ReadsCertainCharacters(const Node& node) {
  if (node.kind == Kind::kLiteral) return true;
  if (node.kind == Kind::kSet) return !node.left_to_c_library;
  return std::any_of(node.children.begin(), node.children.end(), ReadsCertainCharacters);
}

std::span<const Node> NeededChildren(const Node& node) {
  const auto optional = [](const Node& child) {
    return IsNullable(child) && !Inspect(child).any_assertion();
  };
  std::span<const Node> needed = node.children;
  while (!needed.empty() && optional(needed.front())) needed = needed.subspan(1);
  while (!needed.empty() && optional(needed.back())) needed = needed.first(needed.size() - 1);
  return needed;
}

bool MatchesEveryLine(const Node& node) {
  switch (node.kind) {
    case Kind::kEmpty:
      return true;
    case Kind::kAssert:
      return node.assertion < Assertion::kWordBegin;
    case Kind::kConcat: {
      // Two anchors might never hold in the same place.
      std::size_t anchored = 0;
      for (const Node& child : node.children) {
        if (!MatchesEveryLine(child)) return false;
        anchored += Inspect(child).any_assertion() ? 1 : 0;
      }
      return anchored <= 1;
    }
    case Kind::kAlternate:
      return std::any_of(node.children.begin(), node.children.end(), MatchesEveryLine);
    case Kind::kRepeat:
      return node.min == 0 || MatchesEveryLine(node.children[0]);
    case Kind::kLiteral:
    case Kind::kSet:
    case Kind::kBackReference:
      break;
  }
  return false;
}

}  // namespace mr::pattern
