#include "work_places.hpp"

#include <algorithm>
#include <utility>

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

/// Work in a second, s at the reference clock: none in waits.
double work_per_s(const workload::PhaseKind& kind, double pace) {
  const double work = kind.matrix_s + kind.memory_s + kind.link_s;
  return work > 0.0 ? work / (kind.matrix_s / pace + kind.memory_s + kind.link_s + kind.wait_s) : 0.0;
}

/// [segment] work until its end ÷ all of it.
std::vector<double> progress(std::span<const workload::PhaseKind> kinds, std::span<const workload::Segment> segments,
                             double pace) {
  std::vector<double> per_s, out;
  for (const auto& kind : kinds) per_s.push_back(work_per_s(kind, pace));
  out.reserve(segments.size());
  double sum_s = 0.0;
  for (const auto& s : segments) out.push_back(sum_s += per_s[s.kind] * seconds(s.duration));
  const double per_sum = 1.0 / std::max(1e-300, sum_s);
  for (double& x : out) x *= per_sum;
  return out;
}

constexpr double same_work = 1e-5;  ///< of all of it

/// Where in a course work begins or ends.
struct Place {
  const WorkPlaces& course;
  std::size_t at = 0;  ///< moves forward
  double begin_of(std::size_t i) const { return i == 0 ? 0.0 : course.end_frac[i - 1]; }
  double inside(double done) const {
    const double begin = begin_of(at), more = course.frac_per_done[at] * (done - (at == 0 ? 0.0 : course.done[at - 1]));
    return begin + std::clamp(more, 0.0, course.end_frac[at] - begin);
  }
  /// The latest time at which no more than `done` is done: after a wait.
  double after(double done) {
    while (at + 1 < course.done.size() && course.done[at] <= done + same_work) ++at;
    return course.done[at] <= done + same_work ? 1.0 : inside(done);
  }
  /// The earliest time at which `done` is done: before a wait.
  double before(double done) {
    while (at + 1 < course.done.size() && course.done[at] < done - same_work) ++at;
    return inside(done);
  }
};

/// Where each segment of a timeline lies in a course of the same work. @param done [segment] work until its end ÷ all of it
/// @param end [segment] time of its end, whatever the unit
void add_spans(const WorkPlaces& places, std::size_t n_part, std::span<const double> done, std::span<const double> end,
               std::vector<dvfs::RatioSpan>& out) {
  Place begins{places}, ends = begins;
  for (std::size_t i = 0; i < done.size();) {
    const double before = i == 0 ? 0.0 : done[i - 1];
    if (done[i] > before) {
      const double from = begins.after(before);
      out.emplace_back(from, ends.before(done[i]), n_part);
      ++i;
      continue;
    }
    // A wait, in one or more segments, is the course's wait at the same place.
    std::size_t last = i;
    while (last + 1 < done.size() && !(done[last + 1] > before)) ++last;
    const double from = i == 0 ? 0.0 : ends.before(before),
                 until = last + 1 == done.size() ? 1.0 : begins.after(before);
    const double begin = i == 0 ? 0.0 : end[i - 1], per = (until - from) / (end[last] - begin);
    for (; i <= last; ++i)
      out.emplace_back(from + ((i == 0 ? 0.0 : end[i - 1]) - begin) * per, from + (end[i] - begin) * per, n_part);
  }
}

}  // namespace

SharedPlaces places_of(const workload::Timeline& timeline, std::size_t cls, double pace) {
  WorkPlaces out{progress(timeline.kinds, timeline.classes[cls], pace), {}, {}};
  Tick at = 0;
  double done = 0.0, begin_frac = 0.0;
  for (std::size_t i = 0; i < out.done.size(); ++i) {
    at += timeline.classes[cls][i].duration;
    const double end_frac = static_cast<double>(at) / static_cast<double>(timeline.period), here = out.done[i] - done;
    out.end_frac.push_back(end_frac);
    out.frac_per_done.push_back(here > 0.0 ? (end_frac - begin_frac) / here : 0.0);
    done = out.done[i], begin_frac = end_frac;
  }
  return std::make_shared<const WorkPlaces>(std::move(out));
}

std::vector<double> at_places(const std::vector<double>& ratio_sum, const WorkPlaces& own, const WorkPlaces& of,
                              std::size_t n_part) {
  std::vector<dvfs::RatioSpan> spans;
  spans.reserve(of.done.size());
  add_spans(own, ratio_sum.size() - 1, of.done, of.end_frac, spans);
  std::vector<double> out(n_part + 1, 0.0);
  std::size_t i = 0;
  double at = 0.0;  // in parts
  for (std::size_t part = 0; part < n_part; ++part) {
    const double end = static_cast<double>(part + 1);
    double sum = 0.0;
    while (at < end) {
      const double begins = (i == 0 ? 0.0 : of.end_frac[i - 1]) * static_cast<double>(n_part),
                   ends = i + 1 == spans.size() ? static_cast<double>(n_part)
                                                : of.end_frac[i] * static_cast<double>(n_part),
                   until = std::min(end, ends);
      if (until > at) {
        const double per = 1.0 / (ends - begins);
        sum += (until - at) * spans[i].part((at - begins) * per, (until - begins) * per).mean(ratio_sum);
      }
      at = std::max(at, until);
      if (ends <= at && i + 1 < spans.size()) ++i;
    }
    out[part + 1] = out[part] + sum;
  }
  return out;
}

std::vector<dvfs::RatioSpan> spans_of(const WorkPlaces& places, std::size_t n_part, const workload::Timeline& timeline,
                                      std::span<const workload::Segment> segments, double pace, Tick second_begin) {
  std::size_t n_first = segments.size();
  if (second_begin > 0) {
    n_first = 0;
    for (Tick at = 0; n_first < segments.size() && at < second_begin; at += segments[n_first++].duration) {
    }
  }
  std::vector<dvfs::RatioSpan> out;
  out.reserve(segments.size());
  for (const auto& part : {segments.first(n_first), segments.subspan(n_first)}) {
    std::vector<double> end;
    end.reserve(part.size());
    Tick at = 0;
    for (const auto& s : part) end.push_back(static_cast<double>(at += s.duration));
    add_spans(places, n_part, progress(timeline.kinds, part, pace), end, out);
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
