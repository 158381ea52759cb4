#include "base/archive.hpp"

#include "catch.hpp"

using namespace tidewatt;

namespace {

struct Large {
  std::array<char, 4096> unused{};
  std::uint8_t saved = 0;
  template <class A>
  void archive(A& a) {
    a(saved);
  }
};

std::string number(std::uint64_t n) { return {reinterpret_cast<const char*>(&n), sizeof n}; }

template <class T>
T read(const std::string& bytes) {
  T out{};
  ArchiveReader reader(bytes);
  reader(out);
  return out;
}

}  // namespace

TEST_CASE("lists come back, also longer ones than what is set aside at once") {
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) texts.push_back(std::to_string(i));
  ArchiveWriter writer;
  writer(texts);
  CHECK(read<std::vector<std::string>>(writer.take()) == texts);
}

TEST_CASE("a length that the rest of an archive cannot fill is refused before memory is taken") {
  CHECK_THROWS_AS(read<std::vector<double>>(number(1000) + std::string(1000, 'x')), InputError);
  CHECK_THROWS_AS(read<std::string>(number(std::uint64_t{1} << 40U)), InputError);
  CHECK(read<std::vector<double>>(number(125) + std::string(1000, '\0')).size() == 125);
}

TEST_CASE("items that are larger in memory than in the archive are refused beyond four times the archive and 16 MiB") {
  CHECK(read<std::vector<Large>>(number(1000) + std::string(1000, 'x')).size() == 1000);
  CHECK_THROWS_AS(read<std::vector<Large>>(number(100000) + std::string(100000, 'x')), InputError);
}

TEST_CASE("a type refuses what it has read") {
  const std::string bytes;
  CHECK_THROWS_AS(ArchiveReader(bytes).require(false), InputError);
  CHECK_NOTHROW(ArchiveReader(bytes).require(true));
}
