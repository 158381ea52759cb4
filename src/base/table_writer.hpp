#pragma once
#include <string_view>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/node.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// Writes parameters as the table that a strict reader would read them from: every key with its value in the key's unit.
class TableWriter final : public FieldVisitor {
 public:
  Node out{Node::Table{}, {}};
  void number(std::string_view key, double& si, Range, std::string_view, Need) override;
  void integer(std::string_view key, std::int64_t& value, Range, std::string_view, Need) override;
  void flag(std::string_view key, bool& value, std::string_view, Need) override;
  void text(std::string_view key, std::string& value, std::string_view, Need) override;
  void choice(std::string_view key, std::string& value, std::span<const std::string_view>, std::string_view,
              Need) override;
  void numbers(std::string_view key, std::vector<double>& si, Range, std::string_view, Need) override;
  void texts(std::string_view key, std::vector<std::string>& values, std::string_view, Need) override;
};

/// The shortest number that reads back as `si` under this key, in the key's unit.
double edge_value(std::string_view key, double si);

}  // namespace TIDEWATT_NAMESPACE
