#include "pyramid.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {

Pyramid::Pyramid(std::vector<std::int64_t> lengths)
    : lengths_(std::move(lengths)), open_(lengths_.size()), done_(lengths_.size()), edge_(lengths_.size()) {
  if (lengths_.empty()) throw InputError("pyramid: no levels");
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    const std::int64_t below = i == 0 ? 1 : lengths_[i - 1];
    if (lengths_[i] < 1 || lengths_[i] % below != 0 || (i > 0 && lengths_[i] == below))
      throw InputError("pyramid: each bucket length must be a larger multiple of the one before");
  }
}

void Pyramid::begin(std::int64_t first_bin) {
  end();
  next_bin_ = first_bin;
}

// Adds a finished part to the open bucket of `level`; the part never crosses the bucket's end.
void Pyramid::raise(const Open& part, std::size_t level) {
  Open& o = open_[level];
  if (o.n_bin == 0) {
    o = part;
  } else {
    o.n_bin += part.n_bin;
    o.sum_W += part.sum_W;
    o.min_W = part.min_W < o.min_W ? part.min_W : o.min_W;
    o.max_W = part.max_W > o.max_W ? part.max_W : o.max_W;
  }
  std::int64_t& edge = edge_[level];
  const std::int64_t length = lengths_[level], begin = part.first_bin;
  if (begin >= edge || begin < edge - length) edge = begin - ((begin % length) + length) % length + length;
  if (begin + part.n_bin == edge) close(level);
}

void Pyramid::close(std::size_t level) {
  Open& o = open_[level];
  if (o.n_bin == 0) return;
  const Open part = o;
  o.n_bin = 0;
  finish(part, level);
}

/// A bucket that is complete, or ends here.
void Pyramid::finish(const Open& part, std::size_t level) {
  // Σ n·x / n can round past x itself
  const double mean_W = std::clamp(part.sum_W / static_cast<double>(part.n_bin), part.min_W, part.max_W);
  done_[level].push_back({part.first_bin, part.n_bin, part.min_W, mean_W, part.max_W});
  if (level + 1 < lengths_.size()) raise(part, level + 1);
}

namespace {

constexpr std::size_t abreast = 4;

/// Sums of buckets that follow one another, each bin by bin: side by side they wait for one another's additions only once.
std::array<double, abreast> sums_of(const double* x, std::size_t length) {
  std::array<double, abreast> sum{};
  for (std::size_t k = 0; k < length; ++k)
    for (std::size_t i = 0; i < abreast; ++i) sum[i] += x[i * length + k];
  return sum;
}

}  // namespace

void Pyramid::push(std::span<const double> load_W) {
  const std::int64_t length = lengths_[0];
  const auto width = static_cast<std::size_t>(length);
  for (std::size_t at = 0; at < load_W.size();) {
    const std::int64_t in_bucket = ((next_bin_ % length) + length) % length;
    if (in_bucket == 0 && load_W.size() - at >= abreast * width) {
      const auto sum_W = sums_of(load_W.data() + at, width);
      for (std::size_t i = 0; i < abreast; ++i, at += width, next_bin_ += length) {
        const auto x = load_W.subspan(at, width);
        finish({next_bin_, length, numerics::lane_min(x), sum_W[i], numerics::lane_max(x)}, 0);
      }
      continue;
    }
    const std::size_t n = std::min(static_cast<std::size_t>(length - in_bucket), load_W.size() - at);
    Open& o = open_[0];
    Open part = o;
    if (part.n_bin == 0) part = {next_bin_, 0, load_W[at], 0.0, load_W[at]};
    const auto x = load_W.subspan(at, n);
    part.min_W = std::min(part.min_W, numerics::lane_min(x));
    part.max_W = std::max(part.max_W, numerics::lane_max(x));
    for (const double W : x) part.sum_W += W;
    part.n_bin += static_cast<std::int64_t>(n);
    o = part;
    at += n;
    next_bin_ += static_cast<std::int64_t>(n);
    if (next_bin_ % length == 0) close(0);
  }
}

void Pyramid::push_part(std::int64_t n_bin, double min_W, double sum_W, double max_W) {
  const Open part{next_bin_, n_bin, min_W, sum_W, max_W};
  next_bin_ += n_bin;
  if (n_bin == lengths_[0])
    finish(part, 0);
  else
    raise(part, 0);
}

void Pyramid::push_buckets(std::size_t level, std::span<const double> min_W, std::span<const double> sum_W,
                           std::span<const double> max_W) {
  const std::int64_t length = lengths_.at(level);
  done_[level].reserve(done_[level].size() + sum_W.size());
  for (std::size_t i = 0; i < sum_W.size(); ++i, next_bin_ += length)
    finish({next_bin_, length, min_W[i], sum_W[i], max_W[i]}, level);
}

void Pyramid::end() {
  for (std::size_t level = 0; level < lengths_.size(); ++level) close(level);
}

void Pyramid::take(std::size_t level, std::vector<Bucket>& into) {
  into.clear();
  std::swap(into, done_.at(level));
}

}  // namespace TIDEWATT_NAMESPACE::grid
