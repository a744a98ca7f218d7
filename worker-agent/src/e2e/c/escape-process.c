/* Attempts on other processes, on privileges, and on what was left open or lying about. */
#define _GNU_SOURCE
#include "escape.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static bool init_file(const char *name, int flags) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", host.init, name);
    int fd = open(path, flags | O_CLOEXEC);
    if (fd >= 0) close(fd);
    return done(fd);
}

static bool init_memory(void) {
    return init_file("mem", O_RDWR);
}
static bool init_environment(void) {
    return init_file("environ", O_RDONLY);
}
static bool init_descriptors(void) {
    return init_file("fd", O_RDONLY | O_DIRECTORY);
}
static bool init_program(void) {
    return init_file("exe", O_RDONLY);
}
static bool init_maps(void) {
    return init_file("maps", O_RDONLY);
}

static bool ptrace_init(void) {
    return done(ptrace(PTRACE_SEIZE, host.init, NULL, NULL)); /* the end of this process lets go of it */
}
static bool ptrace_me(void) {
    return done(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}
static bool vm_read(void) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *) 0x1000, 1};
    return permitted(process_vm_readv(host.init, &here, 1, &there, 1, 0));
}
static bool vm_write(void) {
    char byte = 0;
    struct iovec here = {&byte, 1}, there = {(void *) 0x1000, 1};
    return permitted(process_vm_writev(host.init, &here, 1, &there, 1, 0));
}
static bool steal_descriptor(void) {
    int process = (int) syscall(SYS_pidfd_open, host.init, 0);
    return done(process < 0 ? -1 : syscall(SYS_pidfd_getfd, process, 0, 0));
}
static bool compare_processes(void) {
    return done(syscall(SYS_kcmp, host.init, host.init, 0, 0, 0));
}

static bool signal_host(void) {
    return done(host.pid > 0 ? kill(host.pid, 0) : -1);
}
static bool see_host_process(void) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/stat", host.pid);
    return done(host.pid > 0 ? access(path, F_OK) : -1);
}

/* Reads a file of every process but ourselves and our parent, and looks whether it has one of the words. */
static bool any_process_has(const char *name, const char *const words[], size_t count) {
    DIR *processes = opendir("/proc");
    int read_ones = 0;
    for (struct dirent *entry; processes != NULL && (entry = readdir(processes)) != NULL;) {
        int pid = isdigit((unsigned char) entry->d_name[0]) ? atoi(entry->d_name) : 0;
        if (pid == 0 || pid == getpid() || pid == getppid()) continue;
        char path[300], text[65536];
        snprintf(path, sizeof path, "/proc/%s/%s", entry->d_name, name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text);
        if (fd >= 0) close(fd);
        if (length <= 0) continue;
        read_ones++;
        if (count == 0) return tell(true, "read that of %d", pid);
        for (size_t i = 0; i < count; i++) {
            bool found = memmem(text, (size_t) length, words[i], strlen(words[i])) != NULL;
            if (found) return tell(true, "%d has %s", pid, words[i]);
        }
    }
    return tell(false, "%d read, nothing in them", read_ones);
}
static bool foreign_environment(void) {
    return any_process_has("environ", NULL, 0);
}
static bool launcher_arguments(void) {
    static const char *const words[] = {"bwrap", "brig-launcher", "--setenv", "java"};
    return any_process_has("cmdline", words, sizeof words / sizeof *words);
}
static bool inherited_descriptor(void) {
    return tell(host.first_descriptor > 0, "%d was open at the start", host.first_descriptor);
}

static bool become_root(void) {
    return done(setresuid(0, 0, 0));
}
static bool become_root_group(void) {
    return done(setresgid(0, 0, 0));
}
static bool take_groups(void) {
    gid_t group = 0;
    return done(setgroups(1, &group));
}
static bool take_capabilities(void) {
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[2] = {{1u << CAP_SYS_ADMIN, 1u << CAP_SYS_ADMIN, 0}, {0, 0, 0}};
    return done(syscall(SYS_capset, &head, sets));
}
static bool new_privileges(void) {
    return tell(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0, "programs with the setuid bit");
}
static bool rewrite_uid_map(void) {
    int fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
    return done(fd < 0 ? -1 : write(fd, "0 0 1\n", 6));
}
static bool raise_limit(void) {
    struct rlimit limit = {1u << 20, 1u << 20};
    if (getrlimit(RLIMIT_NPROC, &limit) != 0) return false;
    limit.rlim_max = RLIM_INFINITY;
    return done(setrlimit(RLIMIT_NPROC, &limit));
}
static bool dump_core(void) {
    struct rlimit limit = {1, 1};
    return done(setrlimit(RLIMIT_CORE, &limit));
}
static bool raise_priority(void) {
    return done(setpriority(PRIO_PROCESS, 0, -5));
}
static bool realtime(void) {
    struct sched_param parameters = {.sched_priority = 1};
    return done(sched_setscheduler(0, SCHED_FIFO, &parameters));
}
static bool spare_from_oom(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    return done(fd < 0 ? -1 : write(fd, "-1000", 5));
}

/* On a terminal of our own making: what a worker could do to its captain's if it had that one. */
static bool type_into_terminal(void) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return done(-1);
    int slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    return done(slave < 0 ? -1 : ioctl(slave, TIOCSTI, "x"));
}
static bool paste_into_console(void) {
    return done(ioctl(0, TIOCLINUX, "\x06"));
}
static bool controlling_terminal(void) {
    return done(open("/dev/tty", O_RDWR | O_NOCTTY));
}

const struct probe process_probes[] = {
    {"open-memory-of-init", init_memory},
    {"open-environment-of-init", init_environment},
    {"list-descriptors-of-init", init_descriptors},
    {"open-program-of-init", init_program},
    {"open-maps-of-init", init_maps},
    {"ptrace-init", ptrace_init},
    {"ptrace-traceme", ptrace_me},
    {"process-vm-readv", vm_read},
    {"process-vm-writev", vm_write},
    {"pidfd-getfd", steal_descriptor},
    {"kcmp", compare_processes},
    {"signal-host-process", signal_host},
    {"see-host-process", see_host_process},
    {"environment-of-others", foreign_environment},
    {"arguments-of-launcher", launcher_arguments},
    {"inherited-descriptor", inherited_descriptor},
    {"setuid-root", become_root},
    {"setgid-root", become_root_group},
    {"setgroups", take_groups},
    {"capset", take_capabilities},
    {"new-privileges", new_privileges},
    {"rewrite-uid-map", rewrite_uid_map},
    {"raise-process-limit", raise_limit},
    {"allow-core-dump", dump_core},
    {"raise-priority", raise_priority},
    {"realtime-scheduling", realtime},
    {"spare-from-oom-killer", spare_from_oom},
    {"tiocsti", type_into_terminal},
    {"tioclinux", paste_into_console},
    {"controlling-terminal", controlling_terminal},
    {NULL, NULL},
};
