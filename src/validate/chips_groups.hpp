#pragma once
#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// 390 V100 under their power limit: the clock's slope against the die's temperature, and the slowest of them.
void longhorn_rows(const Context& context, std::vector<Row>& rows);

/// One B300 under power caps and at a locked clock: set at 450 and 900 W, predicted between them and beyond.
void b300_rows(std::vector<Row>& rows);

/// The same under a square wave: what the limiter's mean over a second lets through within it.
void b300_duty_rows(std::vector<Row>& rows);

}  // namespace TIDEWATT_NAMESPACE::validate
