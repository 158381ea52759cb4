/* Preloaded in front of a program and all its children: counts their calls on files below a folder, in one order, writes them
 * down, and lets one of them fail as a full or broken disk would.
 *   TIDEWATT_FAIL_BELOW=PATH                    files that count: those whose path begins so
 *   TIDEWATT_FAIL=write|fsync|rename|open|malloc   which calls fail; any: of all kinds but malloc
 *   TIDEWATT_FAIL_AT=n                          the n-th one of all processes together, from 1; without a log, of each process
 *   TIDEWATT_FAIL_FOR_EVER=1                    and all that follow
 *   TIDEWATT_FAIL_LOG=FILE                      one line per call, in the order of their numbers: KIND PATH; a call that failed
 *                                               ends in " failed". The file is also the counter. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static long own_count;  /* of malloc: a process's own, as its number must not need a file */
static long own_calls;  /* of the chosen kind, where there is no log */

static int below(const char* path) {
  const char* folder = getenv("TIDEWATT_FAIL_BELOW");
  return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int chosen(const char* kind, long n) {
  const char* which = getenv("TIDEWATT_FAIL");
  const char* at = getenv("TIDEWATT_FAIL_AT");
  if (!which || !at) return 0;
  if (strcmp(which, kind) != 0 && (strcmp(which, "any") != 0 || strcmp(kind, "malloc") == 0)) return 0;
  return n == atol(at) || (n > atol(at) && getenv("TIDEWATT_FAIL_FOR_EVER"));
}

/* Writes the call down and says whether it fails. The log is locked from the count to the line, so that numbers of several
 * processes are in one order. */
static int fails(const char* kind, const char* path) {
  const char* log = getenv("TIDEWATT_FAIL_LOG");
  const char* which = getenv("TIDEWATT_FAIL");
  if (!log) {
    if (!which || (strcmp(which, kind) != 0 && strcmp(which, "any") != 0)) return 0;
    return chosen(kind, __atomic_add_fetch(&own_calls, 1, __ATOMIC_SEQ_CST));
  }
  const int saved = errno;
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return 0;
  flock(fd, LOCK_EX);
  long n = 1;
  char text[65536];
  FILE* in = fdopen(dup(fd), "r");
  if (in) {
    rewind(in);
    const size_t length = strlen(kind);
    const int all = which && strcmp(which, "any") == 0;
    while (fgets(text, sizeof text, in)) n += all || (strncmp(text, kind, length) == 0 && text[length] == ' ');
    fclose(in);
  }
  const int fail = chosen(kind, n);
  const int length = snprintf(text, sizeof text, "%s %s%s\n", kind, path, fail ? " failed" : "");
  syscall(SYS_write, fd, text, (size_t)length);
  syscall(SYS_close, fd);
  errno = saved;
  return fail;
}

static int fd_path(int fd, char* path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink(link, path, size - 1);
  if (n <= 0) return 0;
  path[n] = '\0';
  return below(path);
}

ssize_t write(int fd, const void* data, size_t n) {
  char path[4096];
  if (fd > 2 && fd_path(fd, path, sizeof path) && fails("write", path)) {
    errno = ENOSPC;
    return -1;
  }
  return syscall(SYS_write, fd, data, n);
}

ssize_t writev(int fd, const struct iovec* pieces, int n) {
  char path[4096];
  if (fd > 2 && fd_path(fd, path, sizeof path) && fails("write", path)) {
    errno = ENOSPC;
    return -1;
  }
  return syscall(SYS_writev, fd, pieces, n);
}

int fsync(int fd) {
  char path[4096];
  if (fd_path(fd, path, sizeof path) && fails("fsync", path)) {
    errno = EIO;
    return -1;
  }
  return (int)syscall(SYS_fsync, fd);
}

int rename(const char* from, const char* to) {
  if (below(to) && fails("rename", to)) {
    errno = EACCES;
    return -1;
  }
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* Only opens that create or write count. */
static int open_fails(const char* path, int flags) {
  if ((flags & (O_CREAT | O_WRONLY | O_RDWR)) == 0 || !below(path)) return 0;
  if (!fails("open", path)) return 0;
  errno = ENOSPC;
  return 1;
}

static mode_t mode_of(int flags, va_list more) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? (mode_t)va_arg(more, int) : 0;
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  if (open_fails(path, flags)) return -1;
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  if (open_fails(path, flags)) return -1;
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

/* Streams of C and C++ open their files inside the C library. */
static FILE* stream(const char* name, const char* path, const char* mode) {
  FILE* (*real)(const char*, const char*) = (FILE * (*)(const char*, const char*)) dlsym(RTLD_NEXT, name);
  return open_fails(path, mode[0] == 'r' && !strchr(mode, '+') ? O_RDONLY : O_WRONLY | O_CREAT) ? NULL : real(path, mode);
}

FILE* fopen(const char* path, const char* mode) { return stream("fopen", path, mode); }
FILE* fopen64(const char* path, const char* mode) { return stream("fopen64", path, mode); }

void* malloc(size_t n) {
  extern void* __libc_malloc(size_t);
  /* Small ones never fail on a real machine, and the dynamic linker itself needs them. */
  if (n >= 65536 && getenv("TIDEWATT_FAIL") && chosen("malloc", __atomic_add_fetch(&own_count, 1, __ATOMIC_SEQ_CST))) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(n);
}
