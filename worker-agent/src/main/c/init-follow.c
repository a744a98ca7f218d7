/*
 * Files that the payload writes about itself, such as transcripts, passed on as they grow. A process of its
 * own reads them, inside the wall and with no more rights than the payload: whatever a path leads to, the
 * payload could read it too, and whatever a file system does, neither the terminal nor process 1 waits for
 * it.
 *
 * Only regular files are read, and only up to the size that they have, so /proc, pipes and devices give
 * nothing. A file that became shorter is followed no more. One turn reads TURN_MAX bytes, and FILE_MAX of one
 * file, so an endless file starves no other, and what is written is paced.
 *
 * An order: 2 bytes number (big endian), 1 byte flags, the path. A report, on the payload's third pipe: 1
 * byte kind, 2 bytes number, 2 bytes length (big endian), data. 'd': the next bytes of the file. 'e': it is
 * followed no more. 'q': nothing was written for a turn.
 */
#define _GNU_SOURCE
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FILES_MAX = 512,
    TURN_MAX = 256 * 1024,
    FILE_MAX = 64 * 1024,
    LAST_MAX = 4 * 1024 * 1024,
    PIECE = 32 * 1024,
    REPORT = 5,
    BUSY_MS = 100,
    IDLE_MS = 250,
    END_MS = 1000
};

struct followed {
    unsigned number;
    int fd;
    unsigned char flags;
    bool over;
    off_t at;
    char *path;
};

static int orders = -1;
static pid_t follower = -1;
static struct followed files[FILES_MAX];
static size_t file_count, first_of_turn;

static void report(char kind, unsigned number, unsigned char *record, size_t length) {
    record[0] = (unsigned char) kind;
    record[1] = (unsigned char) (number >> 8);
    record[2] = (unsigned char) number;
    record[3] = (unsigned char) (length >> 8);
    record[4] = (unsigned char) length;
    for (size_t at = 0; at < REPORT + length;) {
        ssize_t count = write(PAYLOAD_STDIN + 2, record + at, REPORT + length - at);
        if (count < 0 && errno != EINTR) _exit(0);
        if (count > 0) at += (size_t) count;
    }
}

static void give_up(struct followed *file) {
    unsigned char record[REPORT];
    file->over = true;
    if (file->fd >= 0) close(file->fd);
    file->fd = -1;
    report('e', file->number, record, 0);
}

/* A file that is not there yet is tried again. */
static void open_file(struct followed *file) {
    struct stat now;
    file->fd = open(file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file->fd < 0) {
        if (errno != ENOENT && errno != EAGAIN && errno != EINTR) give_up(file);
        return;
    }
    if (fstat(file->fd, &now) != 0 || !S_ISREG(now.st_mode)) give_up(file);
    else if (file->flags & FOLLOW_END) file->at = now.st_size;
}

/* Returns how much was read. */
static size_t read_file(struct followed *file, size_t most) {
    static unsigned char record[REPORT + PIECE];
    struct stat now;
    size_t all = 0;
    if (file->fd < 0) open_file(file);
    if (file->fd < 0) return 0;
    if (fstat(file->fd, &now) != 0 || now.st_size < file->at) {
        give_up(file);
        return 0;
    }
    while (all < most && file->at < now.st_size) {
        size_t wanted = most - all < PIECE ? most - all : PIECE;
        if (now.st_size - file->at < (off_t) wanted) wanted = (size_t) (now.st_size - file->at);
        ssize_t count = pread(file->fd, record + REPORT, wanted, file->at);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) give_up(file);
        if (count <= 0) return all;
        report('d', file->number, record, (size_t) count);
        file->at += count;
        all += (size_t) count;
    }
    return all;
}

static size_t take_turn(void) {
    size_t all = 0;
    for (size_t i = 0; i < file_count && all < TURN_MAX; i++) {
        struct followed *file = &files[(first_of_turn + i) % file_count];
        size_t most = TURN_MAX - all < FILE_MAX ? TURN_MAX - all : FILE_MAX;
        if (!file->over) all += read_file(file, most);
    }
    if (file_count > 0) first_of_turn = (first_of_turn + 1) % file_count;
    return all;
}

static void take_order(const unsigned char *order, size_t length) {
    struct followed *file = &files[file_count];
    if (file_count == FILES_MAX || length <= FOLLOW_HEAD || order[FOLLOW_HEAD] != '/') return;
    file->path = strndup((const char *) order + FOLLOW_HEAD, length - FOLLOW_HEAD);
    if (file->path == NULL) return;
    file->number = (unsigned) order[0] << 8 | order[1];
    file->flags = order[2];
    file->fd = -1;
    file_count++;
}

/* Returns false when there will be no more. */
static bool take_orders(int from) {
    unsigned char order[FOLLOW_MAX];
    for (;;) {
        ssize_t count = read(from, order, sizeof order);
        if (count == 0) return false;
        if (count < 0 && errno != EINTR) return errno == EAGAIN;
        if (count > 0) take_order(order, (size_t) count);
    }
}

/* In a process of its own, which keeps nothing of process 1 but the payload's third pipe. */
__attribute__((noreturn)) static void serve(int from) {
    unsigned char record[REPORT];
    size_t before = 0, last = 0;
    setsid();
    /* A place below all others, so that one call closes the rest. */
    if (dup2(from, PAYLOAD_STDIN) < 0 || fcntl(PAYLOAD_STDIN, F_SETFL, O_NONBLOCK) != 0) _exit(1);
    close(PAYLOAD_STDIN + 1);
    syscall(SYS_close_range, STATUS, ~0U, 0);
    while (take_orders(PAYLOAD_STDIN)) {
        size_t now = take_turn();
        if (now == 0 && before > 0) report('q', 0, record, 0);
        before = now;
        struct pollfd more = {.fd = PAYLOAD_STDIN, .events = POLLIN};
        poll(&more, 1, now > 0 ? BUSY_MS : IDLE_MS);
    }
    for (size_t now = take_turn(); now > 0 && last < LAST_MAX; now = take_turn()) last += now;
    _exit(0);
}

/* Each order is a packet of the pipe. */
static void start(void) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_DIRECT) != 0) return;
    follower = fork();
    if (follower == 0) serve(ends[0]);
    close(ends[0]);
    if (follower < 0) {
        close(ends[1]);
        return;
    }
    fcntl(ends[1], F_SETFL, O_WRONLY | O_NONBLOCK | O_DIRECT);
    orders = ends[1];
}

void follow(const unsigned char *order, size_t length) {
    if (orders < 0) start();
    /* One that finds no room is not followed. */
    if (orders >= 0 && write(orders, order, length) < 0) return;
}

void end_following(void) {
    if (orders < 0) return;
    close(orders);
    orders = -1;
    for (int waited = 0; waited < END_MS && waitpid(follower, NULL, WNOHANG) == 0; waited += 5)
        poll(NULL, 0, 5);
}
