#include "study/case_record.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

CaseRecord sample() {
  return {7,
          "0123abcd",
          "",
          "",
          {{"pue", 1.1234567890123457},
           {"n_gpu", std::int64_t{128}},
           {"why", std::string("a \"b\"\n")},
           {"none", {}},
           {"share", std::vector<std::pair<std::string, double>>{{"power", 0.1}, {"other", 0.9}}}},
          "ff"};
}

}  // namespace

TEST_CASE("a record reads back as it was, to the last bit") {
  const auto r = decode(encode(sample()), "x.case");
  CHECK(r.index == 7);
  CHECK(r.plan == "0123abcd");
  CHECK(r.figures == sample().figures);
  CHECK(r.result_sha256 == "ff");
  CHECK(encode(r) == encode(sample()));
  const CaseRecord failure{3, "p", "solver", "at 3 s: no root", {}, ""};
  CHECK(decode(encode(failure), "x").failed());
  CHECK(decode(encode(failure), "x").error == failure.error);
}

TEST_CASE("every flipped bit and every truncation is noticed") {
  const std::string bytes = encode(sample());
  std::size_t n_flip = 0, n_cut = 0;
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string flipped = bytes;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    try {
      decode(flipped, "x");
      FAIL("bit " << i % 8 << " of byte " << i / 8 << " went unnoticed");
    } catch (const InputError&) {
      ++n_flip;
    }
  }
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    CHECK_THROWS_AS(decode(bytes.substr(0, n), "x"), InputError);
    ++n_cut;
  }
  CHECK_THROWS_AS(decode(bytes + " ", "x"), InputError);
  WARN(n_flip << " flipped bits and " << n_cut << " truncations, all noticed");
  CHECK(n_flip + n_cut > 2000);
}
