#include "pattern/tree.h"

#include <utility>

namespace mr::pattern {

Node Node::Literal(std::string bytes) {
  Node node;
  node.kind = Kind::kLiteral;
  node.literal = std::move(bytes);
  return node;
}

Node Node::Set(CharSet set) {
  Node node;
  node.kind = Kind::kSet;
  node.set = std::make_shared<const CharSet>(std::move(set));
  return node;
}

Node Node::Assert(Assertion assertion) {
  Node node;
  node.kind = Kind::kAssert;
  node.assertion = assertion;
  return node;
}

Node Node::BackReference(int number) {
  Node node;
  node.kind = Kind::kBackReference;
  node.min = number;
  return node;
}

Node Node::Repeat(Node child, int min, int max) {
  if (child.kind == Kind::kEmpty || max == 0) return Empty();
  if (min == 1 && max == 1) return child;
  // Repeating an assertion adds nothing, and doing without it is always possible when min is 0.
  if (child.kind == Kind::kAssert) return min == 0 ? Empty() : child;
  // (x*)*, (x+)* and the like are x*: long chains of stacked repeats stay one node.
  if (child.kind == Kind::kRepeat && child.max == kUnlimited && child.min <= 1 &&
      max == kUnlimited && min <= 1) {
    child.min = child.min == 1 && min == 1 ? 1 : 0;
    return child;
  }
  if (child.kind == Kind::kRepeat && child.min == 0 && min <= 1 &&
      (child.max == kUnlimited || (child.max == 1 && max == 1))) {
    return child;
  }
  Node node;
  node.kind = Kind::kRepeat;
  node.min = min;
  node.max = max;
  node.children.push_back(std::move(child));
  return node;
}

Node Node::Concat(std::vector<Node> children) {
  Node node;
  node.kind = Kind::kConcat;
  const auto append = [&node](Node&& child) {
    if (child.kind == Kind::kEmpty) return;
    if (child.kind == Kind::kLiteral && !node.children.empty() &&
        node.children.back().kind == Kind::kLiteral) {
      node.children.back().literal += child.literal;
      return;
    }
    node.children.push_back(std::move(child));
  };
  for (Node& child : children) {
    if (child.kind == Kind::kConcat) {
      for (Node& grandchild : child.children) append(std::move(grandchild));
    } else {
      append(std::move(child));
    }
  }
  if (node.children.empty()) return Empty();
  if (node.children.size() == 1) {
    Node only = std::move(node.children[0]);
    return only;
  }
  return node;
}

Node Node::Alternate(std::vector<Node> children) {
  if (children.size() == 1) {
    Node only = std::move(children[0]);
    return only;
  }
  Node node;
  node.kind = Kind::kAlternate;
  for (Node& child : children) {
    if (child.kind == Kind::kAlternate) {
      for (Node& grandchild : child.children) node.children.push_back(std::move(grandchild));
    } else {
      node.children.push_back(std::move(child));
    }
  }
  return node;
}

}  // namespace mr::pattern
