/*
 * brig-dial: joins standard input and output to a Unix stream socket, until both directions have ended.
 *
 *   brig-dial SOCKET                 each side's end of stream is passed on
 *   brig-dial --lines N SOCKET       it ends after N lines from the socket, and keeps the way there open
 * until then
 *
 * Each direction has a buffer of its own, so one that is blocked does not stop the other. If the socket
 * cannot be connected, it prints a refusal as one line of JSON, and exits with 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { BYTES = 65536, CONNECT_SECONDS_MAX = 5 };

struct direction {
    int from, to;
    size_t begin, end;
    bool read_all, ended;
    char bytes[BYTES];
};

static int refuse(const char *error) {
    printf("{\"code\":\"WORKER_AGENT_UNAVAILABLE\",\"error\":\"the socket of the worker-agent cannot be "
           "reached: %s\"}\n",
           error);
    return 1;
}

static int dial(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = CONNECT_SECONDS_MAX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /* Connecting blocks while the backlog is full. */
    if (made < 0 || setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) < 0) return -1;
    return connect(made, (struct sockaddr *) &address, sizeof address) < 0 ? -1 : made;
}

static bool is_fatal(void) {
    return errno != EAGAIN && errno != EINTR;
}

/* Reads once and writes once. Answers false if nobody takes the bytes any more. */
static bool move(struct direction *way, long *lines) {
    if (way->begin == way->end && !way->read_all) {
        ssize_t count = read(way->from, way->bytes, BYTES);
        if (count == 0 || (count < 0 && is_fatal())) way->read_all = true;
        way->begin = 0;
        way->end = count > 0 ? (size_t) count : 0;
        for (size_t at = 0; lines != NULL && at < way->end; at++) {
            if (way->bytes[at] == '\n' && --*lines == 0) {
                way->end = at + 1;
                way->read_all = true;
            }
        }
    }
    if (way->begin < way->end) {
        ssize_t count = write(way->to, way->bytes + way->begin, way->end - way->begin);
        if (count < 0 && is_fatal()) return false;
        if (count > 0) way->begin += (size_t) count;
    }
    return true;
}

int main(int count, char **words) {
    long lines = 0;
    if (count == 4 && strcmp(words[1], "--lines") == 0) lines = strtol(words[2], NULL, 10);
    bool counts = lines > 0;
    if (count != 2 && !counts) {
        fputs("usage: brig-dial [--lines N] SOCKET\n", stderr);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    int peer = dial(words[count - 1]);
    if (peer < 0) return refuse(strerror(errno));
    static struct direction there, back;
    there.from = STDIN_FILENO;
    there.to = back.from = peer;
    back.to = STDOUT_FILENO;
    int all[] = {STDIN_FILENO, STDOUT_FILENO, peer};
    for (int i = 0; i < 3; i++) fcntl(all[i], F_SETFL, fcntl(all[i], F_GETFL) | O_NONBLOCK);

    while (!back.ended || !there.ended) {
        bool full_there = there.begin < there.end, full_back = back.begin < back.end;
        struct pollfd waits[] = {
            {.fd = there.read_all || full_there ? -1 : there.from, .events = POLLIN},
            {.fd = back.ended ? -1 : back.to, .events = full_back ? POLLOUT : 0},
            /* A peer that closed would wake us until what it said is taken. */
            {.fd = full_back && !full_there ? -1 : peer,
             .events = (short) ((full_there ? POLLOUT : 0) | (full_back || back.read_all ? 0 : POLLIN))},
        };
        if (poll(waits, 3, -1) < 0 && errno != EINTR) return 1;
        /* Nobody reads what comes back; or the peer closed and has no bytes left. */
        if (waits[1].revents & (POLLERR | POLLNVAL)) return 1;
        if (waits[2].revents & (POLLHUP | POLLERR) && back.read_all && !full_back) return 0;
        if (!there.ended && !move(&there, NULL)) there.read_all = there.ended = true;
        if (!back.ended && !move(&back, counts ? &lines : NULL)) return 1;
        if (!there.ended && there.read_all && there.begin == there.end) {
            there.ended = true;
            if (!counts) shutdown(peer, SHUT_WR);
        }
        if (!back.ended && back.read_all && back.begin == back.end) {
            back.ended = true;
            if (counts) return 0;
            close(STDOUT_FILENO);
        }
    }
    return 0;
}
