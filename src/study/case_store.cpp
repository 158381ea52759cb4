#include "case_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "io/durable_file.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t plan_limit_B = 1ull << 32, result_limit_B = 1ull << 34;
constexpr std::string_view plan_magic = "tidewatt sweep 1 ";
constexpr std::size_t line_check_digits = 16;

[[noreturn]] void fail(const char* what, const std::string& path, const std::string& why) {
  throw OutputError(fmt::format("could not {} {}: {}", what, path, why));
}

void make_folder(const std::string& path) {
  std::error_code ec;
  fs::create_directories(path, ec);
  if (ec) fail("make the folder", path, ec.message());
}

void write_text(const std::string& path, const std::string& text) {
  io::write_durably(path, {text.data(), text.size()});
}

/// One line of a manifest: case, hash of its file, hash of these two.
std::string manifest_line(std::size_t i, const std::string& file_sha256) {
  const std::string facts = fmt::format("{} {}", i, file_sha256);
  return fmt::format("{} {}\n", facts, sha256_hex(facts).substr(0, line_check_digits));
}

/// The case and file hash of an intact line.
std::optional<std::pair<std::size_t, std::string>> read_line(const std::string& line) {
  const auto words = split(line, ' ');
  std::size_t i = 0;
  if (words.size() != 3) return {};
  const auto [end, status] = std::from_chars(words[0].data(), words[0].data() + words[0].size(), i);
  if (status != std::errc() || *end != '\0' || manifest_line(i, words[1]) != line + "\n") return {};
  return std::pair{i, words[1]};
}

std::string name_of(const Shard& shard) { return fmt::format("manifest-{}-of-{}.txt", shard.index + 1, shard.count); }

}  // namespace

CaseStore::CaseStore(std::string folder, const std::string& plan_text, std::size_t n_case)
    : folder_(std::move(folder)), plan_(sha256_hex(plan_text)), n_case_(n_case) {
  make_folder(folder_);
  const std::string path = folder_ + "/plan.txt", text = fmt::format("{}{}\n{}", plan_magic, plan_, plan_text);
  std::error_code ec;
  if (!fs::exists(path, ec)) {
    if (fs::exists(folder_ + "/cases", ec))
      throw InputError(Finding{{path, 0, 0}, "", "missing, although there are cases: this folder has lost its plan"});
    write_text(path, text);  // before the folder of cases, so that a start that failed here can be repeated
  } else if (read_file(path, plan_limit_B) != text) {
    throw InputError(
        Finding{{path, 0, 0},
                "",
                "this folder holds another sweep (or one of changed inputs or another version); name another folder"});
  }
  make_folder(folder_ + "/cases");
}

void CaseStore::unlock() noexcept {
  if (manifest_ < 0) return;
  clear_leftovers();  // of workers that were ended in the middle of a write
  ::close(std::exchange(manifest_, -1));
}

std::string CaseStore::case_path(std::size_t i) const {
  return fmt::format("{}/cases/{:03}/{:06}.case", folder_, i / 1000, i);
}
std::string CaseStore::result_path(std::size_t i) const {
  return fmt::format("{}/cases/{:03}/{:06}.h5", folder_, i / 1000, i);
}

void CaseStore::put(const CaseRecord& record) const {
  const std::string path = case_path(record.index);
  make_folder(fs::path(path).parent_path().string());
  write_text(path, encode(record));
}

std::map<std::size_t, std::string> CaseStore::read_manifests(State& state) const {
  std::map<std::size_t, std::string> noted;
  std::error_code ec;
  for (const auto& item : fs::directory_iterator(folder_, ec)) {
    const std::string name = item.path().filename().string();
    if (!name.starts_with("manifest-") || !name.ends_with(".txt")) continue;
    const std::string text = read_file(item.path().string(), plan_limit_B);
    const auto lines = split(text, '\n');
    for (std::size_t k = 0; k < lines.size(); ++k) {
      if (lines[k].empty()) continue;
      const auto line = read_line(lines[k]);
      // A killed process may leave an incomplete line: its case file decides.
      if (line && line->first < n_case_)
        noted[line->first] = line->second;
      else if (k + 1 < lines.size())
        state.damaged.push_back(fmt::format("{}:{}: damaged line", item.path().string(), k + 1));
    }
  }
  if (ec) fail("read", folder_, ec.message());
  return noted;
}

void CaseStore::read_case(std::size_t i, State& state, const std::string& noted,
                          const std::function<void(const CaseRecord&)>& visit) const {
  const std::string path = case_path(i);
  const auto damaged = [&](const std::string& why) {
    state.damaged.push_back(why);
    state.damaged_cases.push_back(i);
  };
  std::error_code ec;
  if (!fs::exists(path, ec)) {
    if (!noted.empty()) damaged(path + ": vanished after it was finished");
    return;
  }
  try {
    const std::string bytes = read_file(path, most_case_bytes);
    const std::string file_sha256 = sha256_hex(bytes);
    const auto record = decode(bytes, path);
    if (record.index != i || record.plan != plan_) return damaged(path + ": belongs to another case or sweep");
    if (!noted.empty() && noted != file_sha256) return damaged(path + ": is not the file that the manifest notes");
    if (!record.result_sha256.empty() && record.result_sha256 != sha256_hex(read_file(result_path(i), result_limit_B)))
      return damaged(result_path(i) + ": is not as written");
    state.finished.emplace(i, Finished{file_sha256, record.failed()});
    if (visit) visit(record);
  } catch (const InputError& e) {
    damaged(e.findings().empty() ? path + ": " + e.what() : e.findings().front().text());
  }
}

CaseStore::State CaseStore::read(const std::function<void(const CaseRecord&)>& visit) const {
  State state;
  const auto noted = read_manifests(state);
  for (std::size_t i = 0; i < n_case_; ++i) {
    const auto at = noted.find(i);
    read_case(i, state, at == noted.end() ? std::string() : at->second, visit);
  }
  return state;
}

void CaseStore::clear_leftovers() const noexcept {
  // A folder may vanish meanwhile: what cannot be read or removed stays.
  std::error_code ec;
  const auto has = [](const std::string& name, const char* part) { return name.find(part) != std::string::npos; };
  const auto clear = [&ec](auto at, const auto& of_a_killed_process) {
    for (const decltype(at) end; !ec && at != end; at.increment(ec)) {
      std::error_code ignored;
      if (of_a_killed_process(at->path().filename().string()) && at->is_regular_file(ignored))
        fs::remove(at->path(), ignored);
    }
  };
  // Only an unsharded sweep removes other files: shards may be writing there now.
  if (shard_.count == 1)
    clear(fs::directory_iterator(folder_, ec), [&](const std::string& name) { return has(name, ".tmp-"); });
  ec.clear();
  clear(fs::recursive_directory_iterator(folder_ + "/cases", ec), [&](const std::string& name) {
    std::size_t i = 0;
    const bool numbered = std::from_chars(name.data(), name.data() + name.size(), i).ec == std::errc();
    return numbered && shard_.has(i) && (has(name, ".case.tmp-") || has(name, ".h5.tmp-"));
  });
}

void CaseStore::lock(const Shard& shard) {
  shard_ = shard;
  manifest_path_ = folder_ + "/" + name_of(shard);
  manifest_ = ::open(manifest_path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (manifest_ < 0) fail("open", manifest_path_, std::strerror(errno));
  if (::flock(manifest_, LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    ::close(std::exchange(manifest_, -1));
    if (why != EWOULDBLOCK) fail("lock", manifest_path_, std::strerror(why));
    throw InputError(
        Finding{{manifest_path_, 0, 0}, "", "another process is running this sweep (or this shard of it)"});
  }
  clear_leftovers();
}

void CaseStore::append(const std::string& text) {
  if (::write(manifest_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    fail("write", manifest_path_, std::strerror(errno));
  if (::fsync(manifest_) != 0) fail("sync", manifest_path_, std::strerror(errno));
}

void CaseStore::take_up(const State& state) {
  std::string text;
  for (const auto& [i, finished] : state.finished)
    if (shard_.has(i)) text += manifest_line(i, finished.file_sha256);
  const auto lines = [](const std::string& all) {
    auto out = split(all, '\n');
    std::sort(out.begin(), out.end());
    return out;
  };
  if (lines(read_file(manifest_path_, plan_limit_B)) == lines(text)) return;
  // Rewritten whole: a half line at its end would spoil the next one.
  if (::ftruncate(manifest_, 0) != 0) fail("shorten", manifest_path_, std::strerror(errno));
  append(text);
}

void CaseStore::set_aside(const State& state) const {
  for (const std::size_t i : state.damaged_cases) {
    std::error_code ec;
    if (!shard_.has(i) || !fs::exists(case_path(i), ec)) continue;
    fs::rename(case_path(i), case_path(i) + ".damaged", ec);
    if (ec) fail("set aside", case_path(i), ec.message());
  }
}

CaseRecord CaseStore::note(std::size_t i) {
  const std::string bytes = read_file(case_path(i), most_case_bytes);
  append(manifest_line(i, sha256_hex(bytes)));
  return decode(bytes, case_path(i));
}

}  // namespace TIDEWATT_NAMESPACE::study
