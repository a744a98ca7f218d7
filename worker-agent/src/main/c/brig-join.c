/*
 * brig-join: the far end of a joint. Many connections share its standard input and output, and it joins each
 * to a Unix stream socket. The near end is in the gateway (brig.gateway.joint), with a session of ssh between
 * them.
 *
 *   brig-join SOCKET
 *
 * It begins with the line HELLO. Then both ends write frames: 1 byte of kind, 3 of a value, 4 of a
 * connection's number, in network order. The near end gives the numbers, which are below CONNECTIONS_MAX.
 *
 *   OPEN    (near end only) a connection to SOCKET
 *   DATA    so many bytes follow, at most CHUNK
 *   END     no DATA comes after it
 *   CLOSE   nothing comes after it; when both ends have said so, the number is free
 *   WINDOW  so many bytes more may come; at first it is WINDOW_FIRST
 *
 * Standard input is always read: what a connection cannot take at once is kept, at most as much as may come
 * for it. Output is made from the state of a connection when there is room, so nothing queues. At the end of
 * standard input, and when the near end breaks a rule, all ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define HELLO "brig-join 1\n"

enum kind { OPEN = 1, DATA, END, CLOSE, WINDOW };
enum {
    CONNECTIONS_MAX = 2048,
    HEADER = 8,
    CHUNK = 16384,
    BUFFER = 4 * (HEADER + CHUNK),
    WINDOW_FIRST = 32768,
    WINDOW_MAX = 1 << 20,
    /* How much all windows together may be larger than at first. */
    GROWTH_MAX = 32 << 20,
    /* A socket whose backlog is full tells nobody when it is not. */
    DIAL_EVERY_MS = 20,
    DIALS_MAX = 250,
};

struct connection {
    bool used;
    /* The socket; -1 before it is connected, and once the connection is finished. */
    int fd;
    int dials;
    /* From the near end: a ring of bytes that wait, and how many more may come. */
    unsigned char *ring;
    uint32_t size, begin, count;
    uint32_t window, allowed, taken;
    bool near_ended, near_closed;
    /* Nothing more is written: the near end is through, or nobody reads. */
    bool shut, unread;
    /* To the near end. */
    uint32_t credit;
    bool read_all, end_told, finished, close_told;
};

struct buffer {
    size_t begin, end;
    unsigned char bytes[BUFFER];
};

static struct connection all[CONNECTIONS_MAX];
static struct pollfd waits[2 + CONNECTIONS_MAX];
/* All numbers in use are below it. */
static uint32_t top;
static uint32_t growth;
static struct buffer in, out;
static struct sockaddr_un address = {.sun_family = AF_UNIX};

static _Noreturn void fail(const char *why) {
    fprintf(stderr, "brig-join: %s\n", why);
    exit(1);
}

static bool is_fatal(void) {
    return errno != EAGAIN && errno != EINTR;
}

static void drop(struct connection *one) {
    free(one->ring);
    one->ring = NULL;
    one->size = one->begin = one->count = 0;
}

/* Nothing is read or written any more. The near end is told when there is room. */
static void finish(struct connection *one) {
    if (one->fd >= 0) close(one->fd);
    one->fd = -1;
    drop(one);
    growth -= one->window - WINDOW_FIRST;
    one->window = WINDOW_FIRST;
    one->finished = true;
}

static void dial(struct connection *one) {
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made >= 0 && connect(made, (struct sockaddr *) &address, sizeof address) == 0) {
        one->fd = made;
        return;
    }
    bool again = made >= 0 && errno == EAGAIN && ++one->dials < DIALS_MAX;
    if (made >= 0) close(made);
    if (!again) finish(one);
}

static uint32_t least(uint32_t one, uint32_t other) {
    return one < other ? one : other;
}

static void enlarge(struct connection *one, uint32_t needed) {
    uint32_t size = one->size == 0 ? CHUNK : one->size;
    while (size < needed) size *= 2;
    unsigned char *larger = malloc(size);
    if (larger == NULL) fail("no memory is left");
    uint32_t straight = least(one->size - one->begin, one->count);
    if (one->count > 0) {
        memcpy(larger, one->ring + one->begin, straight);
        memcpy(larger + straight, one->ring, one->count - straight);
    }
    free(one->ring);
    one->ring = larger;
    one->size = size;
    one->begin = 0;
}

static void keep(struct connection *one, const unsigned char *bytes, uint32_t length) {
    if (one->count + length > one->size) enlarge(one, one->count + length);
    uint32_t end = (one->begin + one->count) % one->size;
    uint32_t straight = least(one->size - end, length);
    memcpy(one->ring + end, bytes, straight);
    memcpy(one->ring, bytes + straight, length - straight);
    one->count += length;
}

/* Answers how many bytes the socket took. */
static uint32_t put(struct connection *one, const unsigned char *bytes, uint32_t length) {
    ssize_t written = one->fd < 0 ? 0 : write(one->fd, bytes, length);
    if (written < 0 && is_fatal()) {
        drop(one);
        one->unread = true;
    }
    if (written <= 0) return 0;
    one->taken += (uint32_t) written;
    return (uint32_t) written;
}

/* Writes what waits, then the end. */
static void pass_on(struct connection *one) {
    while (one->count > 0) {
        uint32_t written = put(one, one->ring + one->begin, least(one->size - one->begin, one->count));
        if (written == 0) break;
        one->begin = (one->begin + written) % one->size;
        one->count -= written;
    }
    if (one->count > 0) return;
    drop(one);
    if (one->fd >= 0 && one->near_ended && !one->shut) {
        one->shut = true;
        shutdown(one->fd, SHUT_WR);
    }
}

static void handle_data(struct connection *one, const unsigned char *bytes, uint32_t length) {
    if (one->near_ended) fail("data after the end");
    if (length > one->allowed) fail("more data than is allowed");
    one->allowed -= length;
    if (one->finished || one->unread) return;
    uint32_t written = one->count == 0 ? put(one, bytes, length) : 0;
    if (written < length && !one->unread) keep(one, bytes + written, length - written);
}

static void handle_open(uint32_t number) {
    struct connection *one = &all[number];
    if (one->used) fail("a connection is opened twice");
    *one = (struct connection){
        .used = true, .fd = -1, .window = WINDOW_FIRST, .allowed = WINDOW_FIRST, .credit = WINDOW_FIRST};
    if (number >= top) top = number + 1;
    dial(one);
}

static void handle(unsigned kind, uint32_t value, uint32_t number, const unsigned char *bytes) {
    if (number >= CONNECTIONS_MAX) fail("a number that no connection can have");
    if (kind == OPEN) {
        handle_open(number);
        return;
    }
    struct connection *one = &all[number];
    if (!one->used || one->near_closed) fail("a frame for a connection that is not there");
    if (kind == DATA) {
        handle_data(one, bytes, value);
    } else if (kind == WINDOW) {
        if (value > WINDOW_MAX - one->credit) fail("more is allowed than a window");
        one->credit += value;
    } else {
        if (kind == END && one->near_ended) fail("a second end");
        one->near_ended = true;
        one->near_closed = kind == CLOSE;
        pass_on(one);
        /* The near end may give the number anew right away. */
        if (one->near_closed && one->close_told) one->used = false;
    }
}

static void read_frames(void) {
    ssize_t count = read(STDIN_FILENO, in.bytes + in.end, BUFFER - in.end);
    if (count == 0 || (count < 0 && is_fatal())) exit(0);
    if (count > 0) in.end += (size_t) count;
    while (in.end - in.begin >= HEADER) {
        const unsigned char *head = in.bytes + in.begin;
        uint32_t value = (uint32_t) head[1] << 16 | (uint32_t) head[2] << 8 | head[3];
        uint32_t number =
            (uint32_t) head[4] << 24 | (uint32_t) head[5] << 16 | (uint32_t) head[6] << 8 | head[7];
        if (head[0] < OPEN || head[0] > WINDOW) fail("a frame of no kind");
        if (head[0] == DATA && value > CHUNK) fail("a frame that is too long");
        size_t length = HEADER + (head[0] == DATA ? value : 0);
        if (in.end - in.begin < length) break;
        handle(head[0], value, number, head + HEADER);
        in.begin += length;
    }
    memmove(in.bytes, in.bytes + in.begin, in.end - in.begin);
    in.end -= in.begin;
    in.begin = 0;
}

static bool has_room(void) {
    return BUFFER - out.end >= HEADER + CHUNK;
}

static void frame(enum kind kind, uint32_t value, uint32_t number) {
    unsigned char *head = out.bytes + out.end;
    head[0] = (unsigned char) kind;
    for (int i = 0; i < 3; i++) head[1 + i] = (unsigned char) (value >> (16 - 8 * i));
    for (int i = 0; i < 4; i++) head[4 + i] = (unsigned char) (number >> (24 - 8 * i));
    out.end += HEADER + (kind == DATA ? value : 0);
}

/* As much as was passed on may come again; a connection that takes its bytes gets a larger window. */
static void tell_window(struct connection *one, uint32_t number) {
    uint32_t more = one->taken;
    if (one->window < WINDOW_MAX && growth + one->window <= GROWTH_MAX) {
        growth += one->window;
        more += one->window;
        one->window *= 2;
    }
    one->taken = 0;
    one->allowed += more;
    frame(WINDOW, more, number);
}

static void tell(struct connection *one, uint32_t number) {
    if (!one->finished && !one->near_ended && one->taken >= one->window / 2) tell_window(one, number);
    if (!one->finished && one->read_all && !one->end_told && !one->near_closed) {
        one->end_told = true;
        frame(END, 0, number);
    }
    if (one->fd >= 0 && one->near_ended && one->count == 0 && (one->end_told || one->near_closed))
        finish(one);
    if (one->finished && !one->close_told) {
        one->close_told = true;
        frame(CLOSE, 0, number);
        if (one->near_closed) one->used = false;
    }
}

/* Says of each connection what is to be said. Answers false if there was no room for all. */
static bool tell_all(void) {
    for (uint32_t number = 0; number < top; number++) {
        if (!has_room()) return false;
        if (all[number].used) tell(&all[number], number);
    }
    while (top > 0 && !all[top - 1].used) top--;
    return true;
}

static void read_socket(struct connection *one, uint32_t number, bool is_closed) {
    if (one->credit == 0 || one->near_closed || !has_room()) return;
    ssize_t count = read(one->fd, out.bytes + out.end + HEADER, least(one->credit, CHUNK));
    if (count > 0) {
        one->credit -= (uint32_t) count;
        frame(DATA, (uint32_t) count, number);
    } else if (count == 0 || is_fatal()) {
        one->read_all = true;
        if (is_closed || count < 0) finish(one);
    }
}

static void handle_events(struct connection *one, uint32_t number, short events) {
    bool is_closed = events & (POLLHUP | POLLERR);
    if (one->fd < 0) return;
    if (one->count > 0 && (events & POLLOUT || is_closed)) pass_on(one);
    if (one->read_all && is_closed) {
        finish(one);
    } else if (!one->read_all && (events & POLLIN || is_closed)) {
        read_socket(one, number, is_closed);
    }
}

static void write_frames(void) {
    if (out.end == 0) return;
    ssize_t count = write(STDOUT_FILENO, out.bytes, out.end);
    if (count < 0 && is_fatal()) exit(0);
    if (count <= 0) return;
    memmove(out.bytes, out.bytes + count, out.end - (size_t) count);
    out.end -= (size_t) count;
}

static void wait_for_events(bool told_all) {
    bool dialling = false;
    waits[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    waits[1] = (struct pollfd){.fd = STDOUT_FILENO, .events = out.end > 0 ? POLLOUT : 0};
    for (uint32_t number = 0; number < top; number++) {
        struct connection *one = &all[number];
        bool reads = !one->read_all && !one->near_closed && one->credit > 0 && has_room();
        short events = (short) ((reads ? POLLIN : 0) | (one->count > 0 ? POLLOUT : 0));
        /* An end that nobody may look at would wake us again and again. */
        bool waiting = one->used && one->fd >= 0 && (events != 0 || one->read_all);
        waits[2 + number] = (struct pollfd){.fd = waiting ? one->fd : -1, .events = events};
        dialling |= one->used && one->fd < 0 && !one->finished;
    }
    int patience = !told_all && has_room() ? 0 : dialling ? DIAL_EVERY_MS : -1;
    if (poll(waits, 2 + top, patience) < 0 && errno != EINTR) fail(strerror(errno));
}

static void serve(void) {
    for (uint32_t turn = 0;; turn++) {
        bool told_all = tell_all();
        write_frames();
        wait_for_events(told_all);
        if (waits[1].revents & (POLLERR | POLLNVAL)) exit(0);
        for (uint32_t i = 0; i < top; i++) {
            uint32_t number = (turn + i) % top;
            struct connection *one = &all[number];
            handle_events(one, number, waits[2 + number].revents);
            if (one->used && one->fd < 0 && !one->finished) {
                dial(one);
                if (one->fd >= 0) pass_on(one);
            }
        }
        if (waits[0].revents) read_frames();
    }
}

int main(int count, char **words) {
    if (count != 2 || strlen(words[1]) >= sizeof address.sun_path) {
        fputs("usage: brig-join SOCKET\n", stderr);
        return 2;
    }
    strcpy(address.sun_path, words[1]);
    signal(SIGPIPE, SIG_IGN);
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    memcpy(out.bytes, HELLO, sizeof HELLO - 1);
    out.end = sizeof HELLO - 1;
    serve();
}
