#include "standard_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

void guard_standard_files() {
  std::signal(SIGXFSZ, SIG_IGN);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    // The lowest free number is this one. A missing standard output remains an error, because the output would be lost.
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
}
