/*
 * The child process, from the fork of the launcher to bwrap. Slow steps that are the same for every wall come
 * first, above all joining the groups, which the kernel may delay for milliseconds. Then the child waits, as
 * the worker's user, for the description of its wall.
 */
#define _GNU_SOURCE
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noreturn)) static void give_up(const char *step) {
    char line[64];
    int length = snprintf(line, sizeof line, "fail %s %s\n", step, errno_name(errno));
    if (write(STATUS, line, (size_t) length) != length) _exit(126);
    _exit(127);
}

static void join_cgroup(const char *procs_file) {
    int fd = open(procs_file, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "0", 1) != 1) give_up("cgroup");
    close(fd);
}

static void become_worker(const struct preparation *to) {
    if (!to->has_uid) return;
    if (setgroups(0, NULL) != 0 || setresgid(to->gid, to->gid, to->gid) != 0 ||
        setresuid(to->uid, to->uid, to->uid) != 0)
        give_up("privileges");
    /* Must be impossible now; otherwise the wall would run as the wrong user. */
    if (to->uid != 0 && setresuid(0, 0, 0) == 0) {
        errno = EPERM;
        give_up("privileges");
    }
}

static int args_in_memory(const struct request *request) {
    int fd = memfd_create("brig-args", 0);
    if (fd < 0) give_up("memory");
    for (size_t done = 0; done < request->args_bytes;) {
        ssize_t count = write(fd, request->args + done, request->args_bytes - done);
        if (count < 0) give_up("memory");
        done += (size_t) count;
    }
    if (lseek(fd, 0, SEEK_SET) != 0) give_up("memory");
    return fd;
}

/*
 * Moves sources to 0..INFO and closes everything else. All are first moved out of the way, so that no move
 * overwrites a later source.
 */
static void lay_out(int sources[FIRST_FREE]) {
    for (int i = 0; i < FIRST_FREE; i++) {
        if (sources[i] >= 0 && (sources[i] = fcntl(sources[i], F_DUPFD, 64)) < 0) _exit(126);
    }
    for (int i = 0; i < FIRST_FREE; i++) {
        close(i);
        if (sources[i] >= 0 && dup2(sources[i], i) < 0) _exit(126);
    }
    if (syscall(SYS_close_range, FIRST_FREE, ~0U, 0) != 0) give_up("descriptors");
}

/* Exits if the launcher closes its end without data: this wall is not needed. */
static void await_launch(struct request *request) {
    static char body[BODY_MAX];
    char go;
    ssize_t count;
    do count = read(GO, &go, 1);
    while (count < 0 && errno == EINTR);
    if (count != 1) _exit(0);
    ssize_t bytes = pread(BODY, body, sizeof body, 0);
    request->waits_for_network = go == 'n';
    if (!request->waits_for_network) close(GO);
    close(BODY);
    if (bytes < 0 || !parse_launch(request, body, (size_t) bytes)) {
        errno = EINVAL;
        give_up("request");
    }
}

void become_child(const struct preparation *preparation, int sources[FIRST_FREE], pid_t launcher) {
    static struct request request;
    lay_out(sources);
    for (size_t i = 0; i < preparation->cgroup_count; i++) join_cgroup(preparation->cgroups[i]);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    become_worker(preparation);
    /* After the change of user, which clears it. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != launcher) _exit(126);
    umask(022);
    if (chdir("/") != 0) give_up("descriptors");
    signal(SIGPIPE, SIG_DFL);
    sigset_t no_signals;
    sigemptyset(&no_signals);
    sigprocmask(SIG_SETMASK, &no_signals, NULL);
    await_launch(&request);
    if (!request.stdin_pipe && dup2(STDIN_FILENO, PAYLOAD_STDIN) < 0) give_up("descriptors");
    if (request.seccomp != NULL) {
        int fd = open(request.seccomp, O_RDONLY);
        if (fd < 0 || (fd != SECCOMP && (dup2(fd, SECCOMP) < 0 || close(fd) != 0))) give_up("seccomp");
    }
    int args = args_in_memory(&request);
    if (args != ARGS && (dup2(args, ARGS) < 0 || close(args) != 0)) give_up("memory");
    /* Empty on purpose: any process of the same user can read a process's initial environment. */
    char *environment[] = {NULL};
    if (request.before_count > 0) {
        char **rest = request.before + request.before_count;
        rest[0] = (char *) bwrap_path;
        memcpy(rest + 1, request.exec + 1, request.exec_count * sizeof *rest);
        execve(request.before[0], request.before, environment);
        give_up("overlay");
    }
    execve(bwrap_path, request.exec, environment);
    give_up("bwrap");
}
