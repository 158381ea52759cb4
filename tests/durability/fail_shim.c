/* Preloaded in front of a program: its n-th call of one kind fails, once or for ever, as a full or broken disk would.
 *   TIDEWATT_FAIL=write|fsync|rename|malloc   which calls
 *   TIDEWATT_FAIL_AT=n                        the n-th one of each process, from 1
 *   TIDEWATT_FAIL_FOR_EVER=1                  and all that follow
 *   TIDEWATT_FAIL_BELOW=PATH                  only on files below PATH (not for malloc) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long seen;

static int fails(const char* kind) {
  const char* which = getenv("TIDEWATT_FAIL");
  const char* at = getenv("TIDEWATT_FAIL_AT");
  if (!which || !at || strcmp(which, kind) != 0) return 0;
  const long n = __atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST), wanted = atol(at);
  return n == wanted || (n > wanted && getenv("TIDEWATT_FAIL_FOR_EVER"));
}

static int below(const char* path) {
  const char* folder = getenv("TIDEWATT_FAIL_BELOW");
  return !folder || strncmp(path, folder, strlen(folder)) == 0;
}

static int fd_below(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  if (n <= 0) return 0;
  path[n] = '\0';
  return below(path);
}

ssize_t write(int fd, const void* data, size_t n) {
  static ssize_t (*real)(int, const void*, size_t);
  if (!real) real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  if (fd > 2 && fd_below(fd) && fails("write")) {
    errno = ENOSPC;
    return -1;
  }
  return real(fd, data, n);
}

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  if (fd_below(fd) && fails("fsync")) {
    errno = EIO;
    return -1;
  }
  return real(fd);
}

int rename(const char* from, const char* to) {
  static int (*real)(const char*, const char*);
  if (!real) real = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
  if (below(to) && fails("rename")) {
    errno = EACCES;
    return -1;
  }
  return real(from, to);
}

void* malloc(size_t n) {
  extern void* __libc_malloc(size_t);
  /* Small ones never fail on a real machine, and the dynamic linker itself needs them. */
  if (n >= 65536 && fails("malloc")) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(n);
}
