/* Posture of files: mounts, sizes, descriptors. */
#define _GNU_SOURCE
#include "init.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static bool is_read_only(const char *folder) {
    struct statvfs mount;
    return statvfs(folder, &mount) == 0 && (mount.f_flag & ST_RDONLY) != 0;
}

/*
 * The lines of mountinfo, proc(5): number, parent, device, root, mount point, options... Each ends with a
 * NUL; END is after the last. NULL if they cannot be read.
 */
static const char *mount_lines(const char **end) {
    static char mounts[256 * 1024];
    if (!slurp("/proc/self/mountinfo", mounts, sizeof mounts)) return NULL;
    *end = mounts + strlen(mounts);
    for (char *at = mounts; (at = strchr(at, '\n')) != NULL;) *at++ = '\0';
    return mounts;
}

/* Whether it is one of these mounts, each ended by a colon. */
static bool is_further(const char *mount, const char *further) {
    size_t length = strlen(mount);
    for (const char *at = further; at != NULL && *at != '\0';
         at += strcspn(at, ":") + (at[strcspn(at, ":")] == ':')) {
        if (strcspn(at, ":") == length && memcmp(at, mount, length) == 0) return true;
    }
    return false;
}

/* Mounts that may be writable: the worker's folders, those that the kernel protects itself, and single
 * devices. */
static bool may_be_writable(const char *mount, const char *further) {
    static const char *const known[] = {
        "/workspace", "/tmp",      "/home/worker", "/dev/shm",    "/proc",        "/dev/pts",
        "/dev/null",  "/dev/zero", "/dev/full",    "/dev/random", "/dev/urandom", "/dev/tty",
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(mount, known[i]) == 0) return true;
    }
    return is_further(mount, further);
}

/* Whether another mount covers this one, so that it is unreachable. LINES are NUL-ended. */
static bool is_covered(const char *lines, const char *end, unsigned id, const char *mount) {
    for (const char *line = lines; line < end; line += strlen(line) + 1) {
        unsigned parent;
        char other[4096];
        if (sscanf(line, "%*u %u %*s %*s %4095s", &parent, other) == 2 && parent == id &&
            strcmp(other, mount) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * systemd has an automount below /proc/sys and a mount on top of it; bwrap makes the upper one read-only and
 * cannot reach the lower.
 */
static bool only_known_mounts_are_writable(const char *further) {
    const char *end;
    const char *mounts = mount_lines(&end);
    if (mounts == NULL) return seen(false, "not known");
    int writable = 0, all = 0;
    for (const char *line = mounts; line < end; line += strlen(line) + 1, all++) {
        unsigned id;
        char mount[4096], options[512];
        if (sscanf(line, "%u %*s %*s %*s %4095s %511s", &id, mount, options) != 3)
            return seen(false, "not known");
        bool closed = strncmp(options, "ro", 2) == 0 && (options[2] == ',' || options[2] == '\0');
        if (closed || is_covered(mounts, end, id, mount)) continue;
        if (!may_be_writable(mount, further)) return seen(false, "%.100s is mounted writable", mount);
        writable++;
    }
    return seen(true, "%d of %d mounts are writable, all known", writable, all);
}

/* The value: further writable mounts, separated by colons. */
bool root_read_only(const char *further) {
    static const char *const tried[] = {"/", "/usr", "/etc", "/run", "/home", "/dev"};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        char file[32];
        snprintf(file, sizeof file, "%s/.brig", tried[i]);
        int fd =
            is_further(tried[i], further) ? -1 : open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0) continue;
        close(fd);
        unlink(file);
        return seen(false, "%s could be made", file);
    }
    return only_known_mounts_are_writable(further);
}

/*
 * With the value "tried" every open must fail, but not because of a mount. A wall that permits nested walls
 * must not cover any part of /proc, or the kernel refuses the inner one its own.
 */
bool proc_sys_read_only(const char *value) {
    static const char *const tried[] = {"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe",
                                        "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger"};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        int fd = open(tried[i], O_WRONLY | O_CLOEXEC);
        if (fd < 0) continue;
        close(fd);
        return seen(false, "%s opens for writing", tried[i]);
    }
    if (value != NULL && strcmp(value, "tried") == 0) return seen(true, "does not open for writing");
    return seen(is_read_only("/proc/sys"),
                is_read_only("/proc/sys") ? "mounted read-only" : "mounted writable");
}

/* Read-only depends on the mount, writable also on permissions: an agent that cannot write cannot work. */
bool workspace(const char *mode) {
    bool read_only = is_read_only("/workspace");
    if (mode == NULL || strcmp(mode, "rw") != 0) {
        return seen(read_only, read_only ? "mounted read-only" : "mounted writable");
    }
    bool writable = access("/workspace", W_OK) == 0;
    if (writable) return seen(true, "writable");
    return seen(false, "its user cannot write there, %s: chown it, or take the policy review",
                strerrorname_np(errno));
}

/* The mount at that place: its path within which file system. The last of several covers the others. */
struct source {
    char device[32], root[4096];
};

static bool source_of(const char *place, const char *lines, const char *end, struct source *source) {
    bool found = false;
    for (const char *line = lines; line < end; line += strlen(line) + 1) {
        struct source one;
        char mount[4096];
        if (sscanf(line, "%*u %*u %31s %4095s %4095s", one.device, one.root, mount) != 3) return false;
        if (strcmp(mount, place) != 0) continue;
        *source = one;
        found = true;
    }
    return found;
}

/* Whether it is one of the words of that text. */
static bool is_listed(const char *word, const char *text) {
    size_t length = strlen(word);
    for (const char *at = text; at != NULL && *at != '\0'; at += strcspn(at, " "), at += *at == ' ') {
        if (strcspn(at, " ") == length && memcmp(at, word, length) == 0) return true;
    }
    return false;
}

/*
 * bwrap mounts by path, and a worker of another wall may replace a mount source by a link. So a mount below
 * the workspace must be that part of the workspace itself, or the empty file that hides a private one. The
 * value: places with other content, as in mountinfo, separated by spaces.
 */
bool workspace_mounts(const char *further) {
    static const char *const folder = "/workspace";
    const char *end;
    const char *lines = mount_lines(&end);
    struct source own, blank, one;
    if (lines == NULL || !source_of(folder, lines, end, &own)) return seen(false, "not known");
    bool hides = source_of("/run/brig-blank", lines, end, &blank);
    size_t above = strcmp(own.root, "/") == 0 ? 0 : strlen(own.root);
    int all = 0;
    for (const char *line = lines; line < end; line += strlen(line) + 1) {
        char mount[4096];
        if (sscanf(line, "%*u %*u %31s %4095s %4095s", one.device, one.root, mount) != 3) {
            return seen(false, "not known");
        }
        const char *below = mount + strlen(folder);
        if (strncmp(mount, folder, strlen(folder)) != 0 || *below != '/') continue;
        all++;
        bool of_it = strcmp(one.device, own.device) == 0 && strncmp(one.root, own.root, above) == 0 &&
                     strcmp(one.root + above, below) == 0;
        bool is_blank = hides && strcmp(one.device, blank.device) == 0 && strcmp(one.root, blank.root) == 0;
        if (!of_it && !is_blank && !is_listed(mount, further)) {
            return seen(false, "%.60s shows something else", mount);
        }
    }
    return seen(true, "%d below it, each that part of it, hidden, or declared", all);
}

/* Whether it is a tmpfs of its own with at most that size; the kernel rounds up to whole pages. */
static bool sized(const char *folder, const char *bytes) {
    struct statfs mount;
    struct stat own, above;
    char parent[64];
    snprintf(parent, sizeof parent, "%s/..", folder);
    if (bytes == NULL || statfs(folder, &mount) != 0 || stat(folder, &own) != 0 ||
        stat(parent, &above) != 0) {
        return seen(false, "not known");
    }
    if (mount.f_type != TMPFS_MAGIC || own.st_dev == above.st_dev)
        return seen(false, "%s is no tmpfs", folder);
    unsigned long long most = strtoull(bytes, NULL, 10);
    unsigned long long size = (unsigned long long) mount.f_blocks * (unsigned long long) mount.f_bsize;
    bool holds = size > 0 && size < most + (unsigned long long) mount.f_bsize;
    return seen(holds, "%s has %llu bytes", folder, size);
}

bool tmp_sized(const char *bytes) {
    return sized("/tmp", bytes);
}
bool home_sized(const char *bytes) {
    return sized("/home/worker", bytes);
}
bool shm_sized(const char *bytes) {
    return sized("/dev/shm", bytes);
}

/* Only the first seven are open, each a pipe or /dev/null: no file, folder, socket or terminal. */
bool descriptors(const char *value) {
    (void) value;
    DIR *open_files = opendir("/proc/self/fd");
    if (open_files == NULL) return seen(false, "not known");
    int stranger = -1;
    for (struct dirent *entry; (entry = readdir(open_files)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        int fd = atoi(entry->d_name);
        struct stat file;
        if (fd == dirfd(open_files) || fstat(fd, &file) != 0) continue;
        bool null = S_ISCHR(file.st_mode) && file.st_rdev == makedev(1, 3);
        if (fd >= FIRST_FREE || !(null || S_ISFIFO(file.st_mode))) stranger = fd;
    }
    closedir(open_files);
    if (stranger >= 0) return seen(false, "%d is open", stranger);
    return seen(true, "only pipes and /dev/null, all below %d", FIRST_FREE);
}
