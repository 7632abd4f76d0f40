#include "lab/studies/crunch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "lab/report/gnuplot.h"

namespace mr::lab {
namespace {

// The lines of the input, each without its newline.
std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

using Block = std::vector<std::string_view>;

std::array<Block, 4> Blocks(std::string_view raw) {
  const Block lines = Lines(raw);
  if (lines.empty()) throw CrunchError("mangled input");
  std::array<Block, 4> blocks;
  std::size_t at = 0;
  for (Block& block : blocks) {
    while (at < lines.size() && !lines[at].empty()) block.push_back(lines[at++]);
    ++at;  // the first empty line
    if (at < lines.size() && !lines[at++].empty()) throw CrunchError("mangled input");
  }
  return blocks;
}

// Separated by single blanks.
std::vector<std::string_view> Fields(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t blank = line.find(' ');
    fields.push_back(line.substr(0, blank));
    if (blank == std::string_view::npos) return fields;
    line.remove_prefix(blank + 1);
  }
}

CrunchError ErrorAt(const char* what, std::size_t index) {
  return CrunchError(fmt::format("{}, index {}", what, index));
}

double Number(std::string_view field, std::size_t index) {
  double value = 0;
  const char* const end = field.data() + field.size();
  const auto [rest, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) {
    throw ErrorAt("not a number", index);
  }
  return value;
}

std::vector<SweepPoint> Subtract(const Block& nopurge, const Block& purge) {
  std::vector<SweepPoint> points;
  for (std::size_t i = 0; i < nopurge.size(); ++i) {
    const std::vector<std::string_view> without = Fields(nopurge[i]);
    const std::vector<std::string_view> with = Fields(purge[i]);
    if (Number(without[0], i) != Number(with[0], i)) throw ErrorAt("mismatched sizes", i);
    if (without.size() != 3 || with.size() != 3) throw ErrorAt("wrong number of fields", i);
    points.push_back({.size_bytes = Number(without[0], i),
                      .user_s = std::max(Number(with[1], i) - Number(without[1], i), 0.0),
                      .system_s = std::max(Number(with[2], i) - Number(without[2], i), 0.0)});
    if (points.back().size_bytes <= 0 ||
        (i > 0 && points[i].size_bytes <= points[i - 1].size_bytes)) {
      throw ErrorAt("sizes out of order", i);
    }
  }
  return points;
}

std::string Points(const std::vector<SweepPoint>& points, double SweepPoint::*time) {
  std::string text;
  for (const SweepPoint& point : points) {
    text += fmt::format("{} {}\n", point.size_bytes / 1024, point.*time);
  }
  return text;
}

}  // namespace

std::string FormatRaw(const Raw& raw) {
  std::string text;
  for (const std::vector<SweepPoint>& block : raw) {
    if (!text.empty()) text += "\n\n";
    for (const SweepPoint& point : block) {
      text += fmt::format("{:.0f} {:.6f} {:.6f}\n", point.size_bytes, point.user_s, point.system_s);
    }
  }
  return text;
}

Crunched Crunch(std::string_view raw) {
  const std::array<Block, 4> blocks = Blocks(raw);
  for (const Block& block : blocks) {
    if (block.size() != blocks[0].size()) throw CrunchError("vectors not all equal");
  }
  return {.read = Subtract(blocks[kReadNopurge], blocks[kReadPurge]),
          .mmap = Subtract(blocks[kMmapNopurge], blocks[kMmapPurge])};
}

std::string FormatCrunched(const Crunched& crunched) {
  std::string text;
  const auto append = [&text](const std::vector<SweepPoint>& points) {
    for (const SweepPoint& point : points) {
      text += fmt::format("{:.1f} {:.2f} {:.2f}\n", point.size_bytes / 1024, point.user_s,
                          point.system_s);
    }
  };
  append(crunched.read);
  text += "\n\n";
  append(crunched.mmap);
  return text;
}

Crossover FindCrossover(const std::vector<double>& sizes, const std::vector<double>& read,
                        const std::vector<double>& mmap) {
  Crossover result;
  const auto read_is_dearer = [&](std::size_t i) { return read[i] > mmap[i]; };
  std::size_t first = sizes.size();  // from which on read is always dearer
  while (first > 0 && read_is_dearer(first - 1)) --first;
  if (first == sizes.size()) {
    result.always = "read";
    return result;
  }
  if (first == 0) {
    result.always = "mmap";
    return result;
  }
  result.below_bytes = sizes[first - 1];
  result.above_bytes = sizes[first];
  // A cost that was measured as zero has no logarithm.
  constexpr double kLeast = 1e-9;
  const auto log_ratio = [&](std::size_t i) {
    return std::log(std::max(read[i], kLeast) / std::max(mmap[i], kLeast));
  };
  const double low = std::min(log_ratio(first - 1), 0.0);
  const double high = std::max(log_ratio(first), 0.0);
  const double share = high > low ? -low / (high - low) : 0.0;
  result.size_bytes = result.below_bytes * std::pow(result.above_bytes / result.below_bytes, share);
  return result;
}

StudyFigure CrunchFigure(const Crunched& crunched, std::optional<double> clip_s) {
  Plot plot;
  for (const auto& [name, points] :
       {std::pair{"read", &crunched.read}, std::pair{"mmap", &crunched.mmap}}) {
    plot.Add(Points(*points, &SweepPoint::user_s), "with linespoints",
             fmt::format("user, {}", name));
    plot.Add(Points(*points, &SweepPoint::system_s), "with linespoints",
             fmt::format("system, {}", name));
  }
  const std::string settings = fmt::format(
      "set title '{}'\nset logscale x 2\nset xlabel 'file size (KiB)'\nset ylabel 'seconds'\n"
      "set key left top\nset grid\nset yrange [0:{}]\n",
      clip_s ? fmt::format("What loading adds, clipped at {} s", *clip_s) : "What loading adds",
      clip_s ? fmt::to_string(*clip_s) : "*");
  return {.name = clip_s ? "benchclip" : "bench", .script = plot.Script(settings)};
}

}  // namespace mr::lab
