#pragma once
// Private to sim: how a controller outside drives an engine.
#include <functional>

#include "engine.hpp"

namespace tidewatt::sim {

/// The table of ports, and the state of an engine at a time inside one of its steps.
///
/// A question must not change the run. So the engine stays at the beginning of its step while somebody looks inside it: a
/// second engine, the probe, is restored from the first and steps up to the time asked for. A write that changes a value
/// makes the probe the engine; otherwise the engine later takes its own step as if nobody had asked.
struct Engine::Ports {
  /// Sums since the start of the run.
  struct Counters {
    Tick at = 0;
    double pcc_J = 0.0, it_J = 0.0, cooling_J = 0.0;
    std::vector<double> tokens;  ///< [job]
    template <class A>
    void archive(A& a) {
      a(at, pcc_J, it_J, cooling_J, tokens);
    }
  };
  struct Entry {
    Port port;
    std::function<Value(const Impl&, const Counters& from, const Counters& to)> get;
    std::function<void(Impl&, double)> set;  ///< empty: read only
  };

  explicit Ports(Impl& engine);
  /// @throws InputError for a time in the past, beyond the end or between milliseconds
  void advance_to(std::unique_ptr<Impl>& engine, double t_s);
  void write(std::unique_ptr<Impl>& engine, std::string_view name, double value);
  const Entry& find(std::string_view name) const;
  /// The engine at the time that was asked for.
  Impl& at_time(Impl& engine) { return inside ? *probe : engine; }
  void step(Impl& engine);  ///< one step of its own
  std::string save(Impl& engine);
  void restore(Impl& engine, std::string_view bytes);
  static Counters count(Impl& engine);

  std::vector<Entry> entries;
  std::unique_ptr<Impl> probe;
  bool inside = false;   ///< `asked` lies within the engine's step; the probe stands there
  int n_look = 0;        ///< times that the probe was moved since it was restored
  Tick asked = 0;
  Counters before, last;  ///< at the previous and the last `advance_to`

 private:
  void look_inside(Impl& engine, Tick t);
};

}  // namespace tidewatt::sim
