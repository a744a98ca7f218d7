/*
 * brig-launcher: the parent of all walls.
 *
 *   brig-launcher BWRAP
 *
 * One thread, started once by the worker-agent, so that "die with your parent" (which follows a thread) means
 * "die with the worker-agent", and so that pipes can belong to the worker's user id, which is what makes
 * /dev/stdout and /dev/stderr open inside the wall. It ends at the end of its input, and all walls with it.
 *
 * Requests (standard input), all values bounded; an id is 1-64 characters of A-Z a-z 0-9 _ -
 *   prepare ID BYTES\n  then BYTES bytes of NUL-ended fields: makes the wall's first process, which waits
 *       uid=N gid=N        the user that bwrap runs as; both or none
 *       cgroup=PATH        a cgroup.procs file to join, while still privileged; repeatable
 *   launch ID BYTES\n   once for each that was prepared, any time later, then BYTES bytes of fields:
 *       stdin=null|pipe    null is the default
 *       seccomp=PATH       a BPF program for bwrap
 *       arg=TEXT           an option of bwrap; handed over in memory, so it shows in no command line
 *       before=PATH        a program that becomes bwrap, and its arguments (brig-overlay.c); up to 4
 *       exec=TEXT          the command line that bwrap executes as process 1 (brig-init ... -- payload ...)
 *   bounds ID BYTES\n   between the two, then BYTES bytes of fields: what the kernel may count for the wall
 *       NAME=N             for a file of /proc/sys/user; repeatable
 *   network ID BYTES\n  between the two, for a wall with egress (launcher-network.c); without it once the
 * wall runs, and then with no "listen". Then BYTES bytes of fields: to=PATH            a Unix socket that
 * every socket of a wall is sent to; the first one named counts listen=tcp|udp IPV4 PORT   a listening socket
 * to make inside; repeatable listen ID NUMBER PORT\n | dial ID NUMBER PORT\n    behind that, once the wall
 * runs: one more TCP socket that listens on every address, or one that is connected to 127.0.0.1; NUMBER is
 * above 0 opened ID\n         the worker-agent has opened the pipes of "started" signal ID NUMBER\n  SIGHUP,
 * SIGINT or SIGTERM to process 1, which hands it to the payload kill ID\n           ends the whole PID
 * namespace
 *
 * Replies (standard output), one line each:
 *   started ID STDIN STDOUT STDERR   descriptors in /proc/<launcher>/fd, to be opened before "opened"
 *   posture ID NAME ok|bad DETAIL    a property of the wall, measured by process 1 before the payload starts
 *   sockets ID NUMBER COUNT          so many sockets were sent just before; number 0 are those of "network"
 *   nosockets ID NUMBER ERRNO        it could not be created or connected
 *   ready ID PID                     the payload's execve succeeded; PID is process 1, seen from the host
 *   and exactly one of these, when no process of the wall is left:
 *   exited ID code N | exited ID signal N
 *   noexec ID ERRNO                  the payload could not be executed
 *   failed ID STEP ERRNO             a step of the set-up failed
 *   failed ID posture NAME           the wall does not enforce this property; the payload was not started
 *   failed ID wall TEXT              bwrap failed; TEXT is its message
 *   error TEXT                       an invalid request (no id is known)
 */
#define _GNU_SOURCE
#include "launcher.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

const char *bwrap_path;
static int events;

const char *errno_name(int error) {
    const char *name = strerrorname_np(error);
    return name != NULL ? name : "EUNKNOWN";
}

static char replies[64 * 1024];
static size_t replies_length;

/* Blocks while the worker-agent is slow; its reader never waits for us, so there is no deadlock. */
void send_replies(void) {
    for (size_t done = 0; done < replies_length;) {
        ssize_t count = write(STDOUT_FILENO, replies + done, replies_length - done);
        if (count < 0 && errno != EINTR) exit(0);
        if (count > 0) done += (size_t) count;
    }
    replies_length = 0;
}

/* Buffered until the event is handled: the reader is woken once for the many lines of a posture. */
void reply(const char *format, ...) {
    char line[COMPLAINT_MAX + ID_MAX + 64];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    if ((size_t) length > sizeof line - 2) length = sizeof line - 2;
    for (int i = 0; i < length; i++) {
        if ((unsigned char) line[i] < ' ' || line[i] == 127) line[i] = ' ';
    }
    line[length++] = '\n';
    if (replies_length + (size_t) length > sizeof replies) send_replies();
    memcpy(replies + replies_length, line, (size_t) length);
    replies_length += (size_t) length;
}

void watch(int fd, enum source source, size_t index) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t) index << 8 | source};
    epoll_ctl(events, EPOLL_CTL_ADD, fd, &event);
}

void drop(int *fd) {
    if (*fd < 0) return;
    /* Explicit: a child on its way to execve may keep the description alive in the epoll set. */
    epoll_ctl(events, EPOLL_CTL_DEL, *fd, NULL);
    close(*fd);
    *fd = -1;
}

static void handle_signal(int signals) {
    struct signalfd_siginfo signal_info;
    if (read(signals, &signal_info, sizeof signal_info) != sizeof signal_info) return;
    if (signal_info.ssi_signo == SIGTERM) exit(0);
    reap();
}

int main(int count, char **arguments) {
    if (count != 2 || arguments[1][0] != '/') {
        reply("error usage: brig-launcher /path/of/bwrap");
        send_replies();
        return 2;
    }
    bwrap_path = arguments[1];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    setsid(); /* a Ctrl-C at the worker-agent's terminal must not reach us */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGTERM);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    int signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    events = epoll_create1(EPOLL_CLOEXEC);
    if (signals < 0 || events < 0) {
        reply("error set-up %s", errno_name(errno));
        send_replies();
        return 1;
    }
    watch(STDIN_FILENO, FROM_STDIN, 0);
    watch(signals, FROM_SIGNALS, 0);
    for (;;) {
        /* One event at a time: handling it may close the descriptor of the next one. */
        struct epoll_event event;
        if (epoll_wait(events, &event, 1, -1) != 1) continue;
        enum source source = (enum source)(event.data.u64 & 0xFF);
        if (source == FROM_STDIN) handle_input();
        else if (source == FROM_SIGNALS) handle_signal(signals);
        else if (source == FROM_NETWORK) handle_network_answer((size_t) (event.data.u64 >> 8));
        else handle_wall_event(source, (size_t) (event.data.u64 >> 8));
        send_replies();
    }
}
