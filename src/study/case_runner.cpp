#include "case_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "hardware_figures.hpp"
#include "io/durable_file.hpp"
#include "joint_cases.hpp"
#include "scenario_tree.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

namespace fs = std::filesystem;

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return shorten(text, 2000);
}

std::string text_of(const InputError& e) {
  std::string out;
  for (const auto& f : e.findings()) out += (out.empty() ? "" : "; ") + (f.key.empty() ? "" : f.key + ": ") + f.message;
  return out.empty() ? e.what() : out;
}

}  // namespace

CaseRunner::CaseRunner(const std::string& path, const SweepOptions& options)
    : options_(options), spec_(read_sweep(path, options)), root_(), folder_(folder_of(spec_.scenario)) {
  base_ = sim::load_scenario(spec_.scenario, load_of({}));
  root_ = whole_tree(spec_.scenario);
  list_own_cases();
  check_ends();
  plan_text_ = describe();
}

/// Monte Carlo draws a seed per case, unless the caller set one; without variables all that the scenario assumes, together.
void CaseRunner::list_own_cases() {
  const auto sets_seed = [](const std::string& key) { return key == seed_key; };
  bool own_seed = std::any_of(spec_.set.begin(), spec_.set.end(),
                              [&](const std::string& s) { return sets_seed(s.substr(0, s.find('='))); });
  for (const auto& v : spec_.variables) own_seed |= std::any_of(v.keys.begin(), v.keys.end(), sets_seed);
  std::optional<std::int64_t> seed;
  if (spec_.mode == "monte_carlo" && !own_seed) seed = base_.run.seed;
  const bool varied = !spec_.variables.empty() || !spec_.cases.empty();
  if (!varied && spec_.mode == "monte_carlo") {
    cases_ = joint_cases(base_, catalog::Catalog(options_.load.catalog_overlay), spec_, seed, notes_);
    return;
  }
  if (!varied) {
    std::vector<std::string> left_out;
    spec_.variables = assumed_variables(base_, root_, folder_, load_of({}), left_out);
    for (const auto& line : left_out) notes_.push_back("left out " + line);
  }
  cases_ = list_cases(spec_, seed);
}

sim::LoadOptions CaseRunner::load_of(std::vector<std::string> more) const {
  sim::LoadOptions load = options_.load;
  load.set = spec_.set;
  load.set.insert(load.set.end(), more.begin(), more.end());
  return load;
}

/// A misspelt key or a range outside its limits is found before the first case, not in every one.
void CaseRunner::check_ends() const {
  const auto wrong_with = [&](const std::vector<std::string>& set) -> std::vector<Finding> {
    try {
      sim::read_scenario(root_, folder_, load_of(set));
    } catch (const InputError& e) {
      return e.findings();
    } catch (const RefusedError&) {
      return {};  // too large is a row of the table: the neighbours may run
    }
    return {};
  };
  const auto has = [](const std::vector<Finding>& list, const Finding& f) {
    return std::any_of(list.begin(), list.end(), [&](const Finding& g) { return g.key == f.key; });
  };
  std::vector<Finding> findings;
  if (!spec_.cases.empty()) findings = wrong_with(cases_.assignments(0));
  for (const auto& v : spec_.variables)
    for (const double end : {0.0, 1.0}) {
      std::vector<std::string> set;
      set.reserve(v.keys.size());
      for (const auto& key : v.keys) set.push_back(key + "=" + v.at(end));
      const auto alone = wrong_with(set);
      if (alone.empty()) continue;
      // A value that is wrong alone may be right together with another variable (GPUs of the hall and of the job): then the
      // cases decide. What stays wrong with all others at either end is wrong by itself.
      const auto beside = [&](double others) {
        auto all = set;
        for (const auto& other : spec_.variables)
          if (&other != &v)
            for (const auto& key : other.keys) all.push_back(key + "=" + other.at(others));
        return wrong_with(all);
      };
      const auto low = beside(0.0), high = beside(1.0);
      for (const auto& f : alone)
        if (f.place.file == "--set" && has(low, f) && has(high, f) && !has(findings, f)) findings.push_back(f);
    }
  if (!findings.empty()) throw InputError(std::move(findings));
}

std::string CaseRunner::describe() const {
  std::string out =
      fmt::format("version {}\nmode {}\nkeep_results {}\noutputs {}\nset {}\n", TIDEWATT_VERSION, spec_.mode,
                  spec_.keep_results, fmt::join(spec_.outputs, " "), fmt::join(spec_.set, " "));
  out += fmt::format("scenario {}\n{}\n", sha256_hex(base_.text), base_.text);
  out += fmt::format("cases {} of {}{}\n", cases_.size(), fmt::join(cases_.names, " "),
                     cases_.resolved ? ", set on the resolved scenario" : "");
  for (const auto& row : cases_.values) out += fmt::format("{}\n", fmt::join(row, "\t"));
  return out;
}

sim::Scenario CaseRunner::scenario_of(std::size_t i) const {
  const auto set = cases_.assignments(i);
  auto out =
      cases_.resolved ? sim::with_values(base_, cases_.numbers(i)) : sim::read_scenario(root_, folder_, load_of(set));
  out.text = base_.text;
  for (const auto& item : set) out.text += "\n# --set " + item;
  return out;
}

void CaseRunner::record_result(std::size_t i, const CaseStore& store, CaseRecord& record) const {
  const auto scenario = scenario_of(i);
  auto result = sim::run(scenario, {1, {}});
  add_hardware_figures(hardware_figures(scenario), result);
  result.summary.emplace_back("payload_sha256", io::payload_sha256(result));
  if (spec_.keep_results) {
    const auto image = io::hdf5_image(result);
    fs::create_directories(fs::path(store.result_path(i)).parent_path());
    io::write_durably(store.result_path(i), image);
    record.result_sha256 = sha256_hex({image.data(), image.size()});
  }
  for (auto& figure : result.summary)
    if (spec_.outputs.empty() ||
        std::find(spec_.outputs.begin(), spec_.outputs.end(), figure.first) != spec_.outputs.end())
      record.figures.push_back(std::move(figure));
}

CaseRecord CaseRunner::run(std::size_t i, const CaseStore& store) const {
  CaseRecord record;
  record.index = i;
  record.plan = store.plan();
  const auto failed = [&](const char* kind, const std::string& what) {
    record.error_kind = kind;
    record.error = one_line(what);
  };
  try {
    record_result(i, store, record);
  } catch (const OutputError&) {
    throw;
  } catch (const InputError& e) {
    failed("input", text_of(e));
  } catch (const SolverError& e) {
    failed("solver", e.what());
  } catch (const RefusedError& e) {
    failed("refused", e.what());
  } catch (const std::bad_alloc&) {
    failed("memory", "out of memory");
  } catch (const std::exception& e) {
    failed("other", e.what());
  }
  return record;
}

}  // namespace TIDEWATT_NAMESPACE::study
