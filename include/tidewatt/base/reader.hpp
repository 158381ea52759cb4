#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/node.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

class FieldLog;
struct FieldEntry;

/// Strict reader of one table: every key must be known, every required key present, every value in range and with the
/// right unit suffix. It never throws; it adds errors to the shared list of findings.
class TIDEWATT_API TableReader final : public FieldVisitor {
 public:
  /// @param node must outlive the reader  @param path key path of the table, for messages
  /// @param log records every key that is read; null: records nothing
  TableReader(const Node& node, std::string path, std::vector<Finding>& findings, FieldLog* log = nullptr);

  void number(std::string_view key, double& si, Range range, std::string_view doc, Need need = Need::required) override;
  void integer(std::string_view key, std::int64_t& value, Range range, std::string_view doc,
               Need need = Need::required) override;
  void flag(std::string_view key, bool& value, std::string_view doc, Need need = Need::required) override;
  void text(std::string_view key, std::string& value, std::string_view doc, Need need = Need::required) override;
  void choice(std::string_view key, std::string& value, std::span<const std::string_view> options, std::string_view doc,
              Need need = Need::required) override;
  void numbers(std::string_view key, std::vector<double>& si, Range range, std::string_view doc,
               Need need = Need::required) override;
  void texts(std::string_view key, std::vector<std::string>& values, std::string_view doc,
             Need need = Need::required) override;

  /// A sub-table or list that the caller reads by itself; marks the key as known. Null if absent.
  const Node* child(std::string_view key, Need need = Need::optional, std::string_view doc = "table");
  /// As `child`, for a key that holds a list of tables.
  const Node* list(std::string_view key, Need need, std::string_view doc);
  /// As `child`, for a key that names a catalog entry of this kind or overrides one in a table.
  const Node* entry(std::string_view key, std::string_view catalog_kind, Need need, std::string_view doc);
  /// Reports every key of the table that was not read, with the nearest known one. Call once, last.
  void finish();
  /// Adds a finding. @param at place that it names; null: the table itself  @param key below the table's path
  void report(const Node* at, std::string_view key, std::string message);
  const std::string& path() const { return path_; }

 private:
  const Node* take(std::string_view key, Need need, std::string_view doc, Range range);
  void note(FieldEntry entry);
  bool read_number(const Node& n, std::string_view key, double& out, Range range);
  const Node& node_;
  std::string path_;
  std::vector<Finding>& findings_;
  std::vector<std::string> known_;
  FieldLog* log_;
  std::string variant_;  ///< word of `kind` or `type`, once read
};

}  // namespace TIDEWATT_NAMESPACE
