#include "row.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace TIDEWATT_NAMESPACE::validate {
namespace {

Row judged(Row r) {
  const double nearest = r.got < r.expected_low ? r.expected_low : r.got > r.expected_high ? r.expected_high : r.got;
  const double distance = r.got - nearest;
  r.error = r.absolute || nearest == 0.0 ? distance : distance / std::abs(nearest);
  // Written so that a NaN fails.
  r.verdict = std::abs(r.error) <= r.tolerance ? Verdict::pass : Verdict::fail;
  return r;
}

Row make(std::string id, std::string what, std::string unit, double low, double high, double got, double tolerance,
         std::string source, std::string note) {
  Row r;
  r.id = std::move(id);
  r.what = std::move(what);
  r.unit = std::move(unit);
  r.expected_low = low;
  r.expected_high = high;
  r.got = got;
  r.tolerance = tolerance;
  r.source = std::move(source);
  r.note = std::move(note);
  return r;
}

}  // namespace

Row against(std::string id, std::string what, std::string unit, double expected, double got, double tolerance_frac,
            std::string source, std::string note) {
  return judged(make(std::move(id), std::move(what), std::move(unit), expected, expected, got, tolerance_frac,
                     std::move(source), std::move(note)));
}

Row within(std::string id, std::string what, std::string unit, double low, double high, double got,
           double tolerance_frac, std::string source, std::string note) {
  return judged(make(std::move(id), std::move(what), std::move(unit), low, high, got, tolerance_frac, std::move(source),
                     std::move(note)));
}

Row within_absolute(std::string id, std::string what, std::string unit, double expected, double got, double tolerance,
                    std::string source, std::string note) {
  Row r = make(std::move(id), std::move(what), std::move(unit), expected, expected, got, tolerance, std::move(source),
               std::move(note));
  r.absolute = true;
  return judged(std::move(r));
}

Row holds(std::string id, std::string what, bool held, std::string source, std::string note) {
  return judged(
      make(std::move(id), std::move(what), "", 1.0, 1.0, held ? 1.0 : 0.0, 0.0, std::move(source), std::move(note)));
}

Row skipped(std::string id, std::string what, std::string source, std::string why) {
  return make(std::move(id), std::move(what), "", 0.0, 0.0, 0.0, 0.0, std::move(source), std::move(why));
}

Row calibrated(Row row, std::string note) {
  row.verdict = Verdict::calibrated;
  row.note = row.note.empty() ? std::move(note) : row.note + "; " + note;
  return row;
}

std::string_view name(Verdict v) {
  switch (v) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::skipped:
      return "skipped";
    case Verdict::calibrated:
      return "calibrated";
  }
  return "";
}

}  // namespace TIDEWATT_NAMESPACE::validate
