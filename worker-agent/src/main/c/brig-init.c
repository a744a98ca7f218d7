/*
 * brig-init: process 1 of a wall.
 *
 *   brig-init [--nproc N] [--data BYTES] [--fsize BYTES] [--nofile N] [--tty COLUMNSxROWS]
 *             [--kernel starts|second|virtual] [--property NAME[=VALUE]]... -- COMMAND ARGUMENT...
 *
 * It measures the declared properties of the wall (posture.c) and continues only if all of them hold. Then it
 * starts one payload, reaps whatever is orphaned, and ends when the payload ends; the kernel then kills
 * everything left in the PID namespace, whatever session or group it moved to.
 *
 * Descriptors, laid out by brig-launcher (bwrap passes them through):
 *   3, 4, 5  become 0, 1, 2 of the payload. With --tty they stay with this process: it copies between 3 and 4
 *            and the payload's terminal (init-terminal.c), and 5 gets the files that are followed
 *            (init-follow.c). They do not arrive as 0, 1, 2 because bwrap's own process outside the wall
 * keeps those three open: the reader would never see the payload close its output. 6        the status pipe.
 * One line each: "posture NAME ok|bad DETAIL" for each property; "posture-failed NAME" and the end; else
 * "ready", or "noexec ENOENT"; then "exit 3" or "signal 15".
 *
 * With a second kernel in between there are two of these. The outer one, "--kernel starts", measures the
 * wall, starts the second kernel with all descriptors, and reports no more than that. The inner one,
 * "--kernel second", names its findings after that kernel, and reports the payload, which has a user
 * namespace of its own with the worker's usual number. gVisor lets the payload open our descriptors, whatever
 * may be dumped. So each of our lines begins with a word that only the reader knows: it comes through
 * descriptor 7. In a virtual machine, "--kernel virtual", the kernel is Linux, and neither is needed.
 *
 * The payload has the same user id as this process, so what protects the status pipe from it is that this
 * process cannot be dumped: /proc/1/fd, /proc/1/mem and /proc/1/environ are closed to the payload.
 */
#define _GNU_SOURCE
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct wanted_limit wanted_limits[LIMITS] = {
    {.option = "--nproc", .resource = RLIMIT_NPROC},
    {.option = "--data", .resource = RLIMIT_DATA},
    {.option = "--fsize", .resource = RLIMIT_FSIZE},
    {.option = "--nofile", .resource = RLIMIT_NOFILE},
};
/* Of the payload's terminal; no columns: it gets the pipes. */
static struct winsize terminal;
static enum { ONLY, STARTS, SECOND, VIRTUAL } kernel;
static char token[TOKEN_MAX + 2] = "";
static char *properties[PROPERTIES_MAX];
static size_t property_count;

/* One write per line, shorter than PIPE_BUF and so atomic. */
__attribute__((format(printf, 1, 2))) static void report(const char *format, ...) {
    char line[64 + sizeof token];
    va_list arguments;
    va_start(arguments, format);
    int length = snprintf(line, sizeof token, "%s", token);
    length += vsnprintf(line + length, sizeof line - (size_t) length, format, arguments);
    va_end(arguments);
    if (write(STATUS, line, (size_t) length) != length) _exit(1);
}

static const char *errno_name(int error) {
    const char *name = strerrorname_np(error);
    return name != NULL ? name : "EUNKNOWN";
}

static void limit(int resource, rlim_t value) {
    struct rlimit both = {value, value};
    struct rlimit now;
    /* The wall may have been started with a lower hard limit, which it cannot raise. */
    if (getrlimit(resource, &now) == 0 && now.rlim_max < value) both.rlim_cur = both.rlim_max = now.rlim_max;
    if (setrlimit(resource, &both) != 0) {
        report("fail rlimit %s\n", errno_name(errno));
        _exit(1);
    }
}

__attribute__((noreturn)) static void refuse_arguments(void) {
    report("fail arguments EINVAL\n");
    _exit(1);
}

static void want_limit(const char *option, const char *number) {
    size_t i = 0;
    while (i < LIMITS && strcmp(option, wanted_limits[i].option) != 0) i++;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(number, &end, 10);
    if (i == LIMITS || end == number || *end != '\0' || errno != 0) refuse_arguments();
    wanted_limits[i].set = true;
    wanted_limits[i].most = value;
}

/* Returns the payload's command line. */
static char **read_arguments(char **arguments) {
    for (; arguments[0] != NULL && strcmp(arguments[0], "--") != 0; arguments += 2) {
        if (arguments[1] == NULL) refuse_arguments();
        if (strcmp(arguments[0], "--tty") == 0) {
            if (!parse_size(arguments[1], &terminal)) refuse_arguments();
        } else if (strcmp(arguments[0], "--kernel") == 0) {
            kernel = strcmp(arguments[1], "second") == 0    ? SECOND
                     : strcmp(arguments[1], "virtual") == 0 ? VIRTUAL
                                                            : STARTS;
        } else if (strcmp(arguments[0], "--property") != 0) want_limit(arguments[0], arguments[1]);
        else if (property_count < PROPERTIES_MAX) properties[property_count++] = arguments[1];
        else refuse_arguments();
    }
    if (arguments[0] == NULL || arguments[1] == NULL) refuse_arguments();
    return arguments + 1;
}

/* Closes where it came from: nobody else can read it. */
static void learn_token(void) {
    ssize_t length = read(TOKEN, token, TOKEN_MAX);
    close(TOKEN);
    if (length <= 0) _exit(1);
    token[length] = ' ';
    token[length + 1] = '\0';
}

/*
 * Set inside the wall, not outside: a process limit set inside a user namespace counts only the processes of
 * this wall, not all others of the same user id on the host.
 */
static void apply_limits(void) {
    limit(RLIMIT_CORE, 0);
    for (size_t i = 0; i < LIMITS; i++) {
        if (wanted_limits[i].set) limit(wanted_limits[i].resource, wanted_limits[i].most);
    }
}

/* Refuses to start the payload if the wall is not as declared. */
static void require_posture(void) {
    const char *failed =
        measure_posture(properties, property_count, token, kernel >= SECOND ? "second-kernel/" : "");
    if (failed == NULL) return;
    report("posture-failed %s\n", failed);
    _exit(1);
}

static bool put(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t) strlen(text);
    if (fd >= 0) close(fd);
    return done;
}

/* A kernel without the file has no groups to deny. Numbers above the last capability are refused. */
static bool enter_own_user_namespace(void) {
    if (unshare(CLONE_NEWUSER) != 0) return false;
    if (!put("/proc/self/setgroups", "deny") && errno != ENOENT) return false;
    if (!put("/proc/self/uid_map", WORKER " 0 1") || !put("/proc/self/gid_map", WORKER " 0 1")) return false;
    int dropped = 0;
    while (prctl(PR_CAPBSET_DROP, dropped, 0, 0, 0) == 0) dropped++;
    return dropped > 0;
}

/* In the payload's process: closes everything but 0, 1, 2, and resets signals as in a fresh login. */
static void become_payload(char **command, int failure) {
    if (terminal.ws_col > 0) {
        if (!take_terminal()) goto failed;
    } else if (kernel != STARTS) {
        for (int i = 0; i < 3; i++) {
            if (dup2(PAYLOAD_STDIN + i, i) < 0) goto failed;
        }
    }
    for (int signal_number = 1; signal_number < NSIG; signal_number++) signal(signal_number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* gVisor refuses more than the greatest descriptor. */
    if (syscall(SYS_close_range, FIRST_FREE, INT_MAX, 4 /* CLOSE_RANGE_CLOEXEC */) != 0) goto failed;
    for (int i = PAYLOAD_STDIN; kernel != STARTS && i <= STATUS; i++) close(i);
    if (kernel == SECOND && !enter_own_user_namespace()) goto failed;
    execvp(command[0], command);
failed:;
    int error = errno;
    if (write(failure, &error, sizeof error) < 0) _exit(126);
    _exit(127);
}

__attribute__((noreturn)) static void report_not_started(int error) {
    report(kernel == STARTS ? "fail second-kernel %s\n" : "noexec %s\n", errno_name(error));
    _exit(1);
}

/* Returns the pid once its execve has succeeded; otherwise reports that and ends the wall. */
static pid_t start_payload(char **command) {
    int failure[2];
    if (pipe2(failure, O_CLOEXEC) != 0) {
        report("fail pipe %s\n", errno_name(errno));
        _exit(1);
    }
    pid_t payload = fork();
    if (payload < 0) report_not_started(errno);
    if (payload == 0) become_payload(command, failure[1]);
    close(failure[1]);
    int error = 0;
    ssize_t count;
    do count = read(failure[0], &error, sizeof error);
    while (count < 0 && errno == EINTR);
    close(failure[0]);
    if (count != 0) report_not_started(error);
    return payload;
}

/*
 * From here on only the payload holds its stdio: when it closes its output, the reader sees the end. What
 * this process copies for a terminal stays.
 */
static void let_go_of_stdio(void) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        for (int i = 0; i < 3; i++) dup2(null, i);
        close(null);
    }
    for (int i = 0; terminal.ws_col == 0 && i < 3; i++) close(PAYLOAD_STDIN + i);
}

/* Returns the payload's wait status. */
static int watch(pid_t payload, const sigset_t *signals) {
    for (;;) {
        int signal_number = sigwaitinfo(signals, NULL);
        if (signal_number < 0) continue;
        if (signal_number != SIGCHLD) {
            kill(payload, signal_number);
            continue;
        }
        int status;
        pid_t ended;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
            if (ended == payload) return status;
        }
    }
}

int main(int count, char **arguments) {
    (void) count;
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_DFL);
    char **command = read_arguments(arguments + 1);
    if (kernel == SECOND) {
        learn_token();
        /* brig-gvisor.c says why. */
        const char *home = getenv("HOME");
        if (home != NULL && *home == '\0') unsetenv("HOME");
    }
    apply_limits();
    require_posture();

    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_SETMASK, &signals, NULL);

    if (terminal.ws_col > 0 && !open_terminal(&terminal)) {
        report("fail terminal %s\n", errno_name(errno));
        _exit(1);
    }
    pid_t payload = start_payload(command);
    let_go_of_stdio();
    if (kernel == STARTS) {
        close(STATUS);
        watch(payload, &signals);
        return 0;
    }
    report("ready\n");
    int status = terminal.ws_col > 0 ? serve_terminal(payload, &signals) : watch(payload, &signals);
    if (WIFSIGNALED(status)) report("signal %d\n", WTERMSIG(status));
    else report("exit %d\n", WEXITSTATUS(status));
    return 0;
}
