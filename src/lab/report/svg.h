// Drawings for web pages: SVG elements whose colours come from the page's style
// (lab/report/html.h). Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mr::lab {

// Where values of an axis stand in a drawing.
class Scale {
 public:
  // From 0 or `low` to at least `high`, in round steps; `begin` and `end` are in the drawing.
  Scale(double low, double high, double begin, double end);

  double At(double value) const;
  const std::vector<double>& ticks() const { return ticks_; }

 private:
  double low_;
  double high_;
  double begin_;
  double end_;
  std::vector<double> ticks_;
};

// All lengths are in units of the drawing, which is scaled to the width of the page.
class Svg {
 public:
  // `label` says what is to be seen, for those who cannot see it.
  Svg(double width, double height, std::string_view label);

  // `style` is a class of the page ("grid", "ink", "faint", "box") or a declaration such as
  // "fill:var(--arm0)".
  void Line(double x1, double y1, double x2, double y2, std::string_view style);
  void Rectangle(double x, double y, double width, double height, std::string_view style,
                 std::string_view title = "");
  void Dot(double x, double y, double radius, std::string_view style, std::string_view title);
  void Path(const std::vector<std::pair<double, double>>& points, std::string_view style);
  enum class Align { kStart, kMiddle, kEnd };
  void Text(double x, double y, std::string_view text, Align align = Align::kStart,
            std::string_view style = "");

  // Vertical lines and labels below `bottom`, or horizontal lines and labels left of `left`.
  using Format = std::function<std::string(double)>;
  void AxisX(const Scale& scale, double top, double bottom, const Format& format);
  void AxisY(const Scale& scale, double left, double right, const Format& format);

  std::string Finish() const;

 private:
  std::string text_;
};

// The colour of an arm: "var(--arm0)".
std::string ArmColour(int arm);

// "0.25", "1.5", "20": as few digits as needed.
std::string ShortNumber(double value);

}  // namespace mr::lab
