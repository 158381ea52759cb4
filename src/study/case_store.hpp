#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "case_record.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Part `index` of `count` of a sweep: the cases whose number divided by `count` leaves `index`.
struct Shard {
  std::size_t index = 0, count = 1;
  bool has(std::size_t i) const { return i % count == index; }  ///< is case i its own?
};

/// The durable record of a sweep, a folder:
///
///     plan.txt                  what the sweep is: one line with its hash, then everything that it depends on
///     cases/000/000123.case     one file per finished case, written completely or not at all (`io::write_durably`)
///     manifest-1-of-1.txt       a checksummed line per finished case, appended and synced; one file per shard
///
/// A case is finished when its file has its name. The manifest lists the files that should exist, so that a
/// vanished one is noticed. A machine that stops between the two leaves a file without a line; the line is then added.
class CaseStore {
 public:
  /// Opens `folder`, or makes it for the sweep that `plan_text` describes.
  /// @throws InputError if it has another sweep  @throws OutputError if it cannot be written
  CaseStore(std::string folder, const std::string& plan_text, std::size_t n_case);

  /// A finished case, without its figures: there may be a million of them.
  struct Finished {
    std::string file_sha256;
    bool failed = false;
  };

  /// What a reading of the folder found.
  struct State {
    std::map<std::size_t, Finished> finished;
    std::vector<std::string> damaged;        ///< one line per file that is not as written, or vanished
    std::vector<std::size_t> damaged_cases;  ///< the cases they belong to, ascending
  };

  /// Reads and checks every case file, every line of every manifest and every kept result.
  /// @param visit gets each intact record, cases ascending  @throws OutputError
  State read(const std::function<void(const CaseRecord&)>& visit = {}) const;

  /// Writes a finished case's file; any process may. @throws OutputError: it is not there then.
  void put(const CaseRecord& record) const;
  /// Path of case i's full result file.
  std::string result_path(std::size_t i) const;
  std::string case_path(std::size_t i) const;  ///< of case i's own file
  const std::string& folder() const { return folder_; }
  const std::string& plan() const { return plan_; }
  std::size_t n_case() const { return n_case_; }

  /// Locks the manifest of a shard for this process and removes files of killed processes.
  /// @throws InputError if another process has locked it  @throws OutputError
  void lock(const Shard& shard);
  /// Brings the locked manifest up to what `state`, read since, found: cases without a line get one, damaged ones lose
  /// theirs. @throws OutputError
  void take_up(const State& state);
  /// Renames the locked shard's damaged case files, so that their cases run again and a person can look at what
  /// happened. @throws OutputError
  void set_aside(const State& state) const;
  /// Adds case i to the locked manifest, synced. @returns the record that its file holds  @throws OutputError
  CaseRecord note(std::size_t i);
  /// Gives the lock back, if it holds one, so that another sweep of this folder can begin, in this process too. Removes files of
  /// workers that were ended while they wrote.
  void unlock() noexcept;
  ~CaseStore() { unlock(); }
  CaseStore(const CaseStore&) = delete;
  CaseStore& operator=(const CaseStore&) = delete;

 private:
  void read_case(std::size_t i, State& state, const std::string& noted,
                 const std::function<void(const CaseRecord&)>& visit) const;
  std::map<std::size_t, std::string> read_manifests(State& state) const;
  void clear_leftovers() const noexcept;
  void append(const std::string& text);
  std::string folder_, plan_;
  std::size_t n_case_;
  Shard shard_;
  std::string manifest_path_;
  int manifest_ = -1;
};

}  // namespace TIDEWATT_NAMESPACE::study
