/*
 * brig-overlay: the step before bubblewrap for a wall whose root is writable.
 *
 *   brig-overlay LOWER UPPER WORK PROGRAM ARGUMENT...
 *
 * In a user and a mount namespace of its own it mounts an overlay over the folder LOWER: what is written
 * there goes to UPPER, and LOWER stays as it is. Then it becomes PROGRAM, bubblewrap, which binds parts of
 * LOWER into the wall. It runs as the worker's user and has no more rights than that user. Capabilities over
 * the namespace end where PROGRAM begins, as no user id is 0 in it.
 *
 * This is a program and not a part of the launcher's child: to write its own uid_map a process has to be
 * dumpable, and the memory of that child is a copy of the launcher's, with the orders of all walls.
 *
 * The folders are named by descriptors, so that no path has to be escaped, and none shows in the wall.
 */
#define _GNU_SOURCE
#include "own-namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

/* The status pipe of launcher.h. */
enum { STATUS = 6, ARGUMENTS_MIN = 5 };

__attribute__((noreturn)) static void give_up(const char *step) {
    dprintf(STATUS, "fail %s %s\n", step, strerrorname_np(errno));
    _exit(127);
}

static int folder(const char *path) {
    int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) give_up("overlay-folder");
    return fd;
}

int main(int count, char **arguments) {
    if (count < ARGUMENTS_MIN) {
        errno = EINVAL;
        give_up("overlay");
    }
    if (!enter_own_namespace(getuid(), getgid())) give_up("overlay-namespace");
    /* Opened behind that: an overlay takes no folders of another mount namespace. */
    int lower = folder(arguments[1]), upper = folder(arguments[2]), work = folder(arguments[3]);
    char options[256], place[64];
    snprintf(options, sizeof options,
             "lowerdir=/proc/self/fd/%d,upperdir=/proc/self/fd/%d,workdir=/proc/self/fd/%d,userxattr", lower,
             upper, work);
    snprintf(place, sizeof place, "/proc/self/fd/%d", lower);
    if (mount("overlay", place, "overlay", MS_NOSUID | MS_NODEV, options) != 0) give_up("overlay");
    char *nothing[] = {NULL};
    execve(arguments[4], arguments + 4, nothing);
    give_up("bwrap");
}
