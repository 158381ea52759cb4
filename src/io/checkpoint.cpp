#include "tidewatt/io/checkpoint.hpp"

#include <fmt/format.h>

#include <string_view>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/text.hpp"
#include "tidewatt/io/durable_file.hpp"
#include "tidewatt/io/payload_hash.hpp"

namespace tidewatt::io {
namespace {

constexpr std::string_view head = "tidewatt checkpoint 1\n";
constexpr std::size_t digits = 64;

/// The next line of `rest`, which moves on behind it.
std::string_view line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const auto out = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return out;
}

}  // namespace

void write_checkpoint(const std::string& path, sim::Engine& engine, const std::string& scenario_text) {
  std::string body = fmt::format("{}\n{}\n", TIDEWATT_VERSION, sha256_hex(scenario_text));
  body += engine.save();
  write_durably(path, std::string(head) + sha256_hex(body) + "\n" + body);
}

void read_checkpoint(const std::string& path, sim::Engine& engine, const std::string& scenario_text, bool other_scenario) {
  const std::string file = read_file(path, std::size_t{8} << 30U);
  std::string_view rest(file);
  const auto refuse = [&](const char* why) { throw InputError(fmt::format("{}: {}", path, why)); };
  if (rest.substr(0, head.size()) != head) refuse("not a checkpoint of this program");
  rest.remove_prefix(head.size());
  const auto digest = line(rest);
  if (digest.size() != digits || sha256_hex(rest) != digest) refuse("damaged: its hash does not fit its contents");
  if (line(rest) != TIDEWATT_VERSION) refuse("written by another version");
  if (line(rest) != sha256_hex(scenario_text) && !other_scenario) refuse("of another scenario");
  engine.restore(rest);
}

}  // namespace tidewatt::io
