#include "tidewatt/io/export_playback.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>

#include "tidewatt/base/error.hpp"

namespace tidewatt::io {
namespace {

void check(std::span<const Column> columns, double step_s, bool finite) {
  if (columns.empty() || !(step_s > 0.0)) throw InputError("export: needs a column and a positive step");
  for (const auto& c : columns) {
    if (c.values.size() != columns[0].values.size())
      throw InputError("export: column '" + c.name + "' differs in length");
    if (c.name.find_first_of(",\"\r\n") != std::string::npos)
      throw InputError("export: column name '" + c.name + "' holds a comma, quote or line end");
    if (!finite) continue;
    for (const double x : c.values)
      if (!std::isfinite(x)) throw InputError("export: column '" + c.name + "' holds a number that is not finite");
  }
}

}  // namespace

std::string csv(double first_s, double step_s, std::span<const Column> columns) {
  check(columns, step_s, false);
  std::string out = "time_s";
  for (const auto& c : columns) out += "," + c.name;
  out += "\n";
  for (std::size_t i = 0; i < columns[0].values.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{:.9g}", first_s + step_s * static_cast<double>(i));
    for (const auto& c : columns)
      std::isfinite(c.values[i]) ? fmt::format_to(std::back_inserter(out), ",{}", c.values[i])
                                 : fmt::format_to(std::back_inserter(out), ",");
    out += "\n";
  }
  return out;
}

std::string pscad_file_read(double first_s, double step_s, std::span<const Column> columns,
                            std::span<const double> scale) {
  if (columns.size() > 10) throw InputError("PSCAD File Read: at most ten channels beside the time");
  if (scale.size() != columns.size()) throw InputError("PSCAD File Read: one scale per column is needed");
  check(columns, step_s, true);
  std::string out = "! time_s";
  for (const auto& c : columns) out += " " + c.name;
  out += "\n";
  for (std::size_t i = 0; i < columns[0].values.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{:.6f}", first_s + step_s * static_cast<double>(i));
    for (std::size_t k = 0; k < columns.size(); ++k)
      fmt::format_to(std::back_inserter(out), " {:.9g}", columns[k].values[i] * scale[k]);
    out += "\n";
  }
  return out;
}

std::string psse_playback(double first_s, double step_s, std::span<const double> p_W, std::span<const double> q_var,
                          double tolerance_W) {
  const Column columns[] = {{"p", p_W}, {"q", q_var}};
  check(columns, step_s, true);
  std::string out;
  const auto write = [&](std::size_t i) {
    fmt::format_to(std::back_inserter(out), "{:.6f},{:.6f},{:.6f}\n", first_s + step_s * static_cast<double>(i),
                   p_W[i] * 1e-6, q_var[i] * 1e-6);
  };
  const std::size_t n = p_W.size();
  if (n == 0) return out;
  write(0);
  // A straight line from the last written sample stays possible as long as its slope fits every sample in between: a
  // funnel that narrows (one for P, one for Q).
  std::size_t from = 0;
  double low[2], high[2];
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto open = [&] { low[0] = low[1] = -infinite, high[0] = high[1] = infinite; };
  open();
  for (std::size_t i = 1; i < n; ++i) {
    const double d = static_cast<double>(i - from);
    const double rise[2] = {p_W[i] - p_W[from], q_var[i] - q_var[from]};
    bool fits = true;
    for (int c = 0; c < 2; ++c) fits = fits && rise[c] / d >= low[c] && rise[c] / d <= high[c];
    if (!fits) {
      from = i - 1;
      write(from);
      open();
    }
    const double d_now = static_cast<double>(i - from);
    const double now[2] = {p_W[i] - p_W[from], q_var[i] - q_var[from]};
    for (int c = 0; c < 2; ++c) {
      low[c] = std::fmax(low[c], (now[c] - tolerance_W) / d_now);
      high[c] = std::fmin(high[c], (now[c] + tolerance_W) / d_now);
    }
  }
  if (n > 1) write(n - 1);
  return out;
}

std::string psse_linjbl(const Pulsation& p) {
  if (p.frequency_Hz.size() != p.amplitude_W.size() || p.frequency_Hz.empty() || !(p.base_W > 0.0))
    throw InputError("LINJBL: needs one amplitude per frequency and a positive base");
  std::string out =
      "/ order: start s, duty, then frequency Hz and amplitude (share of the load) of each line; confirm with the "
      "model's data sheet\n";
  fmt::format_to(std::back_inserter(out), "{}, 'USRLOD', {}, 'LINJBL', {:g}, {:g}", p.bus, p.load_id, p.start_s,
                 p.duty_frac);
  for (std::size_t i = 0; i < p.frequency_Hz.size(); ++i)
    fmt::format_to(std::back_inserter(out), ", {:.6g}, {:.6g}", p.frequency_Hz[i], p.amplitude_W[i] / p.base_W);
  return out + " /\n";
}

}  // namespace tidewatt::io
