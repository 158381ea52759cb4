#include "field_log.hpp"

#include "text.hpp"

namespace TIDEWATT_NAMESPACE {

std::string FieldLog::pattern(std::string_view path) const {
  std::string out;
  for (const auto& part : split(path, '.')) {
    const bool item = lists_.contains(out);
    out += (out.empty() ? "" : ".") + (item ? std::string("*") : part);
  }
  return out;
}

void FieldLog::add(const std::string& path, FieldEntry entry) {
  entry.table = pattern(path);
  entries_.push_back(std::move(entry));
}

}  // namespace TIDEWATT_NAMESPACE
