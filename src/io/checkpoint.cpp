#include "checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/archive.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "durable_file.hpp"
#include "sim/scenario_inputs.hpp"
#include "verified_file.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr std::string_view head = "tidewatt checkpoint 4\n";
constexpr std::string_view any_head = "tidewatt checkpoint ";
constexpr std::size_t digits = 64;

/// The next line of `rest`; advances `rest` past it.
std::string_view line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const auto out = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return out;
}

/// Content after the hash, which is correct. @param file the whole file
std::string_view verified_body(const std::string& path, std::string_view file) {
  if (file.substr(0, any_head.size()) != any_head) throw CorruptFileError(path, "not a checkpoint of tidewatt");
  if (file.substr(0, head.size()) != head)
    throw CorruptFileError(path, "damaged, or written by another version of tidewatt");
  file.remove_prefix(head.size());
  const auto digest = line(file);
  if (digest.size() != digits || sha256_hex(file) != digest)
    throw CorruptFileError(path, "damaged: its hash does not match its contents");
  return file;
}

/// Every input that is another one now, by name. @throws InputError
void require_same(const std::string& path, const std::string& before, const std::string& now) {
  auto findings = sim::input_changes(before, now);
  for (auto& finding : findings) {
    finding.place.file = path;
    finding.message = "not as when the checkpoint was written: " + finding.message;
  }
  if (!findings.empty()) throw InputError(std::move(findings));
}

/// A part of known length: "bytes\n" part "\n". Advances `rest` past it.
std::string_view part(std::string_view& rest) {
  const auto count = line(rest);
  std::size_t n = 0;
  std::from_chars(count.data(), count.data() + count.size(), n);  // the hash fits: it is a number
  const auto out = rest.substr(0, n);
  rest.remove_prefix(std::min(rest.size(), n + 1));
  return out;
}

/// Hours of the first part of a run, which its second part alone cannot make whole. @throws InputError
void take_hours(const std::string& path, std::string_view bytes, sim::GpuHours* hours) {
  if (hours != nullptr && bytes.empty())
    throw InputError(Finding{{path, 0, 0},
                             "--gpu-hours",
                             "not as when the checkpoint was written: it has no hourly means of the first part of the "
                             "run. Resume without --gpu-hours, or run from the start"});
  if (hours == nullptr && !bytes.empty())
    throw InputError(Finding{{path, 0, 0},
                             "--gpu-hours",
                             "not as when the checkpoint was written: it has hourly means of the first part of the "
                             "run. Resume with --gpu-hours"});
  if (hours == nullptr) return;
  ArchiveReader from(bytes);
  from(*hours);
}

std::string read_whole(const std::string& path) { return read_file(path, std::size_t{8} << 30U); }

}  // namespace

void write_checkpoint(const std::string& path, sim::Engine& engine, const std::string& scenario_text,
                      sim::GpuHours* hours) {
  ArchiveWriter to;
  if (hours != nullptr) to(*hours);
  const std::string collected = to.take();
  std::string body =
      fmt::format("{}\n{}\n{}\n{}\n", TIDEWATT_VERSION, scenario_text.size(), scenario_text, collected.size());
  body += collected + "\n" + engine.save();
  write_durably(path, std::string(head) + sha256_hex(body) + "\n" + body);
}

void verify_checkpoint(const std::string& path) { verified_body(path, read_whole(path)); }

std::string checkpoint_state(const std::string& path, const std::string& scenario_text, bool other_scenario,
                             sim::GpuHours* hours) {
  const std::string file = read_whole(path);
  std::string_view rest = verified_body(path, file);
  const std::string version(line(rest));
  if (version != TIDEWATT_VERSION)
    throw InputError(Finding{{path, 0, 0},
                             "",
                             fmt::format("written by version {}, this is {}: only the same version can go on from it",
                                         version, TIDEWATT_VERSION)});
  const std::string before(part(rest));
  if (!other_scenario) require_same(path, before, scenario_text);
  take_hours(path, part(rest), hours);
  return std::string(rest);
}

}  // namespace TIDEWATT_NAMESPACE::io
