#include "study/case_store.hpp"

#include <fstream>

#include "catch.hpp"
#include "study_case.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

void finish(CaseStore& store, std::size_t i) {
  store.put({i, store.plan(), "", "", {{"x", 0.5 * static_cast<double>(i)}}, ""});
  store.note(i);
}

}  // namespace

TEST_CASE("what is finished is read back, and a folder holds one sweep only") {
  const StudyCase c;
  {
    CaseStore store(c.path("out"), "plan A", 10);
    store.lock({});
    finish(store, 3);
    finish(store, 5);
    CHECK(store.read().finished.size() == 2);
    CaseStore again(c.path("out"), "plan A", 10);
    CHECK_THROWS_AS(again.lock({}), InputError);  // one process at a time
  }
  CHECK_THROWS_AS(CaseStore(c.path("out"), "plan B", 10), InputError);
  CaseStore next(c.path("out"), "plan A", 10);
  next.lock({});
  CHECK(next.read().finished.contains(5));
}

TEST_CASE("intact cases are visited in order, and nothing of a million of them stays but their hashes") {
  const StudyCase c;
  CaseStore store(c.path("out"), "plan", 10);
  store.lock({});
  store.put({7, store.plan(), "solver", "no root", {}, ""});
  for (const std::size_t i : {3ul, 1ul, 5ul}) finish(store, i);
  std::fstream(store.case_path(3), std::ios::in | std::ios::out).seekp(100).put('#');
  std::vector<std::size_t> seen;
  const auto state = store.read([&](const CaseRecord& record) { seen.push_back(record.index); });
  CHECK(seen == std::vector<std::size_t>{1, 5, 7});
  CHECK(state.finished.at(7).failed);
  CHECK_FALSE(state.finished.at(1).failed);
}

TEST_CASE("a file without a line is taken up, a line without a file is noticed") {
  const StudyCase c;
  CaseStore store(c.path("out"), "plan", 10);
  store.lock({});
  finish(store, 1);
  store.put({2, store.plan(), "", "", {}, ""});  // killed between the file and its line
  auto state = store.read();
  CHECK(state.finished.size() == 2);
  CHECK(state.damaged.empty());
  store.take_up(state);
  std::filesystem::remove(store.case_path(2));
  state = store.read();
  CHECK(state.damaged_cases == std::vector<std::size_t>{2});
}

TEST_CASE("a half line at the manifest's end is no damage, one in the middle is") {
  const StudyCase c;
  CaseStore store(c.path("out"), "plan", 10);
  store.lock({});
  finish(store, 1);
  finish(store, 2);
  const std::string manifest = c.path("out/manifest-1-of-1.txt");
  std::ofstream(manifest, std::ios::app) << "3 abcd";
  CHECK(store.read().damaged.empty());
  store.take_up(store.read());
  finish(store, 3);
  CHECK(store.read().finished.size() == 3);
  CHECK(store.read().damaged.empty());
  std::fstream file(manifest, std::ios::in | std::ios::out);
  file.seekp(10);
  file.put('x');
  file.close();
  CHECK(store.read().damaged.size() == 1);
  CHECK(store.read().finished.size() == 3);  // its file vouches for itself
}

TEST_CASE("a swapped file is noticed although it is whole") {
  const StudyCase c;
  CaseStore store(c.path("out"), "plan", 10);
  store.lock({});
  finish(store, 1);
  finish(store, 2);
  std::filesystem::copy_file(store.case_path(1), store.case_path(2), std::filesystem::copy_options::overwrite_existing);
  CHECK(store.read().damaged_cases == std::vector<std::size_t>{2});
}

TEST_CASE("what killed processes left is cleared by the shard that owns it, and nothing else") {
  const StudyCase c;
  CaseStore store(c.path("out"), "plan", 10);
  std::filesystem::create_directories(c.path("out/cases/000"));
  c.write("out/cases/000/000004.case.tmp-99-0", "half");
  c.write("out/cases/000/000005.case.tmp-99-0", "half");
  c.write("out/cases/000/notes.txt", "mine");
  store.lock({0, 2});
  CHECK_FALSE(std::filesystem::exists(c.path("out/cases/000/000004.case.tmp-99-0")));
  CHECK(std::filesystem::exists(c.path("out/cases/000/000005.case.tmp-99-0")));
  CHECK(std::filesystem::exists(c.path("out/cases/000/notes.txt")));
}

TEST_CASE("a plan or table that a kill left half written is cleared by a sweep in one piece, not by a shard") {
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    const StudyCase c;
    CaseStore store(c.path("out"), "plan", 10);
    c.write("out/plan.txt.tmp-99-0", "half");
    store.lock({0, count});
    CHECK(std::filesystem::exists(c.path("out/plan.txt.tmp-99-0")) == (count > 1));
    CHECK(std::filesystem::exists(c.path("out/plan.txt")));
  }
}
