#include "lab/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/html.h"

namespace mr::lab {
namespace {

constexpr int kColours = 6;

// As an attribute: a class, or a style when it is a declaration.
std::string Attribute(std::string_view style) {
  if (style.empty()) return "";
  const bool declaration = style.find(':') != std::string_view::npos;
  return fmt::format(" {}=\"{}\"", declaration ? "style" : "class", style);
}

// Tenths of a unit are finer than a screen.
std::string Length(double value) { return fmt::format("{}", std::round(value * 10) / 10); }

std::string Titled(std::string_view title) {
  return title.empty() ? "" : fmt::format("<title>{}</title>", EscapeHtml(title));
}

// 1, 2 or 5 times a power of ten, so that about five of them make `range`.
double RoundStep(double range) {
  const double rough = range / 5;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (rough <= step * power) return step * power;
  }
  return 10 * power;
}

}  // namespace

Scale::Scale(double low, double high, double begin, double end) : begin_(begin), end_(end) {
  if (!(high > low)) high = low + 1;
  const double step = RoundStep(high - low);
  low_ = std::floor(low / step) * step;
  high_ = std::ceil(high / step) * step;
  const auto steps = static_cast<int>(std::lround((high_ - low_) / step));
  for (int i = 0; i <= steps; ++i) ticks_.push_back(low_ + i * step);
}

double Scale::At(double value) const {
  return begin_ + (value - low_) / (high_ - low_) * (end_ - begin_);
}

Svg::Svg(double width, double height, std::string_view label)
    : text_(fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
                        Length(width), Length(height), EscapeHtml(label))) {}

void Svg::Line(double x1, double y1, double x2, double y2, std::string_view style) {
  text_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n", Length(x1),
                       Length(y1), Length(x2), Length(y2), Attribute(style));
}

void Svg::Rectangle(double x, double y, double width, double height, std::string_view style,
                    std::string_view title) {
  text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}>{}</rect>\n",
                       Length(x), Length(y), Length(std::max(width, 0.0)),
                       Length(std::max(height, 0.0)), Attribute(style), Titled(title));
}

void Svg::Dot(double x, double y, double radius, std::string_view style, std::string_view title) {
  text_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}>{}</circle>\n", Length(x), Length(y),
                       Length(radius), Attribute(style), Titled(title));
}

void Svg::Path(const std::vector<std::pair<double, double>>& points, std::string_view style) {
  std::string list;
  for (const auto& [x, y] : points) {
    list += fmt::format("{}{},{}", list.empty() ? "" : " ", Length(x), Length(y));
  }
  text_ += fmt::format("<polyline points=\"{}\"{}/>\n", list, Attribute(style));
}

void Svg::Text(double x, double y, std::string_view text, Align align, std::string_view style) {
  const std::string_view anchor = align == Align::kStart    ? ""
                                  : align == Align::kMiddle ? " text-anchor=\"middle\""
                                                            : " text-anchor=\"end\"";
  text_ += fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", Length(x), Length(y), anchor,
                       Attribute(style), EscapeHtml(text));
}

void Svg::AxisX(const Scale& scale, double top, double bottom, const Format& format) {
  for (const double tick : scale.ticks()) {
    Line(scale.At(tick), top, scale.At(tick), bottom, "grid");
    Text(scale.At(tick), bottom + 14, format(tick), Align::kMiddle, "faint");
  }
}

void Svg::AxisY(const Scale& scale, double left, double right, const Format& format) {
  for (const double tick : scale.ticks()) {
    Line(left, scale.At(tick), right, scale.At(tick), "grid");
    Text(left - 4, scale.At(tick) + 4, format(tick), Align::kEnd, "faint");
  }
}

std::string Svg::Finish() const { return text_ + "</svg>\n"; }

std::string ArmColour(int arm) { return fmt::format("var(--arm{})", arm % kColours); }

std::string ShortNumber(double value) {
  if (std::abs(value) < 1e-12) return "0";
  return fmt::format("{:.4g}", value);
}

}  // namespace mr::lab
