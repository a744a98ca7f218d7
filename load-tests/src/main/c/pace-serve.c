#define _GNU_SOURCE
#include "pace.h"
#include "wire.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_BYTES = 65536 };

static void await(int fd, short events) {
    poll(&(struct pollfd){.fd = fd, .events = events}, 1, -1);
}

static void answer(int fd, uint64_t rest) {
    static char piece[PIECE_BYTES];
    int length = snprintf(piece, sizeof piece, "HTTP/1.1 200 OK\r\nContent-Length: %llu\r\n\r\n",
                          (unsigned long long) rest);
    if (write(fd, piece, (size_t) length) != length) return;
    memset(piece, 'x', sizeof piece);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    while (rest > 0) {
        ssize_t count = write(fd, piece, rest < sizeof piece ? (size_t) rest : sizeof piece);
        if (count < 0) return;
        rest -= (uint64_t) count;
    }
}

int serve(const char *port, uint64_t bytes) {
    char address[ADDRESS_CHARS_MAX], actual[ADDRESS_CHARS_MAX], request[PIECE_BYTES];
    snprintf(address, sizeof address, "127.0.0.1:%s", port);
    loop_init();
    int listener = wire_listen(address, actual);
    puts(actual);
    fflush(stdout);
    while (1) {
        await(listener, POLLIN);
        int fd = wire_accept(listener);
        if (fd < 0) continue;
        await(fd, POLLIN);
        if (read(fd, request, sizeof request) > 0) answer(fd, bytes);
        close(fd);
    }
}
