#include "study/sweep_table.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/hdf5_sink.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

CaseList three() {
  CaseList list;
  list.names = {"cap", "day"};
  list.keys = {{"cap"}, {"day"}};
  list.values = {{"1.5", "\"hot\""}, {"2", "\"a,b\""}, {"1.5", "\"hot\""}};
  list.same_as = {0, 1, 0};
  return list;
}

std::map<std::size_t, CaseRecord> records() {
  using Pairs = std::vector<std::pair<std::string, double>>;
  return {{0, {0, "p", "", "", {{"pue", 1.25}, {"n", std::int64_t{8}}, {"share", Pairs{{"power", 0.5}}}}, ""}},
          {1, {1, "p", "solver", "no \"root\"", {}, ""}}};
}

SweepTable make_table(const CaseList& list, const std::map<std::size_t, CaseRecord>& records) {
  TableBuilder rows(list);
  for (const auto& [i, record] : records) rows.add(record);
  return rows.finish();
}

std::string to_csv(const SweepTable& table) {
  std::string out;
  write_csv(table, [&](std::span<const char> piece) { out.append(piece.data(), piece.size()); });
  return out;
}

}  // namespace

TEST_CASE("varied keys first, a row per case, failures with their error, equal cases with the same figures") {
  const auto table = make_table(three(), records());
  CHECK(to_csv(table) ==
        "cap,day,case,status,error,pue,n,share.power\r\n"
        "1.5,hot,0,ok,,1.25,8,0.5\r\n"
        "2,\"a,b\",1,failed,\"solver: no \"\"root\"\"\",,,\r\n"
        "1.5,hot,2,ok,,1.25,8,0.5\r\n");
  CHECK(std::isnan(table.numbers("pue")[1]));
  CHECK(table.numbers("cap") == std::vector<double>{1.5, 2.0, 1.5});
  CHECK_THROWS_AS(table.numbers("pu"), InputError);
  CHECK_THROWS_AS(table.numbers("day"), InputError);
}

TEST_CASE("a column's kind is what all of its cells allow, whichever comes first") {
  CaseList list;
  list.values.resize(4);
  list.same_as = {0, 1, 0, 3};
  const auto record = [](std::size_t i, std::vector<std::pair<std::string, sim::Value>> figures) {
    return std::pair{i, CaseRecord{i, "p", "", "", std::move(figures), ""}};
  };
  const std::int64_t one = 1;
  const auto table = make_table(list, {record(0, {{"whole", one}, {"half", one}, {"word", 2.5}}),
                                       record(1, {{"whole", one}, {"half", 0.5}, {"late", one}}),
                                       record(3, {{"whole", one}, {"half", one}, {"word", "dry"}, {"late", 3.0}})});
  CHECK(to_csv(table) ==
        "case,status,error,whole,half,word,late\r\n"
        "0,ok,,1,1,,\r\n"
        "1,ok,,1,0.5,,1\r\n"
        "2,ok,,1,1,,\r\n"
        "3,ok,,1,1,dry,3\r\n");
  CHECK(std::holds_alternative<std::vector<std::int64_t>>(table.find("whole")->values));
  CHECK(std::holds_alternative<std::vector<double>>(table.find("late")->values));
}

TEST_CASE("texts arrive in CSV as they are: quoted once, unescaped, and never as a formula") {
  CaseList list;
  list.names = {"word", "=sum"};
  list.keys = {{"word"}, {"number"}};
  list.values = {
      {"\"say \\\"x\\\", then \\\\\"", "-1.5"}, {"'a, b'", "2"}, {"\"=1+1\"", "3"}, {"\"-5\"", "4"}, {"bare", "5"}};
  list.same_as = {0, 1, 2, 3, 4};
  std::map<std::size_t, CaseRecord> all;
  for (std::size_t i = 0; i < 5; ++i) all[i] = {i, "p", i == 1 ? "input" : "", i == 1 ? "@x" : "", {}, ""};
  CHECK(to_csv(make_table(list, all)) ==
        "word,'=sum,case,status,error\r\n"
        "\"say \"\"x\"\", then \\\",-1.5,0,ok,\r\n"
        "\"a, b\",2,1,failed,input: @x\r\n"
        "'=1+1,3,2,ok,\r\n"
        "-5,4,3,ok,\r\n"
        "bare,5,4,ok,\r\n");
}

TEST_CASE("a missing case is an error, not a gap") {
  auto r = records();
  r.erase(1);
  CHECK_THROWS_AS(make_table(three(), r), InputError);
}

TEST_CASE("as HDF5 it is the same bytes every time") {
  const auto image = io::hdf5_image(to_result(make_table(three(), records())));
  CHECK(image == io::hdf5_image(to_result(make_table(three(), records()))));
  CHECK(image.size() > 1000);
}
