#pragma once
#include <string>
#include <string_view>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// A number that a row's own code puts into a model, in its unit, where no catalog entry holds it. The mutation test scales it by its name.
double term(std::string_view name, double value);

/// Scales one term of this thread's rows while it lives.
class TermInUse {
 public:
  /// @param factor dimensionless
  TermInUse(std::string name, double factor);
  ~TermInUse();
  TermInUse(const TermInUse&) = delete;
  TermInUse& operator=(const TermInUse&) = delete;

 private:
  std::string name_;
  double factor_;
  const TermInUse* before_;

  friend double term(std::string_view name, double value);
};

}  // namespace TIDEWATT_NAMESPACE::validate
