/*
 * brig-dial: asks the program that listens at a Unix stream socket.
 *
 *   brig-dial SOCKET
 *
 * Standard input is the question; the first line of the answer is printed. Where nobody answers it prints
 * nothing there, and exits with 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { BYTES = 65536, CONNECT_SECONDS_MAX = 5 };

static char bytes[BYTES];

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

static bool pass_on(int to, size_t count) {
    for (size_t at = 0; at < count;) {
        ssize_t written = write(to, bytes + at, count - at);
        if (written < 0 && errno != EINTR) return false;
        if (written > 0) at += (size_t) written;
    }
    return true;
}

int main(int count, char **words) {
    if (count != 2) {
        fputs("usage: brig-dial SOCKET\n", stderr);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    int peer = dial(words[1]);
    if (peer < 0) {
        fprintf(stderr, "brig-dial: %s: %s\n", words[1], strerror(errno));
        return 1;
    }
    ssize_t length;
    while ((length = read(STDIN_FILENO, bytes, BYTES)) > 0)
        if (!pass_on(peer, (size_t) length)) return 1;
    while ((length = read(peer, bytes, BYTES)) > 0) {
        const char *end = memchr(bytes, '\n', (size_t) length);
        if (!pass_on(STDOUT_FILENO, end == NULL ? (size_t) length : (size_t) (end - bytes) + 1)) return 1;
        if (end != NULL) return 0;
    }
    return 1;
}
