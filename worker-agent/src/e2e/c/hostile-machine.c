/*
 * hostile-machine: talks to Brig's end of the link of a virtual machine (vm-link.h) as a machine would that
 * an agent has broken into.
 *
 *   hostile-machine FIRST_SEED COUNT
 *
 * Each seed is one conversation: frames that are allowed, frames that are nearly allowed, and bytes. Brig's
 * end runs in a process of its own, built to stop at each fault of memory and each undefined operation. It is
 * to give the link up, with a reason, or to go on until the link is closed. Prints how often each reason was
 * given. Exit code 1: an end did anything else, and its seed is named.
 */
#define _GNU_SOURCE
#include "../../main/c/vm-link.h"
#include "../../main/c/vm-ports.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GIVEN_UP = 7, REASONS_MAX = 32, REASON_MAX = 128, FRAMES_MAX = 400, TYPES = 10, SECONDS_MAX = 20 };

struct frame {
    uint8_t type, zero;
    uint16_t stream;
    uint32_t length;
    char body[FRAME_MAX + 8];
};

static int reasons_out = -1;
static unsigned long long state;

static unsigned next_random(unsigned below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned) (state >> 33) % below;
}

/* --- Brig's end --- */

void link_lost(const char *why) {
    if (write(reasons_out, why, strlen(why)) < 0) _exit(1);
    _exit(GIVEN_UP);
}

void handle_note(const char *text) {
    if (!ports_note(text) && strlen(text) >= NOTE_MAX) abort();
}

void handle_datagram(in_port_t asker, const struct sockaddr_in *server, const char *bytes, size_t length) {
    ports_ask(asker, server, bytes, length);
}

void handle_read(void) {}

void handle_end(unsigned stream) {
    if (stream >= FIRST_OPENED) abort();
}

/* An output that takes everything at once, nothing at all, or is closed. */
static int output(void) {
    int both[2];
    unsigned kind = next_random(3);
    if (kind == 0) return open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (pipe2(both, O_CLOEXEC) != 0) abort();
    if (kind == 1) close(both[0]);
    return both[1];
}

static int input(void) {
    return open(next_random(2) == 0 ? "/dev/zero" : "/dev/null", O_RDONLY | O_CLOEXEC);
}

__attribute__((noreturn)) static void be_host(int link) {
    static struct pollfd polled[LINK_POLLED_MAX + PORTS_POLLED_MAX];
    signal(SIGPIPE, SIG_IGN);
    alarm(SECONDS_MAX);
    link_start(link, false);
    link_stream(STREAM_STDIN, input(), -1);
    link_stream(STREAM_STDOUT, -1, output());
    link_stream(STREAM_STDERR, -1, output());
    link_stream(STREAM_STATUS, -1, output());
    link_stream(STREAM_ORDER, input(), -1);
    for (;;) {
        size_t count = ports_prepare(polled, link_prepare(polled, 0));
        if (poll(polled, count, 50) < 0 && errno != EINTR) abort();
        ports_handle();
        link_handle();
        if (link_is_idle() && count == 0) abort();
    }
}

/* --- the machine --- */

static unsigned any_stream(void) {
    static const unsigned usual[] = {NOTES,         STREAM_STDIN,  STREAM_STDOUT,
                                     STREAM_STDERR, STREAM_STATUS, STREAM_ORDER};
    switch (next_random(4)) {
    case 0: return usual[next_random(6)];
    case 1: return FIRST_OPENED + next_random(16);
    case 2: return STREAMS_MAX - 2 + next_random(4);
    default: return STREAM_STDOUT;
    }
}

static uint32_t any_length(void) {
    static const uint32_t edges[] = {0, 1, 4, 6, 7, 8, NOTE_MAX - 1, NOTE_MAX, FRAME_MAX - 1, FRAME_MAX};
    return next_random(12) == 0 ? next_random(DATAGRAM_MAX + 64) : edges[next_random(10)];
}

static void fill(struct frame *frame) {
    static const char *notes[] = {"tcp 0100007F 1F90",
                                  "no tcp 0100007F 1F90",
                                  "udp 00000000 0035",
                                  "tcp FFFFFFFFF 1",
                                  "no ",
                                  "%n%n%s",
                                  "ended"};
    for (uint32_t i = 0; i < frame->length; i++) frame->body[i] = (char) next_random(256);
    if (frame->type == 6 && next_random(4) != 0) {
        frame->stream = NOTES;
        frame->length = (uint32_t) snprintf(frame->body, NOTE_MAX, "%s", notes[next_random(7)]);
    }
    if ((frame->type == 5 && frame->length == 6) || frame->type == 7) {
        uint32_t local = htonl(INADDR_LOOPBACK);
        memcpy(frame->body + (frame->type == 7 ? 2 : 0), &local, sizeof local);
    }
    if (frame->type == 2 && frame->length == 4 && next_random(2) == 0) {
        uint32_t little = next_random(100);
        memcpy(frame->body, &little, sizeof little);
    }
}

/* Bytes that come back are thrown away. Returns false when the other end is gone. */
static bool send_all(int link, const void *bytes, size_t length) {
    static char back[65536];
    for (size_t done = 0; done < length;) {
        struct pollfd ready = {.fd = link, .events = POLLIN | POLLOUT};
        if (poll(&ready, 1, -1) < 0) return false;
        if (ready.revents & POLLIN && read(link, back, sizeof back) <= 0) return false;
        if (ready.revents & POLLOUT) {
            ssize_t count = write(link, (const char *) bytes + done, length - done);
            if (count < 0 && errno != EAGAIN) return false;
            if (count > 0) done += (size_t) count;
        }
        if (ready.revents & (POLLERR | POLLHUP)) return false;
    }
    return true;
}

static void be_machine(int link) {
    static struct frame frame;
    unsigned frames = 1 + next_random(FRAMES_MAX);
    /* Some machines keep to the rules for long: others find no way to the states behind them. */
    bool careful = next_random(2) == 0;
    fcntl(link, F_SETFL, O_NONBLOCK);
    for (unsigned i = 0; i < frames; i++) {
        frame.type = (uint8_t) next_random(careful ? 8 : TYPES);
        frame.stream = (uint16_t) any_stream();
        frame.length = any_length();
        if (careful) {
            if (frame.type == 5)
                frame.stream = (uint16_t) (FIRST_OPENED + 2 * next_random(200)), frame.length = 6;
            else if (frame.type == 0) frame.stream = STREAM_STDOUT, frame.length = next_random(200);
            else if (frame.type == 2) frame.type = 6;
            else if (frame.type < 6) frame.stream = (uint16_t) (STREAM_STDIN + next_random(5));
        }
        fill(&frame);
        size_t length = 8 + frame.length;
        if (!careful && next_random(60) == 0) frame.length = next_random(2) == 0 ? FRAME_MAX + 1 : 0xffffffff;
        if (!careful && next_random(60) == 0) length = next_random((unsigned) length);
        if (!send_all(link, &frame, length)) return;
    }
}

/* --- both --- */

static struct {
    char text[REASON_MAX];
    unsigned long count;
} reasons[REASONS_MAX];

static void count(const char *reason) {
    size_t i = 0;
    while (i < REASONS_MAX - 1 && reasons[i].count > 0 && strcmp(reasons[i].text, reason) != 0) i++;
    snprintf(reasons[i].text, REASON_MAX, "%s", reason);
    reasons[i].count++;
}

static bool talk(unsigned long long seed) {
    int link[2], told[2], status;
    char reason[REASON_MAX] = "";
    state = seed * 0x9e3779b97f4a7c15ULL + 1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, link) != 0 || pipe2(told, O_CLOEXEC) != 0) abort();
    pid_t host = fork();
    if (host < 0) abort();
    if (host == 0) {
        close(link[1]);
        reasons_out = told[1];
        be_host(link[0]);
    }
    close(link[0]);
    close(told[1]);
    be_machine(link[1]);
    close(link[1]);
    if (waitpid(host, &status, 0) != host) abort();
    ssize_t length = read(told[0], reason, sizeof reason - 1);
    close(told[0]);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != GIVEN_UP || length <= 0) {
        fprintf(stderr, "seed %llu: Brig's end ended with status %x\n", seed, (unsigned) status);
        return false;
    }
    count(reason);
    return true;
}

int main(int argument_count, char **arguments) {
    if (argument_count != 3) return 2;
    unsigned long long first = strtoull(arguments[1], NULL, 10), seeds = strtoull(arguments[2], NULL, 10);
    signal(SIGPIPE, SIG_IGN);
    /* A network of its own: what the machine asks to connect to is nobody's. */
    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
        fprintf(stderr, "no network of its own: %s\n", strerror(errno));
        return 2;
    }
    bool well = true;
    for (unsigned long long seed = first; seed < first + seeds; seed++) well &= talk(seed);
    for (size_t i = 0; i < REASONS_MAX && reasons[i].count > 0; i++)
        printf("%lu %s\n", reasons[i].count, reasons[i].text);
    return well ? 0 : 1;
}
