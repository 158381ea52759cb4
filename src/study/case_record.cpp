#include "case_record.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "io/verified_file.hpp"
#include "tidewatt/io/summary_json.hpp"

namespace TIDEWATT_NAMESPACE::study {

namespace {

constexpr std::string_view magic = "tidewatt case 1 ";
constexpr std::size_t digest_digits = 64;

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

sim::Value value_of(const nlohmann::ordered_json& j) {
  if (j.is_number_integer()) return j.get<std::int64_t>();
  if (j.is_number()) return j.get<double>();
  if (j.is_string()) return j.get<std::string>();
  if (!j.is_object()) return {};
  std::vector<std::pair<std::string, double>> pairs;
  for (const auto& [key, x] : j.items())  // null: not a number, as ramps over more time than the run has
    pairs.emplace_back(key, x.is_null() ? std::numeric_limits<double>::quiet_NaN() : x.get<double>());
  return pairs;
}

}  // namespace

std::string encode(const CaseRecord& r) {
  const std::string body = fmt::format(
      "{{\"case\": {}, \"plan\": {}, \"error_kind\": {}, \"error\": {}, \"result_sha256\": {},\n\"figures\": {}}}\n",
      r.index, quoted(r.plan), quoted(r.error_kind), quoted(r.error), quoted(r.result_sha256),
      io::summary_json(r.figures));
  return fmt::format("{}{}\n{}", magic, sha256_hex(body), body);
}

CaseRecord decode(std::string_view bytes, const std::string& file) {
  const auto damaged = [&](const char* why) {
    return io::CorruptFileError(file, fmt::format("damaged case file: {}", why));
  };
  const std::size_t head = magic.size() + digest_digits + 1;
  if (bytes.size() <= head || !bytes.starts_with(magic) || bytes[head - 1] != '\n') throw damaged("no header");
  const std::string_view body = bytes.substr(head);
  if (bytes.substr(magic.size(), digest_digits) != sha256_hex(body))
    throw damaged("its hash does not match its contents");
  try {
    const auto j = nlohmann::ordered_json::parse(body);
    CaseRecord r;
    j.at("case").get_to(r.index);
    j.at("plan").get_to(r.plan);
    j.at("error_kind").get_to(r.error_kind);
    j.at("error").get_to(r.error);
    j.at("result_sha256").get_to(r.result_sha256);
    for (const auto& [key, value] : j.at("figures").items()) r.figures.emplace_back(key, value_of(value));
    return r;
  } catch (const nlohmann::json::exception&) {
    throw damaged("it was not written by this program");
  }
}

}  // namespace TIDEWATT_NAMESPACE::study
