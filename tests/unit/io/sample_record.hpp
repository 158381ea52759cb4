#pragma once
#include "io/export_record.hpp"
#include "wave.hpp"

/// Ten seconds of a site's load from a file that never was: what exporters are tested with.
inline tidewatt::io::ExportRecord sample_record(std::size_t n = 10'000) {
  tidewatt::io::Waveform w{"sample", 30.0, 1e-3, wave(n), wave(n), {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    w.pcc_var[i] *= 0.3;
    w.bus_pu.push_back(1.02 - 1e-9 * w.pcc_W[i]);
    w.frequency_Hz.push_back(60.0);
  }
  const tidewatt::io::ResultOrigin origin{
      "night run",          "1.2.3",        "2024-02-29T23:59:50", "schema = 1\n", std::string(64, 'a'),
      std::string(64, 'b'), {{31.5, "sag"}}};
  return tidewatt::io::make_export_record(w, origin, {});
}
