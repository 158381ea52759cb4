#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A line of a plot, or points.
struct PlotLine {
  std::string name;          ///< in the legend; empty: not listed
  std::vector<double> x, y;  ///< [n], in the axes' units
  std::string color = "#0072B2";
  bool dashed = false, points = false;
};

/// A filled area behind the lines of a plot.
struct PlotArea {
  double x0 = 0.0, x1 = 0.0, y0 = 0.0, y1 = 0.0;  ///< in the axes' units
  std::string color = "#fbe3e0";
};

/// A plot with linear axes (x may be logarithmic), drawn as SVG without scripts or fonts.
struct LinePlot {
  std::string title, x_label, y_label;
  std::vector<PlotLine> lines;
  std::vector<PlotArea> areas;
  bool log_x = false;
  double y_low = 0.0, y_high = 0.0;  ///< axis unit; equal: from the lines, 0 included
  double height = 270.0;             ///< of the frame, pixels
  /// Lines of more samples than pixels are drawn by the smallest and largest of each pixel. @throws InputError if there is
  /// nothing to draw
  std::string svg() const;
};

}  // namespace TIDEWATT_NAMESPACE::study
