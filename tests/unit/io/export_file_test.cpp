#include "io/export_file.hpp"

#include "catch.hpp"
#include "scratch_folder.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::io;

namespace {
ExportFile lines(const char* name, int n) {
  return {name, [n](const Append& to) {
            TextPieces pieces(to);
            for (int i = 0; i < n; ++i) {
              pieces.text() += std::to_string(i) + "\n";
              pieces.row();
            }
            pieces.flush();
          }};
}
}  // namespace

TEST_CASE("an export's files arrive whole, in a folder that is made for them, with the sizes that were announced") {
  const ScratchFolder scratch;
  const std::vector<ExportFile> files = {lines("a.txt", 100'000), lines("b.txt", 3)};
  write_export(scratch.file("new/deeper"), files, files[0].bytes() + files[1].bytes());
  for (const auto& f : files) {
    const auto bytes = bytes_of(scratch.file("new/deeper/" + f.name));
    CHECK(std::string(bytes.begin(), bytes.end()) == f.text());
    CHECK(bytes.size() == f.bytes());
  }
}

TEST_CASE("if one file fails none stays") {
  const ScratchFolder scratch;
  const std::vector<ExportFile> files = {lines("a.txt", 10), {"b.txt", [](const Append& to) {
                                                                to(std::string("half"));
                                                                throw OutputError("disk");
                                                              }}};
  CHECK_THROWS_AS(write_export(scratch.file("out"), files, 100), OutputError);
  CHECK(std::filesystem::is_empty(scratch.file("out")));
  CHECK_THROWS_AS(write_export(scratch.file("out"), files, std::uint64_t{1} << 62U), OutputError);
}
