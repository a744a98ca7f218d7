/*
 * brig-clone: copies a folder without copying data, on a file system that can share blocks between files.
 *
 *   brig-clone FROM TO          TO exists and is empty
 *
 * What is copied stands on standard input: paths below FROM, each ended by a NUL, a folder before what is in
 * it. Times and permissions of files are kept, but no set-user-id; a special file is refused. It runs as the
 * workers' user, so it reads nothing that they may not read; and somebody may be changing FROM at the same
 * time, so no symbolic link is followed on either side.
 *
 * On failure it says "ERRNO-NAME PATH" on standard error and exits with 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((noreturn)) static void fail(const char *path) {
    const char *name = strerrorname_np(errno);
    fprintf(stderr, "%s %s\n", name != NULL ? name : "EUNKNOWN", path);
    /* Drains the input, so that its writer never blocks. */
    char rest[65536];
    while (fread(rest, 1, sizeof rest, stdin) > 0) {
    }
    exit(1);
}

/* Opens each folder on the path separately: openat2 would take one call, but the surrounding wall does not
 * permit it. */
static int open_below(int folder, const char *path, int flags, mode_t mode) {
    for (int at = folder;;) {
        size_t length = strcspn(path, "/");
        bool last = path[length] == '\0';
        char part[NAME_MAX + 1];
        if (length == 0 || length > NAME_MAX || strncmp(path, "..", length) == 0) {
            errno = EINVAL;
            return -1;
        }
        memcpy(part, path, length);
        part[length] = '\0';
        int next = openat(at, part, (last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC, mode);
        int error = errno;
        if (at != folder) close(at);
        errno = error;
        if (last || next < 0) return next;
        at = next;
        path += length + 1;
    }
}

/* Opens the parent folder of PATH; NAME becomes its last part. The caller closes it unless it is TO. */
static int open_parent(int to, const char *path, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash == NULL ? path : slash + 1;
    if (slash == NULL) return to;
    char parent[PATH_MAX];
    if ((size_t) (slash - path) >= sizeof parent) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(parent, path, (size_t) (slash - path));
    parent[slash - path] = '\0';
    return open_below(to, parent, O_PATH | O_DIRECTORY, 0);
}

static bool clone_file(int from, int to, const char *path, const struct stat *file) {
    int source = open_below(from, path, O_RDONLY | O_NONBLOCK, 0);
    if (source < 0) return false;
    int copy = open_below(to, path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    const struct timespec times[2] = {file->st_atim, file->st_mtim};
    bool done = copy >= 0 && ioctl(copy, FICLONE, source) == 0 && fchmod(copy, file->st_mode & 0777) == 0 &&
                futimens(copy, times) == 0;
    int error = errno;
    close(source);
    if (copy >= 0) close(copy);
    errno = error;
    return done;
}

static bool copy_link(int link, int parent, const char *name, const struct stat *file) {
    char target[PATH_MAX];
    ssize_t length = readlinkat(link, "", target, sizeof target);
    if (length < 0 || length == sizeof target) return false;
    target[length] = '\0';
    const struct timespec times[2] = {file->st_atim, file->st_mtim};
    return symlinkat(target, parent, name) == 0 && utimensat(parent, name, times, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool copy(int from, int to, const char *path) {
    struct stat file;
    const char *name;
    int found = open_below(from, path, O_PATH | O_NOFOLLOW, 0);
    int parent = open_parent(to, path, &name);
    if (found < 0 || parent < 0 || fstat(found, &file) != 0) return false;
    bool done = false;
    if (S_ISREG(file.st_mode)) done = clone_file(from, to, path, &file);
    /* The owner needs access to fill it. */
    else if (S_ISDIR(file.st_mode)) done = mkdirat(parent, name, (file.st_mode & 0777) | 0700) == 0;
    else if (S_ISLNK(file.st_mode)) done = copy_link(found, parent, name, &file);
    else errno = EINVAL;
    int error = errno;
    close(found);
    if (parent != to) close(parent);
    errno = error;
    return done;
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    umask(0);
    int from = open(arguments[1], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (from < 0) fail(arguments[1]);
    int to = open(arguments[2], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (to < 0) fail(arguments[2]);
    char *path = NULL;
    size_t size = 0;
    while (getdelim(&path, &size, '\0', stdin) > 0) {
        if (!copy(from, to, path)) fail(path);
    }
    free(path);
    return 0;
}
