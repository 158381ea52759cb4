#include "base/sha256.hpp"

#include "catch.hpp"

using namespace tidewatt;

TEST_CASE("SHA-256 gives the digests of FIPS 180-4's examples, in one piece or in many") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const std::string million(1'000'000, 'a');
  Sha256 hash;
  for (std::size_t at = 0, n = 1; at < million.size(); at += n, n = n * 3 % 70'001 + 1)
    hash.bytes(std::string_view(million).substr(at, n));
  const std::string digest = hash.hex();
  CHECK(digest == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  CHECK(digest == sha256_hex(million));
}
