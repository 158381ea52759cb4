#pragma once
#include <cstdint>
#include <string>

#include "tidewatt/workload/timeline.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// A repetition as text: for every rank class a strip of `columns` characters along the period (F forward, B backward,
/// + both in turn, . waiting, S gradient exchange, O optimizer, G weight gather; the kind that fills most of a
/// character's span), then its phases: how often, how long together, share of the period, share of the time in matrix products and their switching
/// activity, mean share of peak memory and link bandwidth.
/// @param n_stage  class index: replica group × n_stage + stage  @param columns  20 … 400
/// @throws InputError if the classes are not whole groups of `n_stage`, or for `columns` out of range
std::string iteration_text(const Timeline& timeline, std::int64_t n_stage, std::int64_t columns = 100);

}  // namespace TIDEWATT_NAMESPACE::workload
