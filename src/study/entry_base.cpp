#include "entry_base.hpp"

#include <fmt/format.h>

#include "tidewatt/base/error.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::study {

EntryBase::EntryBase(std::string kind, std::string name) : kind_(std::move(kind)), name_(std::move(name)) {
  const catalog::Catalog catalog;
  text_ = catalog.text(kind_, name_);
  values_ = catalog.values(kind_, name_);
  std::vector<Finding> findings;
  std::vector<catalog::AssumedInput> assumed;
  catalog.resolve(Node(Node::Value(name_), Place{}), kind_, kind_, findings, assumed);
  for (const auto& a : assumed)
    if (a.words.empty()) range_[a.key.substr(a.key.find('.') + 1)] = {a.low, a.high};
}

double EntryBase::value(const std::string& key) const {
  const auto dot = key.find('.');
  const Node* at = dot == std::string::npos ? &values_ : values_.find(key.substr(0, dot));
  if (at) at = at->find(dot == std::string::npos ? key : key.substr(dot + 1));
  if (at && std::holds_alternative<double>(at->value)) return std::get<double>(at->value);
  if (at && std::holds_alternative<std::int64_t>(at->value))
    return static_cast<double>(std::get<std::int64_t>(at->value));
  throw InputError(fmt::format("{} '{}' has no number {}", kind_, name_, key));
}

PriorParameter EntryBase::prior(const std::string& key, double factor, const std::string& shown) const {
  const std::string name = !shown.empty() ? shown : key.substr(key.find('.') + 1);
  const auto at = range_.find(key);
  if (at != range_.end() && at->second.first < at->second.second)
    return {name, at->second.first, at->second.second, at->second.first > 0.0};
  const double v = value(key);
  if (!(v > 0.0)) throw InputError(fmt::format("{} '{}': {} is {:g} and has no range", kind_, name_, key, v));
  return {name, v / factor, v * factor, true};
}

}  // namespace TIDEWATT_NAMESPACE::study
