// Your own waveform through the library's meters: two minutes of a square wave with a stop, in means of 1 ms.
#include <cmath>
#include <cstdio>
#include <tidewatt/grid/bands.hpp>
#include <tidewatt/grid/frequency.hpp>
#include <tidewatt/grid/metrics.hpp>
#include <vector>

int main() {
  std::vector<double> load_W(120'000);  // 20 MW with dips to 12 MW every 2 s; everything stops after 100 s
  for (std::size_t ms = 0; ms < load_W.size(); ++ms) load_W[ms] = ms >= 100'000 ? 5e6 : ms % 2000 < 1500 ? 20e6 : 12e6;

  tidewatt::grid::StepMeter step(1000);
  tidewatt::grid::RampMeter ramp({100, 1000});
  auto bands = tidewatt::grid::BandMeter::standard();
  tidewatt::grid::ExtremesMeter extremes;
  step.begin(0), ramp.begin(0), extremes.begin(0), bands.begin(0, load_W.front());
  step.push(load_W), ramp.push(load_W), extremes.push(load_W), bands.push(load_W);

  const tidewatt::grid::Frequency system({60.0, 60e9, 5.0, 1.0, 0.08, 0.2, 0.3, 7.0, 0.3});  // 60 GVA, see catalog/grid
  auto state = system.start(load_W.front());
  tidewatt::grid::FrequencyMeters frequency;
  frequency.window.begin(0);
  std::vector<double> deviation_Hz(load_W.size());
  system.advance(load_W, deviation_Hz, state, frequency);

  std::printf("mean %.2f MW, largest change within a second %.1f MW, steepest fall over 0.1 s %.0f MW/s\n",
              extremes.mean_W() / 1e6, step.largest() / 1e6, ramp.ramps().front().down_W_per_s / 1e6);
  for (const auto& band : bands.bands())
    std::printf("%5.1f to %4.1f Hz: %.3f MW rms\n", band.low_Hz, band.high_Hz, band.rms_W / 1e6);
  std::printf("frequency rises by %.2f mHz after the stop\n", 1e3 * frequency.highest_Hz);
  return 0;
}
