/* Posture of the process itself: its identity, its permitted system calls, its environment. */
#define _GNU_SOURCE
#include "init.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/*
 * The uid inside is meaningless, as bwrap maps any. But a file of the host's root appears to be owned by
 * nobody, unless this user is the host's root under another number.
 */
bool uid_not_root(const char *value) {
    (void) value;
    struct stat hosts;
    uid_t uid = getuid();
    if (stat("/proc/sys/kernel/core_pattern", &hosts) != 0) return seen(false, "not known");
    if (hosts.st_uid == uid) return seen(false, "uid %u inside is root of the host", uid);
    return seen(uid != 0 && geteuid() == uid, "uid %u, root of the host is %u", uid, hosts.st_uid);
}

bool no_capabilities(const char *value) {
    (void) value;
    static const char *const sets[] = {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"};
    char status[4096];
    if (!slurp("/proc/self/status", status, sizeof status)) return seen(false, "not known");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const char *line = strstr(status, sets[i]);
        /* A second kernel may have no ambient set. */
        if (line == NULL && strcmp(sets[i], "CapAmb") == 0 &&
            prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 0, 0, 0) < 0)
            continue;
        if (line == NULL) return seen(false, "no %s", sets[i]);
        unsigned long long set = strtoull(line + strlen("CapXxx:"), NULL, 16);
        if (set != 0) return seen(false, "%s is %llx", sets[i], set);
    }
    return seen(true, "bounding, effective, permitted, inheritable and ambient are empty");
}

bool no_new_privs(const char *value) {
    (void) value;
    int set = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    return seen(set == 1, set == 1 ? "set" : "not set");
}

static int answer(long result) {
    return result < 0 ? errno : 0;
}

/* Calls that fail for their arguments if no filter refuses them first: none has an effect either way. */
bool seccomp_filter(const char *value) {
    bool nested = value != NULL && strstr(value, "nested") != NULL;
    /* What a second kernel needs to be one: it filters its own calls once it has started. */
    bool second = value != NULL && strstr(value, "second-kernel") != NULL;
    /* Without a group that limits memory, calls for memory outside of processes must be refused. */
    bool rlimits = value != NULL && strstr(value, "rlimits") != NULL;
    int mode = prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
    if (mode != 2) return seen(false, "mode %d, not 2", mode);
    const struct {
        const char *name;
        int answer, wanted;
    } tried[] = {
        {"AF_VSOCK", answer(socket(AF_VSOCK, SOCK_STREAM, 0)), EAFNOSUPPORT},
        {"bpf", answer(syscall(SYS_bpf, -1, NULL, 0)), EPERM},
        {"io_uring", answer(syscall(SYS_io_uring_setup, 0, NULL)), EPERM},
        {"keyctl", answer(syscall(SYS_keyctl, -1)), EPERM},
        {"ptrace", second ? EPERM : answer(syscall(SYS_ptrace, -1, 0, NULL, NULL)), EPERM},
        {"TIOCSTI", answer(ioctl(-1, TIOCSTI, NULL)), EPERM},
        {"unshare", nested || second ? EPERM : answer(syscall(SYS_unshare, CLONE_NEWUSER)), EPERM},
        {"memfd_create", rlimits && !second ? answer(syscall(SYS_memfd_create, NULL, 0)) : ENOSYS, ENOSYS},
        {"shmget", rlimits ? answer(syscall(SYS_shmget, 0, 0, 0)) : ENOSYS, ENOSYS},
    };
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        if (tried[i].answer == tried[i].wanted) continue;
        return seen(false, "%s answers %s", tried[i].name,
                    tried[i].answer == 0 ? "success" : strerrorname_np(tried[i].answer));
    }
    return seen(true, "mode 2; AF_VSOCK, bpf, io_uring, keyctl, TIOCSTI%s%s%s%s refused",
                second ? "" : ", ptrace", nested || second ? "" : ", unshare",
                rlimits && !second ? ", memfd_create" : "", rlimits ? ", shmget" : "");
}

bool own_user_namespace(const char *host) {
    char map[256];
    unsigned long long inside, outside, count;
    if (!slurp("/proc/self/uid_map", map, sizeof map) ||
        sscanf(map, "%llu %llu %llu", &inside, &outside, &count) != 3)
        return seen(false, "not known");
    if (count != 1) return seen(false, "%llu uids are mapped", count);
    return apart("user", host);
}

bool own_pid_namespace(const char *host) {
    if (getpid() != 1) return seen(false, "is process %d, not 1", getpid());
    DIR *processes = opendir("/proc");
    if (processes == NULL) return seen(false, "not known");
    char other[16] = "";
    for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
        bool foreign = isdigit((unsigned char) entry->d_name[0]) && strcmp(entry->d_name, "1") != 0;
        if (foreign) snprintf(other, sizeof other, "%.15s", entry->d_name);
    }
    closedir(processes);
    return other[0] ? seen(false, "process %s is visible", other) : apart("pid", host);
}

/* The payload shares our user id: memory, descriptors and environment of process 1 must be closed to it. */
bool init_sealed(const char *value) {
    (void) value;
    int dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
    return seen(dumpable == 0, dumpable == 0 ? "process 1 cannot be read" : "process 1 can be read");
}

bool no_terminal(const char *value) {
    (void) value;
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0) close(fd);
    return seen(fd < 0, fd < 0 ? "none controls it" : "/dev/tty opens");
}

static bool is_named(const char *names, const char *name, size_t length) {
    for (const char *at = names; at != NULL; at = strchr(at, ','), at = at != NULL ? at + 1 : NULL) {
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0) return true;
    }
    return false;
}

/* Every variable is one of NAME,NAME... Values are not checked: the declared ones belong to the agent. */
bool environment_empty(const char *names) {
    int count = 0;
    for (char **variable = environ; *variable != NULL; variable++, count++) {
        size_t length = strcspn(*variable, "=");
        if (!is_named(names, *variable, length)) return seen(false, "has %.*s", (int) length, *variable);
    }
    return seen(true, "%d variables, all declared", count);
}

bool limits(const char *value) {
    (void) value;
    struct rlimit now;
    if (getrlimit(RLIMIT_CORE, &now) != 0 || now.rlim_max != 0) return seen(false, "core dumps are allowed");
    char text[100] = "";
    for (size_t i = 0, length = 0; i < LIMITS; i++) {
        const struct wanted_limit *limit = &wanted_limits[i];
        if (!limit->set) continue;
        if (getrlimit(limit->resource, &now) != 0 || now.rlim_max > limit->most) {
            return seen(false, "%s is %llu, not %llu", limit->option + 2, (unsigned long long) now.rlim_max,
                        (unsigned long long) limit->most);
        }
        length += (size_t) snprintf(text + length, sizeof text - length, " %s=%llu", limit->option + 2,
                                    (unsigned long long) now.rlim_max);
    }
    return seen(true, "core=0%s", text);
}

/* The value: the maximum number. Others of this user may leave fewer. */
bool inotify_bounded(const char *value) {
    enum { TRIED_MAX = 1024 };
    int instances[TRIED_MAX], made = 0;
    int most = value == NULL ? TRIED_MAX : atoi(value);
    if (most < 1 || most >= TRIED_MAX) return seen(false, "not known");
    while (made <= most && (instances[made] = inotify_init1(IN_CLOEXEC)) >= 0) made++;
    for (int i = 0; i < made; i++) close(instances[i]);
    return seen(made <= most,
                made <= most ? "%d instances can be made, of at most %d" : "%d could be made, not %d", made,
                most);
}

/* The value: the release and version of the host's kernel. */
bool other_kernel(const char *hosts) {
    struct utsname own;
    char both[sizeof own.release + sizeof own.version + 2];
    if (hosts == NULL || uname(&own) != 0) return seen(false, "not known");
    snprintf(both, sizeof both, "%s %s", own.release, own.version);
    bool differs = strcmp(both, hosts) != 0;
    return seen(differs, "%.80s, %s the host's", both, differs ? "not" : "which is");
}
