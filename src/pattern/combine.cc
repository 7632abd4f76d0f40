#include "pattern/combine.h"

#include <utility>

#include "pattern/analyze.h"
#include "pattern/parse.h"

namespace mr::pattern {
namespace {

// The assertion that holds exactly when no word character lies beyond an edge whose own
// character is one of `edge`.
std::optional<Assertion> OutsideIsNoWord(const CharSet& edge, const CharSet& word) {
  if (edge.IsSubsetOf(word)) return Assertion::kWordBoundary;
  if (!edge.Intersects(word)) return Assertion::kNotWordBoundary;
  return std::nullopt;
}

}  // namespace

Combined Combine(const Source& source, const Alphabet& alphabet) {
  Combined result;
  if (!alphabet.exact()) {
    // Bytes of such a character may look like operators: only the C library can tell.
    result.tree = Node::Assert(Assertion::kLineBegin);
    return result;
  }
  std::vector<Node> branches;
  branches.reserve(source.patterns.size());
  std::string complaint;
  std::string errors;
  for (std::size_t i = 0; i < source.patterns.size(); ++i) {
    const std::string& text = source.patterns[i];
    try {
      Parsed parsed = source.syntax == Syntax::kFixed
                          ? ParseFixed(text, alphabet)
                          : ParseRegex(text, source.syntax == Syntax::kExtended, alphabet);
      branches.push_back(std::move(parsed.tree));
      // The automaton gives up at its first complaint.
      if (complaint.empty()) {
        for (std::string& warning : parsed.warnings) result.warnings.push_back(std::move(warning));
        complaint = std::move(parsed.complaint);
      }
      result.needs_c_library |= parsed.needs_c_library;
      result.has_invalid_bytes |= parsed.has_invalid_bytes;
      result.readings_differ |= parsed.readings_differ;
    } catch (const PatternError& error) {
      // GNU grep reports every malformed pattern before it gives up.
      if (!errors.empty()) errors += '\n';
      if (source.origin) {
        if (const std::string origin = source.origin(i); !origin.empty()) errors += origin + ": ";
      }
      errors += error.what();
    }
  }
  if (!errors.empty()) throw PatternError(errors);
  if (!complaint.empty()) {
    std::string message;
    for (const std::string& warning : result.warnings) message += "warning: " + warning + '\n';
    throw PatternError(message + complaint);
  }
  result.tree = branches.empty() ? Node::Set(CharSet()) : Node::Alternate(std::move(branches));
  // What is repeated no times at all is not there.
  result.has_back_reference = Inspect(result.tree).back_references;
  result.left_to_c_library = IsLeftToCLibrary(result.tree, alphabet);
  return result;
}

Node MatchWholeLine(Node tree) {
  std::vector<Node> parts;
  parts.push_back(Node::Assert(Assertion::kLineBegin));
  parts.push_back(std::move(tree));
  parts.push_back(Node::Assert(Assertion::kLineEnd));
  return Node::Concat(std::move(parts));
}

std::optional<Node> MatchWord(const Node& tree, const Alphabet& alphabet) {
  if (tree.kind == Node::Kind::kAlternate) {
    std::vector<Node> branches;
    branches.reserve(tree.children.size());
    for (const Node& child : tree.children) {
      std::optional<Node> branch = MatchWord(child, alphabet);
      if (!branch) return std::nullopt;
      branches.push_back(*std::move(branch));
    }
    return Node::Alternate(std::move(branches));
  }
  if (IsNullable(tree)) return std::nullopt;
  const CharSet first = FirstCharacters(tree, alphabet);
  const CharSet last = LastCharacters(tree, alphabet);
  // Most words are ASCII, and then the locale need not be asked about every character it has.
  const CharSet ascii(0, 0x7f);
  CharSet word('0', '9');
  word.Add('A', 'Z');
  word.Add('_');
  word.Add('a', 'z');
  if (!first.IsSubsetOf(ascii) || !last.IsSubsetOf(ascii)) word = alphabet.WordCharacters();
  const auto before = OutsideIsNoWord(first, word);
  const auto behind = OutsideIsNoWord(last, word);
  if (!before || !behind) return std::nullopt;
  std::vector<Node> parts;
  parts.push_back(Node::Assert(*before));
  parts.push_back(tree);
  parts.push_back(Node::Assert(*behind));
  return Node::Concat(std::move(parts));
}

Node MatchBetweenWords(Node tree, const Alphabet& alphabet) {
  const Node beyond = Node::Set(alphabet.line_characters().Subtract(alphabet.WordCharacters()));
  const auto edge = [&](Assertion end) {
    std::vector<Node> either;
    either.push_back(Node::Assert(end));
    either.push_back(beyond);
    return Node::Alternate(std::move(either));
  };
  std::vector<Node> parts;
  parts.push_back(edge(Assertion::kLineBegin));
  parts.push_back(std::move(tree));
  parts.push_back(edge(Assertion::kLineEnd));
  return Node::Concat(std::move(parts));
}

}  // namespace mr::pattern
