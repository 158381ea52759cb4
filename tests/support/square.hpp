#pragma once
#include "connection/load_template.hpp"

/// A square wave from 0 to `high` at `hi_W`, then at `lo_W`; its period need not be a whole number of milliseconds.
inline tidewatt::connection::LoadTemplate square(double lo_W, double hi_W, tidewatt::Tick period, tidewatt::Tick high) {
  tidewatt::workload::Timeline t;
  t.classes = {{{high, 0}, {period - high, 1}}};
  t.kinds.resize(2);
  t.period = period;
  return tidewatt::connection::make_load_template(t, {{hi_W, lo_W}});
}
