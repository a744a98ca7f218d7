/*
 * Posture: what the wall enforces, measured from inside by process 1 before the payload starts. The
 * worker-agent declares each property as NAME or NAME=VALUE, and it is confirmed here by inspection or by
 * trial; an unconfirmed one prevents the start. All trials are harmless if they succeed.
 */
#define _GNU_SOURCE
#include "init.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DETAIL_MAX = 120, REPORT_MAX = 16 * 1024 };

static check own_ipc, own_uts, own_mounts, own_cgroup;

static const struct {
    const char *name;
    check *holds;
} checks[] = {
    {"uid-not-root", uid_not_root},
    {"no-capabilities", no_capabilities},
    {"no-new-privs", no_new_privs},
    {"seccomp-filter", seccomp_filter},
    {"own-user-namespace", own_user_namespace},
    {"own-pid-namespace", own_pid_namespace},
    {"own-network", own_network},
    {"egress-network", egress_network},
    {"own-ipc", own_ipc},
    {"own-uts", own_uts},
    {"own-mounts", own_mounts},
    {"own-cgroup", own_cgroup},
    {"no-host-sockets", no_host_sockets},
    {"no-terminal", no_terminal},
    {"root-read-only", root_read_only},
    {"proc-sys-read-only", proc_sys_read_only},
    {"workspace", workspace},
    {"workspace-mounts", workspace_mounts},
    {"tmp-sized", tmp_sized},
    {"home-sized", home_sized},
    {"shm-sized", shm_sized},
    {"environment-empty", environment_empty},
    {"descriptors", descriptors},
    {"init-sealed", init_sealed},
    {"limits", limits},
    {"inotify-bounded", inotify_bounded},
    {"other-kernel", other_kernel},
};

static char detail[DETAIL_MAX];

bool seen(bool holds, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    /* It may contain untrusted text, such as names of variables or mounts. A report is one line. */
    for (char *at = detail; *at; at++) {
        if ((unsigned char) *at < ' ' || *at == 127) *at = '?';
    }
    return holds;
}

bool slurp(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    size_t length = 0;
    ssize_t count = 1;
    while (count > 0 && length < size) {
        count = read(fd, text + length, size - length);
        if (count > 0) length += (size_t) count;
    }
    close(fd);
    if (count < 0 || length == size) return false;
    text[length] = '\0';
    return true;
}

bool apart(const char *kind, const char *host) {
    char path[40], own[40], hosts[40];
    snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
    ssize_t length = readlink(path, own, sizeof own - 1);
    if (length < 0 || host == NULL) return seen(false, "not known");
    own[length] = '\0';
    snprintf(hosts, sizeof hosts, "%s:[%s]", kind, host);
    bool differs = strcmp(own, hosts) != 0;
    return seen(differs, "%s, %s the host's", own, differs ? "not" : "which is");
}

static bool own_ipc(const char *host) {
    return apart("ipc", host);
}
static bool own_uts(const char *host) {
    return apart("uts", host);
}
static bool own_mounts(const char *host) {
    return apart("mnt", host);
}
static bool own_cgroup(const char *host) {
    return apart("cgroup", host);
}

/* Sets NAME to the name in the table; an unknown property does not hold. */
static bool measure(const char *declared, const char **name) {
    size_t length = strcspn(declared, "=");
    const char *value = declared[length] == '=' ? declared + length + 1 : NULL;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (strlen(checks[i].name) != length || memcmp(checks[i].name, declared, length) != 0) continue;
        *name = checks[i].name;
        return checks[i].holds(value);
    }
    *name = "unknown";
    return seen(false, "there is no property %.*s", (int) length, declared);
}

const char *measure_posture(char *const declared[], size_t count, const char *before, const char *of) {
    char report[REPORT_MAX];
    size_t length = 0;
    const char *failed = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *name;
        bool holds = measure(declared[i], &name);
        if (!holds && failed == NULL) failed = name;
        length += (size_t) snprintf(report + length, sizeof report - length, "%sposture %s%s %s %s\n", before,
                                    of, name, holds ? "ok" : "bad", detail);
    }
    /* Written together: the launcher is woken once. PROPERTIES_MAX lines of this length always fit. */
    _Static_assert(PROPERTIES_MAX * (DETAIL_MAX + 60 + TOKEN_MAX) <= REPORT_MAX, "a report may be cut");
    if (write(STATUS, report, length) != (ssize_t) length) _exit(1);
    return failed;
}
