/*
 * libbrig-vm-ram.so, loaded into QEMU: QEMU opens the memory of an image for writing even where it maps it
 * privately (share=off), and the image is read-only. It is opened for reading; a private mapping can be
 * written to all the same. QEMU 8.2 has an option for it, Debian 12's 7.2 has not.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RAM "/image/ram"

static int opened(const char *path, int flags, mode_t mode) {
    if (strcmp(path, RAM) == 0) flags = O_RDONLY | O_CLOEXEC;
    return (int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* The names that the C library has for one function; those that end in 2 are of programs built with checks.
 */
#define OPEN(name)                                                                                           \
    int name(const char *path, int flags, ...) {                                                             \
        va_list rest;                                                                                        \
        va_start(rest, flags);                                                                               \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;                            \
        va_end(rest);                                                                                        \
        return opened(path, flags, mode);                                                                    \
    }
#define OPEN_CHECKED(name)                                                                                   \
    int name(const char *path, int flags);                                                                   \
    int name(const char *path, int flags) { return opened(path, flags, 0); }
OPEN(open)
OPEN(open64)
OPEN_CHECKED(__open_2)
OPEN_CHECKED(__open64_2)
