#include "row_term.hpp"

#include <utility>

namespace TIDEWATT_NAMESPACE::validate {
namespace {

thread_local const TermInUse* in_use = nullptr;

}  // namespace

TermInUse::TermInUse(std::string name, double factor) : name_(std::move(name)), factor_(factor), before_(in_use) {
  in_use = this;
}

TermInUse::~TermInUse() { in_use = before_; }

double term(std::string_view name, double value) {
  return in_use != nullptr && in_use->name_ == name ? value * in_use->factor_ : value;
}

}  // namespace TIDEWATT_NAMESPACE::validate
