#include "tidewatt/io/payload_hash.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "catch.hpp"
#include "sample_result.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using sim::Result;

namespace {

Result one(std::vector<double> values) {
  const std::uint64_t n = values.size();
  return {{{"/a", {"i"}, {n}, std::move(values), "W", ""}}, {}, {}, {}};
}

double flip_last_bit(double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ 1U); }

void change_last_bit(std::vector<double>& v, std::size_t i) { v[i] = flip_last_bit(v[i]); }
void change_last_bit(std::vector<std::int64_t>& v, std::size_t i) { v[i] ^= 1; }
void change_last_bit(std::vector<std::string>& v, std::size_t i) {
  if (v[i].empty())
    v[i] = "x";
  else
    v[i].back() = static_cast<char>(v[i].back() ^ 1);
}

}  // namespace

TEST_CASE("the hash is SHA-256 over exactly the bytes that the header defines") {
  std::string bytes = "tidewatt payload 1\n";
  const auto u64 = [&](std::uint64_t x) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>((x >> (8 * i)) & 0xffU);
  };
  const auto text = [&](const std::string& t) { u64(t.size()), bytes += t; };
  text("/a"), text("i8"), u64(2), u64(1), u64(2), u64(7), u64(~std::uint64_t{0});
  text("/b"), text("f8"), u64(0), u64(0x7ff8000000000000U);
  text("/c"), text("str"), u64(1), u64(2), text("μ"), text("");
  const Result r{{{"/c", {"k"}, {2}, std::vector<std::string>{"μ", ""}, "", ""},
                  {"/b", {}, {}, std::vector<double>{std::nan("1")}, "", ""},
                  {"/a", {"i", "j"}, {1, 2}, std::vector<std::int64_t>{7, -1}, "", ""}},
                 {},
                 {},
                 {}};
  unsigned char digest[32];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  std::string hex;
  for (const unsigned char byte : digest) hex += "0123456789abcdef"[byte >> 4U], hex += "0123456789abcdef"[byte & 15U];
  CHECK(io::payload_sha256(r) == hex);
}

TEST_CASE("one last bit anywhere in any array changes the hash") {
  const Result original = sample_result(70000);
  const std::string hash = io::payload_sha256(original);
  for (std::size_t a = 0; a < original.arrays.size(); ++a) {
    const std::size_t n = std::visit([](const auto& v) { return v.size(); }, original.arrays[a].values);
    for (const std::size_t i : {std::size_t{0}, n / 2, n - 1}) {
      if (i >= n) continue;
      Result changed = original;
      std::visit([&](auto& v) { change_last_bit(v, i); }, changed.arrays[a].values);
      INFO(original.arrays[a].path << " at " << i);
      CHECK(io::payload_sha256(changed) != hash);
    }
  }
}

TEST_CASE("all NaN are one, zeros keep their sign, and neighbours do not run into one another") {
  const double quiet = std::nan(""), other = -std::bit_cast<double>(std::uint64_t{0x7ff8000000000123U});
  CHECK(io::payload_sha256(one({quiet})) == io::payload_sha256(one({other})));
  CHECK(io::payload_sha256(one({0.0})) != io::payload_sha256(one({-0.0})));
  const auto texts = [](std::string a, std::string b) {
    return io::payload_sha256({{{"/t", {"i"}, {2}, std::vector<std::string>{a, b}, "", ""}}, {}, {}, {}});
  };
  CHECK(texts("ab", "c") != texts("a", "bc"));
  const auto shaped = [](std::uint64_t rows, std::uint64_t columns) {
    return io::payload_sha256({{{"/t", {"i", "j"}, {rows, columns}, std::vector<double>(6), "", ""}}, {}, {}, {}});
  };
  CHECK(shaped(2, 3) != shaped(3, 2));
}

TEST_CASE("order of the arrays, summary and provenance do not enter; path and type do") {
  const Result original = sample_result(100);
  const std::string hash = io::payload_sha256(original);
  Result same = original;
  std::ranges::reverse(same.arrays);
  same.summary.clear(), same.provenance.emplace_back("wall_s", "3.2");
  same.arrays.push_back({"/provenance/threads", {}, {}, std::vector<std::int64_t>{8}, "1", ""});
  CHECK(io::payload_sha256(same) == hash);
  Result renamed = original;
  renamed.arrays[1].path = "/day/die_min_K";
  CHECK(io::payload_sha256(renamed) != hash);
  Result integer = one({0.0});
  integer.arrays[0].values = std::vector<std::int64_t>{0};
  CHECK(io::payload_sha256(integer) != io::payload_sha256(one({0.0})));
}

TEST_CASE("arrays that no file could hold have no hash") {
  Result wrong = one({1.0, 2.0});
  wrong.arrays[0].shape = {3};
  CHECK_THROWS_AS(io::payload_sha256(wrong), OutputError);
  Result twice = one({1.0});
  twice.arrays.push_back(twice.arrays[0]);
  CHECK_THROWS_AS(io::payload_sha256(twice), OutputError);
}
