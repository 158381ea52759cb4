#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fit_thermal.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A text table: comma, semicolon or tab between cells, first line the header; text in double quotes is one cell, and where no comma
/// separates, numbers may have decimal commas. @throws InputError
struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::uint32_t> line;  ///< of each row in the file, counted from 1; shape (n rows)
  std::string file;
  /// Seconds from a cell of a time column: `time_ms` and `time_s` have their unit in the name, others use cell_time_s.
  double time_s(const std::vector<std::string>& row, std::size_t column) const;
  /// Index of the first column whose name starts with one of the words; −1: none.
  std::ptrdiff_t column(std::initializer_list<const char*> words) const;
};
/// Reads a whole table, [row][column] of text. @throws InputError with file and line of the error
TextTable read_table(const std::filesystem::path& path);

/// A cell as a number: "543.21 W" is 543.21; empty, [N/A], N/A, DCGM's blank, times and dates are missing (NaN).
double cell_number(const std::string& cell);
/// Seconds: a number (s, ms, µs or ns since an epoch, by its size) or 2024/05/17 18:00:00.123, also with dashes or T; a day or time that
/// does not exist is missing (NaN), 24:00 is the begin of the next day.
double cell_time_s(const std::string& cell);

/// One GPU's record.
struct GpuTelemetry {
  std::string gpu;
  ThermalRecord record;
  std::vector<double> clock_Hz;  ///< empty where the file has none
  /// Counter, missing cells filled by the power readings; empty where the file has none or it steps back.
  std::vector<double> energy_J;
  std::vector<double> limit_W;        ///< power limit; empty where the file has none, NaN where a cell is missing
  std::vector<double> inlet_K;        ///< air into the server; as limit_W
  std::vector<double> activity;       ///< share of time in which the matrix units work; as limit_W
  std::vector<double> dram_activity;  ///< share of time in which the memory moves data; as limit_W
  std::vector<double> memory_W;       ///< of the memory alone; as limit_W
  std::vector<double> memory_K;       ///< as limit_W
  /// Whether a recorder's load was products all the time, for so long that a mean power holds nothing else; empty where the file does
  /// not say.
  std::vector<bool> whole_load = {};
};

/// Reads nvidia-smi CSV (timestamp, index, power.draw, temperature.gpu, clocks.sm …), DCGM CSV (timestamp, gpu,
/// DCGM_FI_DEV_POWER_USAGE, DCGM_FI_DEV_GPU_TEMP, DCGM_FI_DEV_SM_CLOCK) or a generic CSV (time_s or time_ms, gpu, power_W,
/// temperature_degC, clock_MHz, energy_J, limit_W, inlet_degC, activity_frac, dram_activity_frac, memory_power_W,
/// memory_temperature_degC), told apart by their headers. Rows without power or temperature are left out.
/// @param needs_power  false: a row may lack its power, which is then NaN  @throws InputError that names the missing keys
std::vector<GpuTelemetry> read_gpu_telemetry(const std::filesystem::path& path, bool needs_power = true);

}  // namespace TIDEWATT_NAMESPACE::study
