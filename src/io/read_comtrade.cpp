#include "read_comtrade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/outside_text.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "read_comtrade_parts.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

using comtrade::Data;
using comtrade::Header;

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30U;
constexpr std::size_t most_analogue_fields = 13;
constexpr std::string_view section_mark = "--- file type:";

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
  return out;
}

/// The configuration's lines, one after the other, with errors that name the line.
class Lines {
 public:
  Lines(std::string_view text, std::string file) : file_(std::move(file)) {
    for (const auto& line : split(text, text.find('\n') == std::string_view::npos ? '\r' : '\n'))
      lines_.emplace_back(bare(line));
    if (lines_.size() > 1 && lines_[1].find(',') == std::string::npos && lines_[1].find(';') != std::string::npos)
      separator_ = ';';
  }
  std::vector<std::string> next(std::size_t fewest) {
    if (at_ >= lines_.size()) fail("the file ends here");
    auto fields = split(lines_[at_++], separator_);
    for (auto& f : fields) f = std::string(bare(f));
    if (fields.size() < fewest) fail(fmt::format("{} fields where at least {} are needed", fields.size(), fewest));
    return fields;
  }
  /// The next line as one number, 0 where it is empty; "59,94" has a decimal comma.
  double next_number() {
    const auto f = next(1);
    return f.size() == 1 && f[0].empty() ? 0.0 : number(f.size() == 2 ? f[0] + "." + f[1] : f[0]);
  }
  bool ended() const { return at_ >= lines_.size() || lines_[at_].empty(); }
  double number(const std::string& text) const {
    double out = 0.0;
    if (!comtrade::parse(text, separator_, out) || !std::isfinite(out)) fail("'" + text + "' is not a number");
    return out;
  }
  std::size_t count(const std::string& text) const {
    const double n = number(text);
    if (!(n >= 0.0) || n > 1e9 || n != std::floor(n)) fail("'" + text + "' is not a count");
    return static_cast<std::size_t>(n);
  }
  /// "15D" as 15. @param letter behind the number
  std::size_t count_of(const std::vector<std::string>& fields, char letter) const {
    for (const auto& f : fields)
      if (f.size() > 1 && upper(f).back() == letter) return count(f.substr(0, f.size() - 1));
    fail("counts such as 4A and 15D are needed");
  }
  char separator() const { return separator_; }
  std::uint32_t line() const { return static_cast<std::uint32_t>(at_); }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(Finding{{file_, line(), 1}, "", what}); }

 private:
  std::string file_;
  std::vector<std::string> lines_;
  char separator_ = ',';
  std::size_t at_ = 0;
};

void read_channel(Lines& in, Header& h, ComtradeRecord& record) {
  auto f = in.next(10);
  while (f.size() > most_analogue_fields && f.back().empty()) f.pop_back();
  if (f.size() > most_analogue_fields)
    in.fail(
        fmt::format("{} fields where a channel has {} at most: a comma within a name, or decimal commas? Write "
                    "numbers with points, or separate all fields with semicolons",
                    f.size(), most_analogue_fields));
  record.channels.push_back({printable(f[1]), printable(f[2]), printable(f[4]), {}});
  h.scale.emplace_back(in.number(f[5]), in.number(f[6]));
}

void read_rates(Lines& in, Header& h) {
  const std::size_t n_rate = in.count(in.next(1)[0]);
  h.critical = n_rate == 0;
  h.rate_line = in.line() + 1;
  for (std::size_t i = 0; i < std::max<std::size_t>(n_rate, 1); ++i) {
    const auto f = in.next(2);  // three fields: the rate has a decimal comma
    h.rates.emplace_back(in.number(f.size() == 3 ? f[0] + "." + f[1] : f[0]), in.count(f[f.size() == 3 ? 2 : 1]));
  }
}

/// Digits of the seconds' fraction in a line of date and time.
std::size_t fraction_digits(const std::vector<std::string>& fields) {
  const std::string& time = fields.back();
  return time.size() - (time.find_last_of(".,:/") + 1);
}

Header read_header(Lines& in, ComtradeRecord& record) {
  Header h;
  const auto first = in.next(2);
  record.station = printable(first[0]);
  h.separator = in.separator();
  h.oldest = first.size() < 3 || first.back().empty() || first.back() == "1991";
  const auto counts = in.next(3);
  const std::size_t n = in.count_of(counts, 'A');
  h.n_status = in.count_of(counts, 'D');
  for (std::size_t i = 0; i < n; ++i) read_channel(in, h, record);
  for (std::size_t i = 0; i < h.n_status; ++i) in.next(2);
  record.line_Hz = in.next_number();
  if (record.line_Hz < 0.0) in.fail("the line frequency must be positive, or 0 where it is unknown");
  read_rates(in, h);
  const std::size_t digits =
      std::max(fraction_digits(in.next(1)), fraction_digits(in.next(1)));  // first sample, trigger
  h.stamp_s = digits > 6 ? 1e-9 : 1e-6;
  h.encoding = upper(in.next(1)[0]);
  if (h.encoding != "ASCII" && h.encoding != "BINARY" && h.encoding != "BINARY32" && h.encoding != "FLOAT32")
    in.fail("data encoding '" + h.encoding + "' is not known: ASCII, BINARY, BINARY32 or FLOAT32");
  if (!in.ended()) h.stamp_s *= in.next_number();
  if (!(h.stamp_s > 0.0)) in.fail("the factor of the stamps must be positive");
  return h;
}

/// A section of a combined file: its header line's words behind its name, and its text; nothing if it is not there.
struct Section {
  std::string words, text;
};
Section section(const std::string& all, const std::string& upper_all, const std::string& name, bool to_end) {
  const std::string mark = upper(section_mark);
  const std::size_t head = upper_all.find(mark + " " + name);
  const std::size_t begin = head == std::string::npos ? head : all.find('\n', head);
  if (begin == std::string::npos) return {};
  const std::size_t end = to_end ? std::string::npos : upper_all.find(mark, begin);
  const std::size_t words = head + mark.size() + 1 + name.size();
  return {upper_all.substr(words, begin - words),
          all.substr(begin + 1, end == std::string::npos ? end : end - begin - 1)};
}

/// The data of a combined file: as many bytes as its header line says, where it says so.
std::string combined_data(const std::string& all, const std::string& upper_all, ComtradeRecord& record) {
  Section data = section(all, upper_all, "DAT", true);
  const auto at = data.words.find(':');
  double n = 0.0;
  if (at == std::string::npos || !parse_number(bare(data.words.substr(at + 1, data.words.find('-', at) - at - 1)), n))
    return data.text;
  if (n > static_cast<double>(data.text.size()))
    record.notes.push_back(fmt::format("the data end after {} of {:.0f} bytes", data.text.size(), n));
  else if (n > 0.0)
    data.text.resize(static_cast<std::size_t>(n));
  return data.text;
}

Data data_beside(const std::string& path) {
  const std::filesystem::path stem = std::filesystem::path(path).replace_extension();
  for (const char* ending : {".dat", ".DAT", ".Dat"})
    if (const std::string file = stem.string() + ending; std::filesystem::exists(file))
      return {file, read_file(file, most_bytes)};
  throw InputError(Finding{{path, 0, 0}, "", "its .dat file is not beside it"});
}

}  // namespace

ComtradeRecord read_comtrade(const std::string& path) {
  if (upper(std::filesystem::path(path).extension().string()) == ".DAT")
    throw InputError(Finding{{path, 0, 0}, "", "is a record's data: give its .cfg, or a .cff"});
  const std::string all = read_file(path, most_bytes), upper_all = upper(all);
  const bool combined = upper_all.find(upper(section_mark)) != std::string::npos;
  const std::string config = combined ? section(all, upper_all, "CFG", false).text : read_text(path, most_bytes);
  Lines lines(config, path);
  ComtradeRecord record;
  Header h = read_header(lines, record);
  h.file = path;
  comtrade::read_data(combined ? Data{path, combined_data(all, upper_all, record)} : data_beside(path), h, record);
  return record;
}

}  // namespace TIDEWATT_NAMESPACE::io
