#pragma once
#include <memory>
#include <string>
#include <vector>

#include "case_list.hpp"
#include "case_record.hpp"
#include "case_store.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A sweep ready to run: file read, base scenario parsed once, cases listed and their ends checked. Const afterwards;
/// every process that runs cases makes its own from the same files and gets the same list.
class CaseRunner {
 public:
  /// @param path of the sweep file (or of a scenario, see `read_sweep`)
  /// @throws InputError with every finding of the sweep file, the base scenario, or a variable's lowest or highest value
  explicit CaseRunner(const std::string& path, const SweepOptions& options = {});

  const SweepSpec& spec() const { return spec_; }
  const CaseList& cases() const { return cases_; }
  /// All that the figures depend on, as text: version, scenario with its input files (sim/scenario_inputs.hpp), every
  /// case's overrides.
  const std::string& plan_text() const { return plan_text_; }
  const std::vector<std::string>& notes() const { return notes_; }  ///< inputs left out, draws drawn again

  /// Runs case i on one thread. What is wrong with the case is in its record, not thrown; a result to keep goes to
  /// `store`. @throws OutputError if that cannot be written
  CaseRecord run(std::size_t i, const CaseStore& store) const;

 private:
  void check_ends() const;
  std::string describe() const;
  sim::LoadOptions load_of(std::vector<std::string> more) const;
  void list_own_cases();
  sim::Scenario scenario_of(std::size_t i) const;
  void record_result(std::size_t i, const CaseStore& store, CaseRecord& record) const;

  SweepOptions options_;
  SweepSpec spec_;
  Node root_;
  std::string folder_;
  sim::Scenario base_;
  CaseList cases_;
  std::string plan_text_;
  std::vector<std::string> notes_;
};

}  // namespace TIDEWATT_NAMESPACE::study
