#include "tidewatt/workload/trace_csv.hpp"

#include <string>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

TraceFormat format(std::string time = "s", std::string unit = "W") {
  TraceFormat f;
  f.time_column = "t", f.time_format = std::move(time), f.unit = std::move(unit), f.gap_s = 10;
  return f;
}

/// The findings of a refused text, one line each.
std::string refusal(const std::string& text, const TraceFormat& f = format()) {
  try {
    parse_trace(text, "x.csv", f);
  } catch (const InputError& e) {
    std::string all;
    for (const auto& finding : e.findings()) all += finding.text() + "\n";
    return all;
  }
  return {};
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("samples keep their instants", "[workload][trace]") {
  const Trace t = parse_trace("t,a,b\r\n0.5,100,1\r\n1.25,200,2\r\n3.000000001,50,3\r\n", "x.csv", format());
  CHECK(t.origin_unix_ns == 500'000'000);
  CHECK(t.edges == std::vector<Tick>{0, 750'000'000, 2'500'000'001, 4'250'000'002});
  CHECK(t.names == std::vector<std::string>{"a", "b"});
  CHECK(t.value[0] == std::vector<double>{100, 200, 50});
  TraceFormat before = format();
  before.sample_holds = "before", before.columns = {"b"};
  const Trace u = parse_trace("t,a,b\n10,x,1\n12,y,2\n15,z,3", "x.csv", before);
  CHECK(u.edges == std::vector<Tick>{0, 2 * ns_per_s, 4 * ns_per_s, 7 * ns_per_s});
  CHECK(u.value[0] == std::vector<double>{1, 2, 3});
}

TEST_CASE("units and times are those that were declared", "[workload][trace]") {
  CHECK(parse_trace("t,a\n0,1.5\n1,2\n", "x", format("s", "kW")).value[0][0] == 1500.0);
  CHECK(parse_trace("t,a\n0,1.5\n1,2\n", "x", format("s", "MW")).value[0][0] == 1.5e6);
  const Trace share = parse_trace("t,a\n0,50\n1,100\n", "x", format("s", "pct"));
  CHECK(share.value[0][0] == 0.5);
  CHECK_FALSE(share.is_power);
  for (const auto& [unit, second] : {std::pair{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}})
    CHECK(parse_trace("t,a\n1715968178,1\n1715968179,2\n", "x", format(unit)).edges[1] == second);
  const Trace iso = parse_trace("t,a\n2024-02-29T23:59:59.5Z,1\n2024-03-01T02:00:00+02:00,2\n2024-03-01 00:00:01,3\n",
                                "x", format("iso8601"));
  CHECK(iso.origin_unix_ns == 1'709'251'199'500'000'000);
  CHECK(iso.edges == std::vector<Tick>{0, 500'000'000, 1'500'000'000, 2'500'000'000});
}

TEST_CASE("every defect is found at its place", "[workload][trace]") {
  const std::string all = refusal("t,a,b\n0,1,2\n1,x,2\n2,1\n1.5,1,2\n2,nan,-3\n3,1e400,0x10\n");
  CHECK(holds(all, "x.csv:3:3"));
  CHECK(holds(all, "x.csv:4:1"));
  CHECK(holds(all, "2 fields under a header of 3"));
  CHECK(holds(all, "x.csv:6:3"));
  CHECK(holds(all, "x.csv:6:7"));
  CHECK(holds(all, "x.csv:7:3"));
  CHECK(holds(all, "x.csv:7:9"));
  CHECK_FALSE(holds(all, "x.csv:2:"));
}

TEST_CASE("files that are not what was declared are refused", "[workload][trace]") {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "no header"},
      {"t,a\n", "fewer than two"},
      {"t,a\n0,1\n", "fewer than two"},
      {"time,a\n0,1\n1,2\n", "no such column"},
      {"t\n0\n1\n", "no column besides"},
      {"t,a,a\n0,1,2\n1,2,3\n", "second column"},
      {"t;a\n0;1\n1;2\n", "no such column"},
      {"t,a\n0,1\n0,2\n", "same time"},
      {"t,a\n1,1\n0,2\n", "earlier"},
      {"t,a\n0,1\n11,2\n", "longest pause"},
      {"t,a\n0,1,5\n1,2\n", "3 fields"},
      {"t,a\n0,\n1,2\n", "not a number"},
      {"t,a\n0,1 2\n1,2\n", "not a number"},
      {"t,a\n0,inf\n1,2\n", "not a number"},
      {"t,a\n0,1\n1e0,2\n", "decimal number"},
      {"t,a\n0,1\n0.0000000001,2\n", "nanosecond"},
      {"t,a\n0,1\n99999999999999999999,2\n", "decimal number"},
      {"t,a\n0,1\n9999999999,2\n", "145 years"},
      {"t,a\n0,1\n4000000000,2\n", "31 years"},
      {"t,a\n0,\"1\n1,2\n", "not closed"},
      {"t,a\n0,\"1\"2\n1,2\n", "closing quote"},
      {"\xFF\xFEt,a\n0,1\n1,2\n", "byte order mark"},
      {"t,a\n0,1e13\n1,2\n", "outside 0"},
      {std::string("t,a\n0,1\0\n1,2\n", 13), "not a number"},
      {"t,a\n0,1\n1,2\n" + std::string(2'000'000, '9'), "a line of"},
  };
  for (const auto& [text, why] : bad) {
    INFO(text.substr(0, 60) << " -> " << refusal(text).substr(0, 200));
    CHECK(holds(refusal(text), why));
  }
  CHECK(holds(refusal("t,a\n2024-02-30T00:00:00Z,1\n", format("iso8601")), "no such day"));
  CHECK(holds(refusal("t,a\n2024-02-03T00:00:00+0200,1\n", format("iso8601")), "is not a time"));
  CHECK(holds(refusal("t,a\n0,151\n1,2\n", format("s", "pct")), "outside 0 to 150"));
  CHECK(holds(refusal("t,a\n", format("h")), "not one of"));
  std::string many = "t,a\n";
  for (int i = 0; i < 500; ++i) many += std::to_string(i) + ",x\n";
  CHECK(holds(refusal(many), "and 400 more"));
}

TEST_CASE("a gap is refused, or held and listed", "[workload][trace]") {
  TraceFormat f = format();
  f.gap = "hold";
  const Trace t = parse_trace("t,a\n0,1\n1,2\n60,3\n61,4\n", "x", f);
  REQUIRE(t.gaps.size() == 1);
  CHECK(t.gaps[0].begin == ns_per_s);
  CHECK(t.gaps[0].end == 60 * ns_per_s);
  CHECK(t.over(0, 0, t.length()).integral == Approx(1.0 + 2.0 * 59.0 + 3.0 + 4.0));
}

TEST_CASE("a corpus of recorded series: no defect accepted, no good file refused", "[workload][trace]") {
  using Rows = std::vector<std::vector<std::string>>;
  const auto rows = [] {
    Rows out;
    for (int i = 0; i < 12; ++i) out.push_back({std::to_string(100 + i), std::to_string(50 + i), "0.5"});
    return out;
  };
  const auto text_of = [](const Rows& r, const std::string& end = "\n", const std::string& head = "t,a,b") {
    std::string text = head + end;
    for (const auto& row : r) {
      for (std::size_t i = 0; i < row.size(); ++i) text += (i ? "," : "") + row[i];
      text += end;
    }
    return text;
  };
  int n_bad = 0, passed = 0, n_good = 0, refused = 0;
  const auto bad = [&](const std::string& text, const TraceFormat& f = format()) {
    INFO(text);
    ++n_bad;
    const bool ok = refusal(text, f).empty();
    passed += ok ? 1 : 0;
    CHECK_FALSE(ok);
  };
  const auto good = [&](const std::string& text, const TraceFormat& f = format()) {
    ++n_good;
    const std::string why = refusal(text, f);
    refused += why.empty() ? 0 : 1;
    CHECK(why.empty());
  };
  for (const std::size_t row : {0u, 5u, 11u}) {
    for (const std::size_t column : {1u, 2u})
      for (const char* wrong :
           {"", "x", "nan", "inf", "-inf", "1e999", "--5", "1 2", "-1", "0x10", "1.2.3", "+", "[N/A]", "5 W"}) {
        auto r = rows();
        r[row][column] = wrong;
        bad(text_of(r));
      }
    for (const char* wrong : {"", "x", "nan", "1e3", "1 2", "2024-01-01T00:00:00Z", "105.", "1e999"}) {
      auto r = rows();
      r[row][0] = wrong;
      bad(text_of(r));
    }
    auto r = rows();
    r[row].pop_back();
    bad(text_of(r));
    r = rows();
    r[row].push_back("1");
    bad(text_of(r));
    r = rows();
    r.insert(r.begin() + static_cast<std::ptrdiff_t>(row), r[row]);
    bad(text_of(r));
    if (row > 0) {
      r = rows();
      std::swap(r[row], r[row - 1]);
      bad(text_of(r));
      r = rows();
      for (std::size_t i = row; i < r.size(); ++i) r[i][0] = std::to_string(200 + i);
      bad(text_of(r));  // a pause longer than the format allows
    }
  }
  for (const char* head : {"", "time,a,b", "t,a,a", "t,t,b", "t", "a,b,t,c", "t;a;b"}) bad(text_of(rows(), "\n", head));
  bad("");
  bad("t,a,b\n");
  bad("t,a,b\n1,2,3\n");

  good(text_of(rows(), "\r\n"));
  good("\xEF\xBB\xBF" + text_of(rows()));
  for (const char* unit : {"W", "kW", "MW", "pct", "frac"})
    for (const char* time : {"s", "ms", "us", "ns"})
      for (const char* holds : {"after", "before"}) {
        auto r = rows();
        for (auto& row : r) row[1] = "0.25";
        TraceFormat f = format(time, unit);
        f.sample_holds = holds;
        good(text_of(r), f);
        f.columns = {"b"};
        good(text_of(r), f);
      }
  auto uneven = rows();
  TraceFormat held = format();
  held.gap = "hold";
  for (std::size_t i = 0; i < uneven.size(); ++i) uneven[i][0] = std::to_string(1000 + i * i) + ".000000001";
  good(text_of(uneven), held);
  std::string cut = text_of(rows());
  cut.pop_back();
  good(cut);
  WARN("recorded series: " << n_bad << " defective, " << passed << " accepted; " << n_good << " good, " << refused
                           << " refused");
  CHECK(n_bad >= 120);
  CHECK(n_good >= 50);
}
