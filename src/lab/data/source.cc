// C source: functions with nested blocks, macros, structures, tables, comments. Braces balance
// within each chunk.
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lab/data/lines.h"
#include "lab/data/pieces.h"
#include "lab/data/vocabulary.h"

namespace mr::lab {
namespace {

struct Pattern {
  std::uint64_t weight;
  const char* text;
};

// %v variable, %m member, %f function, %M macro, %T type, %n number, %x 0x and eight digits,
// %w word, %s text of a message, %o operator
constexpr Pattern kStatements[] = {
    {100, "%v = %f(%v, %v);"},
    {70, "%v->%m = %v;"},
    {60, "%f(%v);"},
    {50, "%v->%m |= %M;"},
    {45, "return %v;"},
    {40, "/* %w %w %w %w %w %w */"},
    {40, "%T %v = %f(%v->%m, %n);"},
    {35, "pr_err(\"%s: %w %w %w %%d\\n\", %v->%m, %v);"},
    {30, "%v = %v->%m[%v] %o %n;"},
    {30, "goto out_%w;"},
    {25, "%f(&%v->%m, %M | %M, %n);"},
    {25, "writel(%x, %v->%m + %M);"},
    {20, "memset(%v, 0, sizeof(*%v));"},
    {20, "break;"},
    {15, "%v->%m = (%v->%m & ~%M) | (%v << %n);"},
    {10, "// %w %w %w %w, %w %w %w %w %w %w"},
    {10, "WARN_ON_ONCE(%v->%m %o %x);"},
    {10, ""},
};
constexpr Pattern kBlockHeads[] = {
    {80, "if (%v %o %n) {"},
    {50, "if (!%v->%m || %v->%m %o %M) {"},
    {35, "for (%v = 0; %v < %v->%m; %v++) {"},
    {20, "list_for_each_entry(%v, &%v->%m, %m) {"},
    {15, "while (%f(%v) %o %n && --%v) {"},
    {10, "switch (%v->%m & %M) {"},
};
constexpr Pattern kFunctionHeads[] = {
    {100, "static int %f(struct %v *%v, %T %v)"},
    {60, "%T %f(%T %v)"},
    {40, "static inline void %f(struct %v *%v, const char *%v, size_t %v)"},
};
constexpr Pattern kDeclarations[] = {
    {60, "#define %M %x"},
    {30, "#define %M(%v) ((%v) << %n)"},
    {30, "EXPORT_SYMBOL_GPL(%f);"},
    {30, "/* %w %w %w %w %w %w %w %w %w. */"},
    {20, "extern %T %f(struct %v *%v);"},
    {15, "#include <linux/%v.h>"},
    {10, "MODULE_PARM_DESC(%v, \"%s of %w %w (default %n)\");"},
};
constexpr Pattern kMembers[] = {
    {50, "%T %m;"},
    {20, "struct %v *%m;"},
    {15, "%T %m; /* %w %w %w */"},
    {10, "%T %m[%M];"},
    {5, "int (*%m)(struct %v *%v, %T %v);"},
};
constexpr Pattern kEntries[] = {
    {60, "{ %M, %x, %n },"},
    {20, "{ .%m = %M, .%m = %f },"},
    {20, "[%M] = \"%s\","},
};
constexpr Pattern kStructHead[] = {{1, "struct %f {"}};
constexpr Pattern kTableHead[] = {{1, "static const struct %v %f[] = {"}};
constexpr Pattern kElse[] = {{1, "} else {"}};
constexpr Pattern kOpen[] = {{1, "{"}};
constexpr Pattern kClose[] = {{1, "}"}};
constexpr Pattern kCloseData[] = {{1, "};"}};
constexpr Pattern kBlank[] = {{1, ""}};

std::vector<std::string> Numbers() {
  std::vector<std::string> texts = {"0",   "1",       "2",       "-1",  "4",    "8",
                                    "16",  "32",      "10",      "3",   "64",   "0xff",
                                    "100", "-EINVAL", "-ENOMEM", "256", "1000", "4096"};
  for (int i = 5; i < 200; ++i) texts.push_back(std::to_string(i * 7));
  return texts;
}

std::vector<std::string> Hexadecimal() {
  Random random(8);
  std::vector<std::string> texts;
  for (int i = 0; i < 4096; ++i) {
    std::string text = "0x";
    std::uint32_t bits = Next32(random);
    for (int digit = 0; digit < 8; ++digit, bits >>= 4) text += "0123456789abcdef"[bits & 15];
    texts.push_back(std::move(text));
  }
  return texts;
}

struct SourceTables {
  PieceTable words = PieceTable::Zipf(EnglishWords(2048));
  PieceTable variables = PieceTable::Zipf(VariableNames(1024));
  PieceTable members = PieceTable::Zipf(VariableNames(512));
  PieceTable functions = PieceTable::Zipf(FunctionNames(8192));
  PieceTable macros = PieceTable::Zipf(MacroNames(4096));
  PieceTable numbers = PieceTable::Zipf(Numbers());
  PieceTable hexadecimal = PieceTable::Uniform(Hexadecimal());
  PieceTable types = PieceTable::Zipf({"int", "u32", "unsigned int", "unsigned long", "u64", "bool",
                                       "size_t", "char *", "void *", "u8", "s32", "const char *",
                                       "struct device *", "ssize_t", "atomic_t", "__le32"});
  PieceTable messages = PieceTable::Zipf(
      {"failed to allocate", "invalid", "timeout waiting for", "cannot register", "unexpected",
       "missing", "unable to map", "could not resume", "too many", "bad length in"});
  PieceTable operators = PieceTable::Zipf({"==", "<", "!=", ">", ">=", "&", "<=", "%"});

  PieceTable nothing = PieceTable::Uniform({""});

  const PieceTable* Find(char letter) const {
    switch (letter) {
      case 'w':
        return &words;
      case 'v':
        return &variables;
      case 'm':
        return &members;
      case 'f':
        return &functions;
      case 'M':
        return &macros;
      case 'n':
        return &numbers;
      case 'x':
        return &hexadecimal;
      case 'T':
        return &types;
      case 's':
        return &messages;
      default:
        return &operators;
    }
  }
};

// Lines that may stand at the same place. Rendering a pattern takes longer than the page cache
// takes to swallow it; so each choice holds many lines whose gaps are filled already, save one.
class Choice {
 public:
  template <std::size_t kCount>
  Choice(const Pattern (&patterns)[kCount], const SourceTables& tables, std::size_t variants) {
    std::vector<std::uint64_t> weights;
    for (const Pattern& pattern : patterns) weights.push_back(pattern.weight << 32);
    const SkewedIndex index(weights);
    Random random(variants + kCount);
    for (std::size_t i = 0; i < variants; ++i) {
      const Pattern& pattern = patterns[index.Pick(Next32(random))];
      lines_.push_back(Prefill(pattern, tables, random));
    }
  }

  struct Line {
    BasicPiece<48> before;
    Piece after;
    const PieceTable* gap;
  };
  const Line& Pick(std::uint32_t bits) const {
    return lines_[static_cast<std::uint64_t>(bits) * lines_.size() >> 32];
  }

 private:
  // Fills all gaps but one, chosen among those that leave pieces of the right size around it.
  static Line Prefill(const Pattern& pattern, const SourceTables& tables, Random& random);

  std::vector<Line> lines_;
};

Choice::Line Choice::Prefill(const Pattern& pattern, const SourceTables& tables, Random& random) {
  struct Gap {
    std::size_t begin, end;
    const PieceTable* table;
  };
  const std::string_view text = pattern.text;
  for (int attempt = 0; attempt < 10000; ++attempt) {
    std::string line;
    std::vector<Gap> gaps;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '%' || text[++i] == '%') {
        line += text[i];
        continue;
      }
      const PieceTable* const table = tables.Find(text[i]);
      const Piece& piece = table->Pick(Next32(random));
      gaps.push_back({line.size(), line.size() + piece.length, table});
      line.append(piece.bytes.data(), piece.length);
    }
    Line result{};
    if (gaps.empty()) gaps.push_back({line.size(), line.size(), &tables.nothing});
    const Gap& gap = gaps[random.Below(gaps.size())];
    if (gap.begin > result.before.bytes.size()) continue;
    if (line.size() - gap.end > result.after.bytes.size()) continue;
    result.before = BasicPiece<48>::Of(std::string_view(line).substr(0, gap.begin));
    result.after = Piece::Of(std::string_view(line).substr(gap.end));
    result.gap = gap.table;
    return result;
  }
  throw std::logic_error("pattern of a source line is too long: " + std::string(text));
}

// A line of a declaration, function, structure or table: how far it is indented and what may
// stand there.
struct Step {
  const Choice* choice;
  std::uint32_t indent;
  std::uint32_t open_braces;  // before this line
};
struct Script {
  std::vector<Step> steps;
  bool is_data = false;  // its last brace needs a semicolon
};

// Decides on the order of lines beforehand, since deciding costs a mispredicted branch each time.
class Scripts {
 public:
  explicit Scripts(const SourceTables& tables) : tables_(tables) {
    Random random(kCount);
    for (std::size_t i = 0; i < kCount; ++i) scripts_.push_back(Write(random));
  }

  static constexpr std::uint32_t kMaxDepth = 6;

  const Script& Pick(std::uint32_t bits) const { return scripts_[bits % kCount]; }

 private:
  static constexpr std::size_t kCount = 1024;

  Script Write(Random& random) const {
    Script script;
    const auto add = [&](const Choice& choice, std::uint32_t indent, std::uint32_t open) {
      script.steps.push_back({&choice, indent, open});
    };
    const std::uint32_t what = random.Below(16);
    if (what < 2) {
      script.is_data = true;
      add(what == 0 ? struct_head_ : table_head_, 0, 0);
      for (std::uint32_t lines = 2 + random.Below(14); lines > 0; --lines) {
        add(what == 0 ? members_ : entries_, 1, 1);
      }
      add(close_data_, 0, 1);
    } else if (what < 8) {
      add(declarations_, 0, 0);
      if (what < 6) return script;
    } else {
      add(function_heads_, 0, 0);
      add(open_, 0, 0);
      WriteBody(&script, random);
    }
    add(blank_, 0, 0);
    return script;
  }

  void WriteBody(Script* script, Random& random) const {
    const auto add = [&](const Choice& choice, std::uint32_t indent, std::uint32_t open) {
      script->steps.push_back({&choice, indent, open});
    };
    std::uint32_t depth = 1;
    std::uint32_t lines = 2;
    lines += random.Below(16);
    lines += random.Below(16);
    for (; lines > 0; --lines) {
      const std::uint32_t what = random.Below(16);
      if (what < 2 && depth < kMaxDepth) {
        add(block_heads_, depth, depth);
        ++depth;
        add(statements_, depth, depth);
      } else if (what < 5 && depth > 1) {
        --depth;
        add(close_, depth, depth + 1);
      } else if (what == 5 && depth > 1) {
        add(else_, depth - 1, depth);
        add(statements_, depth, depth);
      } else {
        add(statements_, depth, depth);
      }
    }
    while (depth > 0) {
      --depth;
      add(close_, depth, depth + 1);
    }
  }

  const SourceTables& tables_;
  const Choice statements_{kStatements, tables_, 4096};
  const Choice block_heads_{kBlockHeads, tables_, 1024};
  const Choice function_heads_{kFunctionHeads, tables_, 1024};
  const Choice declarations_{kDeclarations, tables_, 1024};
  const Choice members_{kMembers, tables_, 256};
  const Choice entries_{kEntries, tables_, 256};
  const Choice struct_head_{kStructHead, tables_, 1};
  const Choice table_head_{kTableHead, tables_, 64};
  const Choice else_{kElse, tables_, 1};
  const Choice open_{kOpen, tables_, 1};
  const Choice close_{kClose, tables_, 1};
  const Choice close_data_{kCloseData, tables_, 1};
  const Choice blank_{kBlank, tables_, 1};
  std::vector<Script> scripts_;
};

class SourceLines final : public LineMaker {
 public:
  void Start(Random random, std::uint64_t, std::uint64_t) override {
    random_ = random;
    NextScript();
  }

  char* Line(char* out, Place* place) override {
    if (step_ == script_->steps.size()) NextScript();
    const Step& step = script_->steps[step_++];
    const std::uint64_t bits = random_.Next();
    const Choice::Line& line = step.choice->Pick(static_cast<std::uint32_t>(bits >> 32));
    const Piece& gap = line.gap->Pick(static_cast<std::uint32_t>(bits));
    static_assert(Scripts::kMaxDepth <= 8);
    std::memset(out, '\t', 8);
    char* end = Append(Append(Append(out + step.indent, line.before), gap), line.after);
    *place = {step.indent, static_cast<std::uint32_t>(end - out) - step.indent};
    *end++ = '\n';
    return end;
  }

  // Room must stay for the braces that are still to be closed.
  bool Fits(std::size_t bytes, std::size_t room) const override {
    return bytes + kClosingBytes <= room;
  }

  void Finish(char* out, std::size_t room, const char*) override {
    char* const end = out + room;
    // The line that did not fit has been taken from the script.
    for (std::uint32_t depth = script_->steps[step_ - 1].open_braces; depth > 0; --depth) {
      const std::string_view brace = depth == 1 && script_->is_data ? "};\n" : "}\n";
      std::memset(out, '\t', depth - 1);
      std::memcpy(out + depth - 1, brace.data(), brace.size());
      out += depth - 1 + brace.size();
    }
    // "/* ------ */" up to the last byte; where it has no room, blank lines.
    while (end - out >= 8) {
      const std::ptrdiff_t bytes = end - out < 72 + 8 ? end - out : 72;
      std::memset(out, '-', static_cast<std::size_t>(bytes));
      std::memcpy(out, "/* ", 3);
      std::memcpy(out + bytes - 4, " */\n", 4);
      out += bytes;
    }
    std::memset(out, '\n', static_cast<std::size_t>(end - out));
  }

 private:
  static constexpr std::size_t kClosingBytes = Scripts::kMaxDepth * (Scripts::kMaxDepth + 2);

  void NextScript() {
    script_ = &scripts_.Pick(Next32(random_));
    step_ = 0;
  }

  const SourceTables tables_{};
  const Scripts scripts_{tables_};
  Random random_{0};
  const Script* script_ = nullptr;
  std::size_t step_ = 0;
};

}  // namespace

std::unique_ptr<LineMaker> MakeSourceLines() { return std::make_unique<SourceLines>(); }

}  // namespace mr::lab
