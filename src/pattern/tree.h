// A pattern as a syntax tree, after the differences between basic and extended syntax, named
// classes and ignored case have been resolved. Values; copying copies the tree (sets are shared).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pattern/char_set.h"

namespace mr::pattern {

enum class Assertion {
  kLineBegin,
  kLineEnd,
  kBufferBegin,      // \`; a buffer is a line
  kBufferEnd,        // \'
  kWordBegin,        // \<
  kWordEnd,          // \>
  kWordBoundary,     // \b
  kNotWordBoundary,  // \B
};

struct Node {
  enum class Kind {
    kEmpty,          // matches the empty string
    kLiteral,        // `literal`: bytes, encoded; perhaps with bytes that form no character
    kSet,            // one character of `set`, which may be empty
    kAssert,         // `assertion`
    kBackReference,  // `min` is its number
    kConcat,         // `children` in order
    kAlternate,      // one of `children`
    kRepeat,         // children[0], `min` to `max` times
  };
  static constexpr int kUnlimited = -1;

  Kind kind = Kind::kEmpty;
  Assertion assertion = Assertion::kLineBegin;
  int min = 0;
  int max = 0;
  bool left_to_c_library = false;  // a kSet that GNU grep's automaton takes for any text
  std::string literal;
  std::shared_ptr<const CharSet> set;
  std::vector<Node> children;

  static Node Empty() { return Node(); }
  static Node Literal(std::string bytes);
  static Node Set(CharSet set);
  static Node Assert(Assertion assertion);
  static Node BackReference(int number);
  static Node Repeat(Node child, int min, int max);
  // These flatten nested nodes of their own kind and join neighbouring literals.
  static Node Concat(std::vector<Node> children);
  static Node Alternate(std::vector<Node> children);
};

}  // namespace mr::pattern
