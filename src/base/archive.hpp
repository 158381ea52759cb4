#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/version.hpp"

/// State to bytes and back, bit for bit. A type takes part with one list of its members:
///
///     template <class A> void archive(A& a) { a(x, y, z); }
///
/// used for both directions. Numbers keep their memory layout, so an archive is valid on one kind of machine only; a file
/// that contains one adds a hash and a version (io/checkpoint.hpp). Anyone can compute that hash anew, so a reader trusts no
/// length: lists grow as their items are read, and all of them together take at most four times the archive and 16 MiB.
namespace TIDEWATT_NAMESPACE {

class ArchiveWriter {
 public:
  static constexpr bool reads = false;
  ArchiveWriter() = default;
  /// Writes into the memory of a string that is no longer needed.
  explicit ArchiveWriter(std::string memory) : bytes_(std::move(memory)) { bytes_.clear(); }
  /// Appends `n` bytes unchanged.
  void bytes(const void* from, std::size_t n) { bytes_.append(static_cast<const char*>(from), n); }
  template <class... T>
  void operator()(T&... values);
  void require(bool) const {}  ///< what is written is sound
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ArchiveReader {
 public:
  static constexpr bool reads = true;
  /// @param from bytes of an archive; must outlive the reader
  explicit ArchiveReader(std::span<const char> from)
      : from_(from), memory_left_(4 * from.size() + (std::size_t{16} << 20U)) {}
  /// @throws InputError beyond the archive's end
  void bytes(void* to, std::size_t n) {
    if (n > from_.size()) throw InputError("checkpoint: shorter than what it should hold");
    if (n == 0) return;  // an empty list may have no address, and memcpy must not be given one
    std::memcpy(to, from_.data(), n);
    from_ = from_.subspan(n);
  }
  template <class... T>
  void operator()(T&... values);
  /// Accounts for memory that is about to be taken. @throws InputError beyond what the archive's size allows
  void take(std::size_t n) {
    if (n > memory_left_) throw InputError("checkpoint: its lists take more memory than its size allows");
    memory_left_ -= n;
  }
  /// Lets a type hold what it has read against what a run can have: indices, counts, lengths that follow from the model.
  /// @throws InputError where it is not so
  void require(bool is_sound) const {
    if (!is_sound) throw InputError("checkpoint: a count or a length in it is none that a run has");
  }
  bool done() const { return from_.empty(); }
  std::size_t left() const { return from_.size(); }

 private:
  std::span<const char> from_;
  std::size_t memory_left_;
};

namespace detail {

template <class T>
concept plain = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, __uint128_t>;

template <class A>
std::uint64_t archive_size(A& a, std::size_t size) {
  std::uint64_t n = size;
  a.bytes(&n, sizeof n);
  if constexpr (A::reads)
    if (n > a.left()) throw InputError("checkpoint: a list is longer than the rest of the file");
  return n;
}

// All declared first, so that lists of lists find each other.
template <class A, class T>
void archive_one(A& a, T& x);
template <class A, class T>
void archive_one(A& a, std::vector<T>& x);
template <class A, class T>
void archive_one(A& a, std::deque<T>& x);
template <class A>
void archive_one(A& a, std::string& x);
template <class A, class T, std::size_t N>
void archive_one(A& a, std::array<T, N>& x);
template <class A, class T, std::size_t N>
void archive_one(A& a, T (&x)[N]);
template <class A, class T, class U>
void archive_one(A& a, std::pair<T, U>& x);
template <class A, class K, class V>
void archive_one(A& a, std::map<K, V>& x);
template <class A, class T>
void archive_one(A& a, std::optional<T>& x);

template <class A, class List>
void archive_list(A& a, List& x) {
  const auto n = archive_size(a, x.size());
  if constexpr (A::reads) {
    constexpr std::size_t at_once =
        256;  // items in memory may be larger than their bytes: room is taken as they are read, not for the length that is claimed
    x.resize(std::min<std::size_t>(n, std::max(x.size(), at_once)));
    for (std::size_t i = 0; i < n; ++i) {
      if (i == x.size()) x.resize(std::min<std::size_t>(n, 2 * i));
      a.take(sizeof(typename List::value_type));
      archive_one(a, x[i]);
    }
  } else {
    for (auto& e : x) archive_one(a, e);
  }
}

template <class A, class T>
void archive_one(A& a, std::vector<T>& x) {
  if constexpr (plain<T> && !std::is_same_v<T, bool>) {
    const auto n = archive_size(a, x.size());
    if constexpr (A::reads) {
      if (n > a.left() / sizeof(T)) throw InputError("checkpoint: a list is longer than the rest of the file");
      x.resize(n);
    }
    a.bytes(x.data(), n * sizeof(T));
  } else {
    archive_list(a, x);
  }
}
template <class A, class T>
void archive_one(A& a, std::deque<T>& x) {
  constexpr std::size_t empty_bytes = 640;  // of the standard library's deque
  if constexpr (A::reads) a.take(empty_bytes);
  archive_list(a, x);
}
template <class A>
void archive_one(A& a, std::string& x) {
  const auto n = archive_size(a, x.size());
  if constexpr (A::reads) x.resize(n);
  a.bytes(x.data(), n);
}
template <class A, class T, std::size_t N>
void archive_one(A& a, std::array<T, N>& x) {
  for (auto& e : x) archive_one(a, e);
}
template <class A, class T, std::size_t N>
void archive_one(A& a, T (&x)[N]) {
  for (auto& e : x) archive_one(a, e);
}
template <class A, class T, class U>
void archive_one(A& a, std::pair<T, U>& x) {
  archive_one(a, x.first);
  archive_one(a, x.second);
}
template <class A, class K, class V>
void archive_one(A& a, std::map<K, V>& x) {
  auto n = archive_size(a, x.size());
  if constexpr (A::reads) {
    x.clear();
    for (; n > 0; --n) {
      std::pair<K, V> e;
      a.take(sizeof e + 64);  // and its node
      archive_one(a, e);
      x.insert(std::move(e));
    }
  } else {
    for (auto& [key, value] : x) {
      K k = key;
      archive_one(a, k);
      archive_one(a, value);
    }
  }
}
template <class A, class T>
void archive_one(A& a, std::optional<T>& x) {
  bool has = x.has_value();
  archive_one(a, has);
  if constexpr (A::reads) {
    if (has)
      x.emplace();
    else
      x.reset();
  }
  if (has) archive_one(a, *x);
}
template <class A, class T>
void archive_one(A& a, T& x) {
  if constexpr (plain<T>)
    a.bytes(&x, sizeof x);
  else
    x.archive(a);
}

}  // namespace detail

template <class... T>
void ArchiveWriter::operator()(T&... values) {
  (detail::archive_one(*this, values), ...);
}
template <class... T>
void ArchiveReader::operator()(T&... values) {
  (detail::archive_one(*this, values), ...);
}

}  // namespace TIDEWATT_NAMESPACE
