#include "course_cache.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "tidewatt/base/fields.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

/// 128 bits of many values in their order, from two chains. A step of a chain is one-to-one in the value and in what came before it. A
/// cryptographic hash would take longer than a timeline.
class Digest {
 public:
  void add(std::uint64_t x) {
    a_ = (a_ ^ x) * 0x9E3779B97F4A7C15U;  // 2⁶⁴ ÷ golden ratio
    a_ ^= a_ >> 32;
    b_ = (b_ + x) * 0x243F6A8885A308D3U;  // fraction of π
    b_ ^= b_ >> 29;
  }
  std::string bytes() const {
    std::string out(sizeof a_ + sizeof b_, '\0');
    std::memcpy(out.data(), &a_, sizeof a_);
    std::memcpy(out.data() + sizeof a_, &b_, sizeof b_);
    return out;
  }

 private:
  std::uint64_t a_ = 1, b_ = 2;
};

/// Adds values, bit by bit.
class KeyWriter final : public FieldVisitor {
 public:
  Digest key;
  template <class T>
  void raw(T value) {
    static_assert(std::is_arithmetic_v<T>);
    if constexpr (std::is_floating_point_v<T>)
      key.add(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
    else
      key.add(static_cast<std::uint64_t>(value));
  }
  void raw(std::string_view word) {
    raw(word.size());
    for (const char c : word) raw(c);
  }
  void number(std::string_view, double& si, Range, std::string_view, Need) override { raw(si); }
  void integer(std::string_view, std::int64_t& value, Range, std::string_view, Need) override { raw(value); }
  void flag(std::string_view, bool& value, std::string_view, Need) override { raw(value); }
  void text(std::string_view, std::string& value, std::string_view, Need) override { raw(std::string_view(value)); }
  void choice(std::string_view, std::string& value, std::span<const std::string_view>, std::string_view,
              Need) override {
    raw(std::string_view(value));
  }
  void numbers(std::string_view, std::vector<double>& si, Range, std::string_view, Need) override {
    raw(si.size());
    for (const double x : si) raw(x);
  }
  void texts(std::string_view, std::vector<std::string>& values, std::string_view, Need) override {
    raw(values.size());
    for (const auto& value : values) raw(std::string_view(value));
  }
  template <class Params>
  void all(Params params) {  // a copy: field lists take what they may change
    params.fields(*this);
  }
};

template <class T>
std::size_t bytes_of(const std::vector<T>& x) {
  return x.capacity() * sizeof(T);
}
/// With their planes, which other entries may have, too: an entry counts as much when it goes as when it came.
std::size_t bytes_of(const std::vector<ClassCourse>& courses) {
  std::size_t n = courses.capacity() * sizeof(ClassCourse);
  for (const auto& c : courses) {
    const ChipPlane& p = *c.plane;
    n += bytes_of(c.nominal.kind) + bytes_of(c.nominal.ratio_sum) + bytes_of(c.own_sum) + sizeof p +
         bytes_of(p.slow_more) + bytes_of(p.leaky_more) + bytes_of(p.both_more) + bytes_of(p.kind_below) +
         bytes_of(p.kind_above) + bytes_of(p.places->done) + bytes_of(p.places->end_frac) +
         bytes_of(p.places->frac_per_done);
  }
  return n;
}

/// The latest ones, up to a size.
class Kept {
 public:
  SharedCourses get(const std::string& key) {
    const std::lock_guard hold(mutex_);
    const auto at = by_key_.find(key);
    if (at == by_key_.end()) return nullptr;
    latest_.splice(latest_.begin(), latest_, at->second);
    return at->second->courses;
  }
  void put(const std::string& key, SharedCourses courses) {
    const std::lock_guard hold(mutex_);
    if (by_key_.contains(key)) return;
    const std::size_t bytes = bytes_of(*courses) + 2 * key.size();  // the list and the index hold the key
    bytes_ += bytes;
    latest_.push_front({key, std::move(courses), bytes});
    by_key_[key] = latest_.begin();
    while (bytes_ > most_bytes && latest_.size() > 1) {
      const auto& last = latest_.back();
      bytes_ -= last.bytes;
      by_key_.erase(last.key);
      latest_.pop_back();
    }
  }

 private:
  static constexpr std::size_t most_bytes = 8 << 20;
  struct Entry {
    std::string key;
    SharedCourses courses;
    std::size_t bytes;
  };
  std::mutex mutex_;
  std::list<Entry> latest_;
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::string course_key(const workload::Timeline& timeline, const NodeType& type, std::span<const double> limits) {
  KeyWriter w;
  for (const double x : limits) w.raw(x);
  w.all(type.gpu.params());
  w.all(type.governor);
  w.raw(type.sampling.has_value());
  if (type.sampling) w.all(*type.sampling);
  w.all(type.air);
  const auto& modes = course_modes(type);
  for (const auto* of_mode : {&modes.rate_per_s, &modes.gain_K_per_J, &modes.shape[0]})
    for (const double x : *of_mode) w.raw(x);
  for (const auto& k : timeline.kinds) {
    for (const double x : {k.matrix_s, k.memory_s, k.link_s, k.wait_s, k.matrix_activity, k.hbm_frac_matrix,
                           k.hbm_frac_memory, k.link_frac})
      w.raw(x);
    w.raw(k.context);
  }
  for (const auto& segments : timeline.classes) {
    w.raw(segments.size());
    for (const auto& s : segments) w.raw(s.duration), w.raw(s.kind);
  }
  return w.key.bytes();
}

SharedCourses shared_courses(const std::string& key, const std::function<std::vector<ClassCourse>()>& make) {
  static Kept kept;
  if (auto known = kept.get(key)) return known;
  auto courses = std::make_shared<const std::vector<ClassCourse>>(make());
  kept.put(key, courses);
  return courses;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
