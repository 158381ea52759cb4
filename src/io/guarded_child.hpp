#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// Whether a sanitizer watches this code. Its own checks need pipes, and it reports a lack of memory instead of throwing.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define TIDEWATT_SANITIZED
#endif
#endif
#if defined(TIDEWATT_SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// What a child process may use beyond what its parent has in memory.
struct ChildLimits {
  std::uint64_t memory_bytes = 0;
  unsigned cpu_s = 0;
};

/// The work in a child was refused, crashed, or reached a limit; the message says which.
class ChildError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A child process that does work on bytes from a stranger and sends blocks back.
///
/// HDF5 1.10 crashes, loops or allocates without limit on some metadata that no check from outside can find: global heaps have
/// no checksum, and whoever forges a file computes the checksums of the rest. A crash must not end a notebook or the command,
/// so the parent never lets HDF5 read such bytes. The child has the parent's memory and can open no file at all, so nothing in
/// those bytes can name another one (under a sanitizer it can). It is no sandbox against code that exploits a memory error of HDF5.
class GuardedChild {
 public:
  /// Sends a block to the parent.
  using Send = std::function<void(std::string_view block)>;
  /// Starts the child, which ends after `work`. @param work its exceptions become a ChildError of the parent
  /// @throws OutputError if there is no process or pipe
  GuardedChild(const ChildLimits& limits, const std::function<void(const Send&)>& work);
  GuardedChild(const GuardedChild&) = delete;
  GuardedChild& operator=(const GuardedChild&) = delete;
  ~GuardedChild();
  /// The next block. @param most_bytes a longer one is an error  @throws ChildError
  std::string receive(std::uint64_t most_bytes);
  /// The next block, of `n` bytes. @param to room for them  @throws ChildError
  void receive(void* to, std::size_t n);

 private:
  bool start(const std::function<void(const Send&)>& work, int patience_ms);
  std::uint64_t next_size();
  void read(void* to, std::size_t n);
  [[noreturn]] void fail();
  int end(bool kill);
  ChildLimits limits_;
  pid_t pid_ = -1;
  int from_ = -1;
};

}  // namespace TIDEWATT_NAMESPACE::io
