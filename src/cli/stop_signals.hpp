#pragma once

/// While one of these lives, SIGINT, SIGTERM and SIGHUP are remembered instead of ending the process, so that work can be
/// saved first. A second one of the same kind ends it at once. Signals that the process ignores (nohup) stay ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  /// The signal's number; 0: none yet. The process then ends with exit code 128 + number.
  static int caught();
};
