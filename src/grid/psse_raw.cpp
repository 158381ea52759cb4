#include "psse_raw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include "base/outside_text.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "psse_text.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Complex = std::complex<double>;

/// One line's fields: between commas, or between blanks where a line has no commas; text in quotes is one field.
struct Line {
  std::uint32_t number = 0;
  std::vector<std::string> fields;
  bool unclosed = false;  ///< a quote that its line does not close
};

Line split(std::string_view text, std::uint32_t number) {
  Line out{number, {}};
  std::string field;
  PsseQuote quote;
  bool open = false;
  const auto close = [&](bool even_if_empty) {
    if (open || even_if_empty) out.fields.emplace_back(trim(field));
    field.clear();
    open = false;
  };
  bool after_blank = false;  // a blank ended the last field: a comma after it does not make another one
  for (const char c : text) {
    if (quote.takes(c, open)) {
      open = true;
    } else if (quote.open()) {
      field += c;
    } else if (c == '/') {
      break;
    } else if (c == ',') {
      if (open || !after_blank) close(true);
      after_blank = false;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      if (open) close(false), after_blank = true;
    } else {
      field += c;
      open = true;
      after_blank = false;
    }
  }
  close(false);
  out.unclosed = quote.open();
  return out;
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> out;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    out.push_back(split(line, ++number));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// Reads a RAW file's sections one after another; every finding is kept.
class RawReader {
 public:
  RawReader(std::string_view text, std::string name) : lines_(lines_of(text)), name_(std::move(name)) {}

  PowerNetwork read() {
    header();
    if (findings_.empty()) {
      buses();
      loads();
      shunts();
      generators();
      branches();
      transformers();
      others();
    }
    if (!findings_.empty()) throw InputError(std::move(findings_));
    return std::move(n_);
  }

 private:
  void wrong(std::uint32_t line, std::string key, std::string message) {
    findings_.push_back({{name_, line, 0}, std::move(key), std::move(message)});
  }
  /// Field `at` as a number; absent or empty: `otherwise`.
  double number(const Line& l, std::size_t at, const char* key, double otherwise) {
    if (at >= l.fields.size() || l.fields[at].empty()) return otherwise;
    if (const auto value = psse_number(l.fields[at])) return *value;
    wrong(l.number, key, fmt::format("'{}' is not a number", l.fields[at]));
    return otherwise;
  }
  static std::string text(const Line& l, std::size_t at) { return at < l.fields.size() ? printable(l.fields[at]) : ""; }
  Complex pair(const Line& l, std::size_t at, const char* key) {
    return {number(l, at, key, 0.0), number(l, at + 1, key, 0.0)};
  }
  /// The next line of a section, or nothing at its end (a record whose first field is 0, or Q).
  const Line* next() {
    while (at_ < lines_.size()) {
      const Line& l = lines_[at_++];
      if (l.fields.empty()) continue;
      if (l.fields[0] == "Q" || l.fields[0] == "q") {
        --at_;
        return nullptr;
      }
      if (l.fields[0] == "0") return nullptr;
      if (l.unclosed) wrong(l.number, "", "a quote that its line does not close: what follows it is text");
      return &l;
    }
    return nullptr;
  }
  std::size_t bus(const Line& l, std::size_t at) {
    const auto number_ = static_cast<std::int64_t>(std::abs(number(l, at, "bus", 0.0)));
    for (std::size_t i = 0; i < n_.bus.size(); ++i)
      if (n_.bus[i].number == number_) return i;
    wrong(l.number, "bus", fmt::format("there is no bus {}", text(l, at)));
    return 0;
  }
  bool on(const Line& l, std::size_t at) { return number(l, at, "status", 1.0) != 0.0; }

  void header() {
    if (lines_.size() < 3) return wrong(1, "header", "the file ends before its three title lines");
    const Line& l = lines_[0];
    n_.base_VA = 1e6 * number(l, 1, "SBASE", 100.0);
    revision_ = static_cast<int>(number(l, 2, "REV", 0.0));
    n_.nominal_Hz = number(l, 5, "BASFRQ", 60.0);
    if (revision_ != 32 && revision_ != 33)
      wrong(1, "REV", fmt::format("revision '{}' is not read: 32 or 33", text(l, 2)));
    if (!(n_.base_VA > 0.0 && n_.nominal_Hz >= 16.0 && n_.nominal_Hz <= 60.0))
      wrong(1, "SBASE, BASFRQ", "must be positive, 16 to 60 Hz");
    at_ = 3;
  }
  void buses() {
    while (const Line* l = next()) {
      PowerNetwork::Bus b;
      b.number = static_cast<std::int64_t>(number(*l, 0, "I", 0.0));
      b.name = text(*l, 1);
      const double kind = number(*l, 3, "IDE", 1.0);
      if (kind < 1.0 || kind > 4.0)
        wrong(l->number, "IDE", fmt::format("type {} is outside of 1 to 4", kind));
      else
        b.kind = static_cast<PowerNetwork::BusKind>(static_cast<int>(kind));
      const double size = number(*l, 7, "VM", 1.0);
      if (!(size > 0.2 && size < 2.0)) wrong(l->number, "VM", fmt::format("{} pu is outside of 0.2 to 2", size));
      b.voltage_pu = std::polar(size, number(*l, 8, "VA", 0.0) * 3.14159265358979323846 / 180.0);
      if (std::any_of(n_.bus.begin(), n_.bus.end(), [&](const auto& o) { return o.number == b.number; }))
        wrong(l->number, "I", fmt::format("bus {} is there twice", b.number));
      n_.bus.push_back(std::move(b));
    }
    if (n_.bus.empty()) wrong(4, "bus", "the file has no buses");
  }
  void loads() {
    while (const Line* l = next()) {
      PowerNetwork::Load d;
      d.bus = bus(*l, 0);
      d.id = text(*l, 1);
      d.in_service = on(*l, 2);
      d.power_VA = 1e6 * pair(*l, 5, "PL, QL");
      d.current_VA = 1e6 * pair(*l, 7, "IP, IQ");
      d.impedance_VA = 1e6 * std::conj(pair(*l, 9, "YP, YQ"));  // the file's YQ feeds where it is positive
      n_.load.push_back(d);
    }
  }
  void shunts() {
    while (const Line* l = next())
      if (const std::size_t at = bus(*l, 0); on(*l, 2) && at < n_.bus.size())
        n_.bus[at].shunt_VA += 1e6 * pair(*l, 3, "GL, BL");
  }
  void generators() {
    while (const Line* l = next()) {
      PowerNetwork::Generator g;
      g.place = {name_, l->number, 0};
      g.bus = bus(*l, 0);
      g.id = text(*l, 1);
      g.power_VA = 1e6 * pair(*l, 2, "PG, QG");
      g.voltage_pu = number(*l, 6, "VS", 1.0);
      g.rating_VA = 1e6 * number(*l, 8, "MBASE", n_.base_VA * 1e-6);
      g.source_pu = {number(*l, 9, "ZR", 0.0), number(*l, 10, "ZX", 1.0)};
      g.in_service = on(*l, 14);
      if (!(g.rating_VA > 0.0)) wrong(l->number, "MBASE", "must be positive");
      if (number(*l, 11, "RT", 0.0) != 0.0 || number(*l, 12, "XT", 0.0) != 0.0)
        wrong(l->number, "RT, XT",
              "a step-up transformer within the unit is not modelled: give it as a transformer record");
      n_.generator.push_back(std::move(g));
    }
  }
  void add(PowerNetwork::Branch b, std::uint32_t line) {
    if (std::abs(b.impedance_pu) < 1e-9)
      wrong(line, "R, X", "impedance 0: join the two buses, or give it 0.0001 pu");
    else
      n_.branch.push_back(std::move(b));
  }
  void branches() {
    while (const Line* l = next()) {
      PowerNetwork::Branch b;
      b.from = bus(*l, 0);
      b.to = bus(*l, 1);
      b.id = text(*l, 2);
      b.impedance_pu = pair(*l, 3, "R, X");
      b.charging_pu = number(*l, 5, "B", 0.0);
      b.shunt_from_pu = pair(*l, 9, "GI, BI");
      b.shunt_to_pu = pair(*l, 11, "GJ, BJ");
      b.in_service = on(*l, 13);
      add(std::move(b), l->number);
    }
  }
  void transformers() {
    while (const Line* first = next()) {
      if (number(*first, 2, "K", 0.0) != 0.0) {
        wrong(first->number, "K", "a transformer of three windings is not read: give its three branches");
        at_ = std::min(at_ + 4, lines_.size());
        continue;
      }
      if (at_ + 3 > lines_.size()) return wrong(first->number, "transformer", "has fewer than four lines");
      const Line &z = lines_[at_], &w1 = lines_[at_ + 1], &w2 = lines_[at_ + 2];
      at_ += 3;
      const double cw = number(*first, 4, "CW", 1.0), cz = number(*first, 5, "CZ", 1.0),
                   cm = number(*first, 6, "CM", 1.0);
      if (cw != 1.0)
        wrong(first->number, "CW", fmt::format("{}: only 1 is read, winding voltages in pu of the buses", cw));
      if (cz != 1.0 && cz != 2.0)
        wrong(first->number, "CZ", fmt::format("{}: only 1 and 2 are read, impedance in pu", cz));
      if (cm != 1.0 && (number(*first, 7, "MAG1", 0.0) != 0.0 || number(*first, 8, "MAG2", 0.0) != 0.0))
        wrong(first->number, "CM", "only 1 is read, magnetising admittance in pu");
      const double v1 = number(w1, 0, "WINDV1", 1.0), v2 = number(w2, 0, "WINDV2", 1.0);
      if (!(v1 > 0.1 && v2 > 0.1)) wrong(w1.number, "WINDV", "must be above 0.1 pu");
      PowerNetwork::Branch b;
      b.from = bus(*first, 0);
      b.to = bus(*first, 1);
      b.id = text(*first, 3);
      b.in_service = on(*first, 11);
      b.impedance_pu = pair(z, 0, "R1-2, X1-2");
      if (cz == 2.0) b.impedance_pu *= n_.base_VA / (1e6 * number(z, 2, "SBASE1-2", n_.base_VA * 1e-6));
      b.impedance_pu *= v2 * v2;
      b.shunt_from_pu = pair(*first, 7, "MAG1, MAG2");
      b.ratio = std::polar(v1 / v2, number(w1, 2, "ANG1", 0.0) * 3.14159265358979323846 / 180.0);
      add(std::move(b), first->number);
    }
  }
  /// What follows the transformers: what would change the network is a finding, but for switched shunts.
  void others() {
    static constexpr std::pair<const char*, bool> sections[] = {{"area", true},
                                                                {"two-terminal DC line", false},
                                                                {"voltage-source DC line", false},
                                                                {"impedance correction", true},
                                                                {"multi-terminal DC line", false},
                                                                {"multi-section line", false},
                                                                {"zone", true},
                                                                {"transfer", true},
                                                                {"owner", true},
                                                                {"FACTS device", false}};
    for (const auto& [what, harmless] : sections)
      while (const Line* l = next())
        if (!harmless) wrong(l->number, what, "is not modelled");
    while (const Line* l = next()) {
      const std::size_t at = bus(*l, 0);
      if (at < n_.bus.size() && on(*l, 3)) n_.bus[at].shunt_VA += Complex(0.0, 1e6 * number(*l, 9, "BINIT", 0.0));
    }
    for (const char* what : {"GNE device", "induction machine"})
      while (const Line* l = next()) wrong(l->number, what, "is not modelled");
  }

  std::vector<Line> lines_;
  std::string name_;
  std::size_t at_ = 0;
  int revision_ = 0;
  PowerNetwork n_;
  std::vector<Finding> findings_;
};

}  // namespace

PowerNetwork parse_raw(std::string_view text, const std::string& name) { return RawReader(text, name).read(); }
PowerNetwork read_raw(const std::string& path) { return parse_raw(read_text(path, psse_file_limit_B), path); }

}  // namespace TIDEWATT_NAMESPACE::grid
