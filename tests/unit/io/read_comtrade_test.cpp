#include "io/read_comtrade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text.hpp"
#include "catch.hpp"
#include "io/export_comtrade.hpp"
#include "sample_record.hpp"
#include "scratch_folder.hpp"
#include "shared_data.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::io;

namespace {

const ComtradeSeries& channel(const ComtradeRecord& r, const std::string& name) {
  const auto at = std::find_if(r.channels.begin(), r.channels.end(), [&](const auto& c) { return c.name == name; });
  REQUIRE(at != r.channels.end());
  return *at;
}

/// A record of one wave of 50 Hz at 1,600 Hz for 0.1 s, as text, with parts of it to replace.
struct Files {
  std::string cfg =
      "STATION,1,1999\n2,1A,1D\n1,VA,A,,kV,0.01,0,0,-99999,99999,138000,115,P\n1,TRIP,,,0\n50\n1\n1600,160\n"
      "01/02/2025,00:00:00.000000\n01/02/2025,00:00:00.000000\nASCII\n1\n";
  std::string dat;
  Files() {
    for (int i = 0; i < 160; ++i)
      dat += fmt::format("{},{},{:.0f},0\r\n", i + 1, 625 * i, 1e4 * std::sin(6.28318530717958648 * i / 32.0));
  }
  Files& set(const std::string& from, const std::string& to) {
    for (std::string* text : {&cfg, &dat})
      if (const auto at = text->find(from); at != std::string::npos) return text->replace(at, from.size(), to), *this;
    FAIL("no " << from);
    return *this;
  }
  Files& all(char from, char to) {
    std::replace(cfg.begin(), cfg.end(), from, to), std::replace(dat.begin(), dat.end(), from, to);
    return *this;
  }
  ComtradeRecord read() const {
    const ScratchFolder scratch;
    std::ofstream(scratch.file("r.cfg"), std::ios::binary) << cfg;
    std::ofstream(scratch.file("r.dat"), std::ios::binary) << dat;
    return read_comtrade(scratch.file("r.cfg"));
  }
  std::string refusal() const {
    try {
      read();
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  }
};

double rms(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum / static_cast<double>(x.size()));
}

}  // namespace

TEST_CASE("what the exporter writes comes back in every encoding") {
  const ScratchFolder scratch;
  const auto r = sample_record(500);
  for (const auto& [revision, encoding] : {std::pair{ComtradeRevision::r1999, ComtradeEncoding::ascii},
                                           {ComtradeRevision::r1999, ComtradeEncoding::binary},
                                           {ComtradeRevision::r2013, ComtradeEncoding::ascii},
                                           {ComtradeRevision::r2013, ComtradeEncoding::binary},
                                           {ComtradeRevision::r2013, ComtradeEncoding::float32}}) {
    write_export(scratch.file("x"), comtrade_files(r, revision, encoding), 1);
    const auto back = read_comtrade(
        scratch.file(revision == ComtradeRevision::r1999 ? "x/night run_sample.cfg" : "x/night run_sample.cff"));
    REQUIRE(back.time_s.size() == 500);
    CHECK(back.time_s[499] == Approx(0.499));
    CHECK(back.station == "night run");
    for (std::size_t i = 0; i < 500; i += 7)
      REQUIRE(channel(back, "pcc_P").values[i] == Approx(r.channels[0].values[i]).epsilon(1e-4));
    CHECK(back.notes.empty());
  }
}

TEST_CASE("records of relays: many rates, none, stamps that are absent, headers that count wrongly") {
  const auto folder = shared_data("comtrade_records");
  if (!folder) {
    WARN("no comtrade_records in the shared data: left out");
    return;
  }
  const auto read = [&](const char* name) { return read_comtrade((*folder / name).string()); };
  const auto one = read("relay_1.cfg");
  CHECK(one.time_s.size() == 5316);
  CHECK(one.time_s.back() == Approx(2.209084).epsilon(0.002));
  CHECK(rms(channel(one, "UA").values) == Approx(60.20).margin(0.01));
  CHECK(*std::max_element(channel(one, "UA").values.begin(), channel(one, "UA").values.end()) ==
        Approx(114.23).margin(0.01));
  const auto three = read("relay_3.cfg");
  CHECK(three.time_s.size() == 1360);
  CHECK(three.time_s.back() == Approx(1.698295).margin(0.01));
  CHECK(read("relay_4.cfg").time_s.size() == 2400);
  CHECK(rms(channel(read("relay_4.cfg"), "U21").values) == Approx(2112.3).margin(0.1));
  CHECK(read("relay_5.cfg").time_s.size() == 202);
  CHECK(read("sample_ascii.cfg").time_s.size() == 40);
}

TEST_CASE("what is no record is refused with its line") {
  const ScratchFolder scratch;
  std::ofstream(scratch.file("a.cfg")) << "x,y,1999\n1,1A,0D\n1,UA,,,V,one,0,0,0,1,1,1,P\n";
  try {
    read_comtrade(scratch.file("a.cfg"));
    FAIL("no error");
  } catch (const InputError& e) {
    CHECK(std::string(e.what()).find("'one' is not a number") != std::string::npos);
    CHECK(e.findings()[0].place.line == 3);
  }
  CHECK_THROWS_AS(read_comtrade(scratch.file("none.cfg")), InputError);
  CHECK_THROWS_WITH(read_comtrade(scratch.file("a.dat")), Catch::Contains("give its .cfg"));
}

TEST_CASE("stamps in other units are read by the header's digits and factor") {
  const auto last_s = [](Files f) { return f.read().time_s.back(); };
  CHECK(last_s(Files()) == Approx(159 * 625e-6));
  // Nanoseconds: nine digits in the header's times, stamps of 625,000.
  Files ns;
  ns.set("1999", "2013").set("1\n1600,160", "0\n0,160").set("00:00:00.000000", "00:00:00.000000000");
  CHECK(last_s(ns) == Approx(159 * 625e-9));
  CHECK(last_s(Files().set("ASCII\n1\n", "ASCII\n2\n").set("1\n1600,160", "0\n0,160")) == Approx(2 * 159 * 625e-6));
  Files wrong;
  wrong.set("00:00:00.000000", "00:00:00.000000000");
  CHECK_THAT(wrong.refusal(), Catch::Contains("1.6e+06 Hz"));
}

TEST_CASE("a rate that the stamps contradict is a finding at its line; many rates are checked one by one") {
  CHECK(Files().refusal() == "accepted");
  CHECK(Files().set("1600,160", "1610,160").refusal() == "accepted");  // a clock that is 0.6 % off
  for (const char* rate : {"800,160", "3200,160", "1500,160"}) {
    const auto said = Files().set("1600,160", rate).refusal();
    CHECK_THAT(said, Catch::Contains("r.cfg:7:1") && Catch::Contains("by their stamps (1600 Hz)") &&
                         Catch::Contains("write 0 as number of rates"));
  }
  CHECK(Files().set("1\n1600,160", "2\n1600,80\n1600,160").refusal() == "accepted");
  CHECK_THAT(Files().set("1\n1600,160", "2\n1600,80\n800,160").refusal(), Catch::Contains("r.cfg:8:1"));
  Files falls;
  falls.set("1\n1600,160", "0\n0,160").set("\n100,61875", "\n100,875");
  CHECK_THAT(falls.refusal(), Catch::Contains("sample 100: its stamp is before"));
}

TEST_CASE("filling behind lines and data is none of their text") {
  const auto good = Files().read();
  const std::string nul(7, '\0'), eof(64, '\x1a');
  for (const auto& fill : {nul, eof, eof + "\r\n", "\r\n" + nul + eof, std::string(300, '\n')}) {
    Files f;
    f.cfg += fill, f.dat += fill;
    CHECK(f.read().channels[0].values == good.channels[0].values);
  }
  CHECK(Files().set("ASCII\n1\n", "ASCII" + nul + "\n1 " + eof + "\n").refusal() == "accepted");
  CHECK(Files().set("1,VA,", "1,VA" + nul + ",").read().channels[0].name == "VA");
  Files mark;
  mark.cfg = "\xEF\xBB\xBF" + mark.cfg;
  CHECK(mark.read().station == "STATION");
  // Within text control bytes stay, and are shown by their numbers.
  CHECK(Files().set("1,VA,", "1,V\x1b[2JA,").read().channels[0].name == "V\\x1b[2JA");
  CHECK_THAT(Files().set("1,VA,A,,kV,0.01", "1,VA,A,,kV,x\x1b[2J").refusal(),
             Catch::Contains("'x\\x1b[2J' is not a number"));
}

TEST_CASE("decimal commas are read where semicolons separate, or where nothing else can be meant") {
  Files f;
  f.all(',', ';').all('.', ',');
  CHECK(f.read().channels[0].values == Files().read().channels[0].values);
  CHECK(Files().set("\n50\n", "\n49,97\n").read().line_Hz == Approx(49.97));
  CHECK(Files().set("\n50\n", "\n\n").read().line_Hz == 0.0);
  CHECK(Files().set("1600,160", "1600,5,160").refusal() == "accepted");
  CHECK_THAT(Files().set("kV,0.01,0,", "kV,0,01,0,0,").refusal(),
             Catch::Contains("r.cfg:3:1") && Catch::Contains("semicolons"));
  CHECK_THAT(Files().set("\n9,5000,10000,0", "\n9,5000,10000,5,0").refusal(),
             Catch::Contains("r.dat:9:1") && Catch::Contains("5 fields, 4 are needed"));
}

TEST_CASE("what is not there is missing, what is no number is a finding, and samples are counted") {
  const auto r = Files().set("\n9,5000,10000,0", "\n9,5000,,0").set("\n10,5625,9808,0", "\n10,5625,99999,0").read();
  CHECK(std::isnan(r.channels[0].values[8]));
  CHECK(std::isnan(r.channels[0].values[9]));
  CHECK_THAT(Files().set("\n9,5000,10000,0", "\n9,5000,1OOOO,0").refusal(),
             Catch::Contains("r.dat:9:1: '1OOOO' is not a number"));
  CHECK(Files().set("1600,160", "1600,159").read().notes ==
        std::vector<std::string>{"the header announces 159 samples, the data hold 160"});
  Files cut;
  cut.dat.resize(cut.dat.find("\n81,") + 1);
  CHECK_THAT(cut.read().notes.at(0), Catch::Contains("announces 160 samples, the data hold 80"));
  CHECK_THAT(Files().set("\n50,30625,", "\n70,30625,").read().notes.at(0),
             Catch::Contains("sample numbers jump 2 times"));
}

TEST_CASE("a combined file's header line says how long its data are, in any case of letters") {
  const ScratchFolder scratch;
  write_export(scratch.file("x"), comtrade_files(sample_record(500), ComtradeRevision::r2013, ComtradeEncoding::binary),
               1);
  const std::string path = scratch.file("x/night run_sample.cff");
  const auto good = read_comtrade(path);
  std::string text = read_file(path, 1u << 20);
  for (const std::string from : {"--- file type: CFG", "--- file type: DAT"}) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    for (std::size_t i = at; i < at + from.size(); ++i) text[i] = static_cast<char>(std::tolower(text[i]));
  }
  std::ofstream(path, std::ios::binary) << text << "\r\nmore that is no data";
  CHECK(read_comtrade(path).channels[0].values == good.channels[0].values);
  CHECK(read_comtrade(path).notes.empty());
  std::ofstream(path, std::ios::binary) << text.substr(0, text.size() - 1000);
  CHECK_THAT(read_comtrade(path).notes.at(0), Catch::Contains("the data end after"));
}

TEST_CASE("binary rows of another length than the header's do not count up; filling behind them is none") {
  const ScratchFolder scratch;
  write_export(scratch.file("x"), comtrade_files(sample_record(500), ComtradeRevision::r1999, ComtradeEncoding::binary),
               1);
  const std::string cfg = scratch.file("x/night run_sample.cfg"), dat = scratch.file("x/night run_sample.dat");
  const auto good = read_comtrade(cfg);
  std::ofstream(dat, std::ios::binary | std::ios::app) << std::string(41, '\0') << std::string(100, '\x1a');
  CHECK(read_comtrade(cfg).channels[0].values == good.channels[0].values);
  std::string text = read_file(cfg, 1u << 20);
  const auto at = text.find("0D");
  REQUIRE(at != std::string::npos);
  std::string more;
  for (int i = 1; i <= 16; ++i) more += fmt::format("{},S{},,,0\n", i, i);
  text.replace(at, 2, "16D");
  const auto line = text.find("\n60");
  REQUIRE(line != std::string::npos);
  std::ofstream(cfg, std::ios::binary) << text.insert(line + 1, more);
  CHECK_THROWS_WITH(read_comtrade(cfg), Catch::Contains("do not count up"));
}
