#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// Allowed values of a number, both ends included, in the unit that the key's suffix names.
struct TIDEWATT_API Range {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
};

enum class Need { required, optional };

/// Walks the one field list that every parameter struct has:
///
///     void GpuParams::fields(FieldVisitor& v) {
///       v.number("tdp_W", tdp_W, {50, 3000}, "board power limit");
///       v.number("clock_max_MHz", clock_max_Hz, {100, 5000}, "highest clock");
///     }
///
/// The key ends with its unit; the member is in SI; the range is in the key's unit. The reader, `--set`, checks,
/// HDF5 attributes, Python attributes and the documentation all use this list; a key is written nowhere else.
/// `Need::optional` keeps the member's present value when the key is absent.
class TIDEWATT_API FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  /// A number. @param si member in SI units  @param range allowed values, in the unit of the key
  virtual void number(std::string_view key, double& si, Range range, std::string_view doc,
                      Need need = Need::required) = 0;
  /// A whole number, without a unit.
  virtual void integer(std::string_view key, std::int64_t& value, Range range, std::string_view doc,
                       Need need = Need::required) = 0;
  /// true or false.
  virtual void flag(std::string_view key, bool& value, std::string_view doc, Need need = Need::required) = 0;
  /// Any text.
  virtual void text(std::string_view key, std::string& value, std::string_view doc, Need need = Need::required) = 0;
  /// One of a closed list of words.
  virtual void choice(std::string_view key, std::string& value, std::span<const std::string_view> options,
                      std::string_view doc, Need need = Need::required) = 0;
  /// A list of numbers, shape [n]. @param si members in SI units  @param range of each, in the unit of the key
  virtual void numbers(std::string_view key, std::vector<double>& si, Range range, std::string_view doc,
                       Need need = Need::required) = 0;
  /// A list of texts, shape [n].
  virtual void texts(std::string_view key, std::vector<std::string>& values, std::string_view doc,
                     Need need = Need::required) = 0;
};

/// One field as data: what documentation, HDF5 attributes and the trust list need.
struct TIDEWATT_API FieldInfo {
  std::string key;
  std::string unit;   ///< edge unit, empty for counts and words
  std::string value;  ///< in the edge unit, shortest text that reads back the same
  Range range;
  std::string doc;
  bool required = true;
};

namespace detail {
/// Collects FieldInfo from any struct with `fields(FieldVisitor&)`.
class TIDEWATT_API FieldLister final : public FieldVisitor {
 public:
  std::vector<FieldInfo> out;
  void number(std::string_view, double&, Range, std::string_view, Need) override;
  void integer(std::string_view, std::int64_t&, Range, std::string_view, Need) override;
  void flag(std::string_view, bool&, std::string_view, Need) override;
  void text(std::string_view, std::string&, std::string_view, Need) override;
  void choice(std::string_view, std::string&, std::span<const std::string_view>, std::string_view, Need) override;
  void numbers(std::string_view, std::vector<double>&, Range, std::string_view, Need) override;
  void texts(std::string_view, std::vector<std::string>&, std::string_view, Need) override;
};
}  // namespace detail

/// The fields of `params` as data, in declaration order.
template <class Params>
std::vector<FieldInfo> list_fields(Params params) {
  detail::FieldLister lister;
  params.fields(lister);
  return std::move(lister.out);
}

}  // namespace TIDEWATT_NAMESPACE
