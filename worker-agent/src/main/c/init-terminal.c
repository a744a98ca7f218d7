/*
 * The payload's terminal. Process 1 opens one of the wall's own and copies between it and the pipes, so no
 * terminal of the host is ever inside.
 *
 * Process 1 itself is the leader of the terminal's session. The end of a leader hangs its terminal up, and
 * the kernel then throws away what was written and not yet read; so the payload is not the leader. Process 1
 * also keeps the terminal open: whatever the payload closes, the other end never reports an end.
 *
 * Standard input is framed, so that a size stays in its place among the keys: 1 byte kind, 2 bytes length
 * (big endian), data. 'k': keys. 's': columns and rows, 2 bytes each (big endian). 'f': an order of
 * init-follow.c.
 *
 * At most one buffer waits in each direction: a pipe or a terminal that takes nothing pauses its source.
 */
#define _GNU_SOURCE
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* More than the kernel keeps of a terminal's output, 64 KiB and a page. */
enum { HEADER = 3, SIZE = 4, INPUT_MAX = 4096, OUTPUT_MAX = 65536, LEFT_MAX = 1024 * 1024 };

static int master = -1;
static int slave = -1;
static pid_t payload;

static unsigned char input[INPUT_MAX];
static size_t input_at, input_length;
static bool input_open = true;
static unsigned char header[HEADER], size[SIZE], order[FOLLOW_MAX];
static size_t header_length, left_of_record;

static unsigned char output[OUTPUT_MAX];
static size_t output_at, output_length;
static bool output_open = true;

bool parse_size(const char *text, struct winsize *into) {
    int end = 0;
    if (sscanf(text, "%4hux%4hu%n", &into->ws_col, &into->ws_row, &end) != 2 || text[end] != '\0')
        return false;
    return into->ws_col > 0 && into->ws_row > 0;
}

bool open_terminal(const struct winsize *first) {
    int locked = 0;
    struct termios settings;
    if (getsid(0) != getpid() && setsid() < 0) return false;
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (master < 0 || ioctl(master, TIOCSPTLCK, &locked) != 0) return false;
    slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || tcgetattr(slave, &settings) != 0) return false;
    settings.c_iflag |= IUTF8;
    return tcsetattr(slave, TCSANOW, &settings) == 0 && ioctl(slave, TIOCSWINSZ, first) == 0 &&
           ioctl(slave, TIOCSCTTY, 0) == 0;
}

bool take_terminal(void) {
    signal(SIGTTOU, SIG_IGN);
    if (setpgid(0, 0) != 0 || tcsetpgrp(slave, getpid()) != 0) return false;
    for (int i = 0; i < 3; i++) {
        if (dup2(slave, i) < 0) return false;
    }
    return true;
}

/* As the end of a connection: the payload and what runs in the foreground are told. */
static void hang_up(void) {
    pid_t foreground = tcgetpgrp(master);
    kill(payload, SIGHUP);
    kill(payload, SIGCONT);
    if (foreground > 1 && foreground != payload) {
        kill(-foreground, SIGHUP);
        kill(-foreground, SIGCONT);
    }
}

static void end_input(void) {
    if (!input_open) return;
    input_open = false;
    input_at = input_length = 0;
    close(PAYLOAD_STDIN);
    hang_up();
}

static void end_output(void) {
    if (!output_open) return;
    output_open = false;
    close(PAYLOAD_STDIN + 1);
    hang_up();
}

static bool begin_record(unsigned char next) {
    header[header_length++] = next;
    if (header_length < HEADER) return true;
    left_of_record = (size_t) header[1] << 8 | header[2];
    if (left_of_record == 0) header_length = 0;
    return header[0] == 'k' || (header[0] == 's' && left_of_record == SIZE) ||
           (header[0] == 'f' && left_of_record <= FOLLOW_MAX);
}

static void take_order(unsigned char next) {
    size_t length = (size_t) header[1] << 8 | header[2];
    order[length - left_of_record--] = next;
    if (left_of_record == 0) follow(order, length);
}

static void take_size(unsigned char next) {
    size[SIZE - left_of_record--] = next;
    if (left_of_record > 0) return;
    struct winsize now = {
        .ws_col = (unsigned short) (size[0] << 8 | size[1]),
        .ws_row = (unsigned short) (size[2] << 8 | size[3]),
    };
    if (now.ws_col > 0 && now.ws_row > 0) ioctl(master, TIOCSWINSZ, &now);
}

/* Hands on what was read, until the terminal takes no more. */
static void hand_input_on(void) {
    while (input_at < input_length) {
        if (header_length < HEADER) {
            if (!begin_record(input[input_at++])) end_input();
            continue;
        }
        if (header[0] == 's') {
            take_size(input[input_at++]);
        } else if (header[0] == 'f') {
            take_order(input[input_at++]);
        } else {
            size_t most = input_length - input_at < left_of_record ? input_length - input_at : left_of_record;
            ssize_t count = write(master, input + input_at, most);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) {
                if (count < 0 && errno != EAGAIN) end_input();
                return;
            }
            input_at += (size_t) count;
            left_of_record -= (size_t) count;
        }
        if (left_of_record == 0) header_length = 0;
    }
}

static void read_input(void) {
    ssize_t count = read(PAYLOAD_STDIN, input, sizeof input);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count <= 0) {
        end_input();
        return;
    }
    input_at = 0;
    input_length = (size_t) count;
    hand_input_on();
}

/* Fills the empty buffer with what the terminal has. */
static void read_output(void) {
    output_at = output_length = 0;
    while (output_length < sizeof output) {
        ssize_t count = read(master, output + output_length, sizeof output - output_length);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        output_length += (size_t) count;
    }
}

static void write_output(void) {
    while (output_open && output_at < output_length) {
        ssize_t count = write(PAYLOAD_STDIN + 1, output + output_at, output_length - output_at);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return;
        if (count < 0) end_output();
        else output_at += (size_t) count;
    }
    if (!output_open) output_at = output_length;
}

/* Returns true when the payload has ended. Nobody could continue one that stops itself, so it goes on. */
static bool reap(int *status) {
    bool over = false;
    int now;
    pid_t changed;
    while ((changed = waitpid(-1, &now, WNOHANG | WUNTRACED)) > 0) {
        if (changed != payload) continue;
        if (WIFSTOPPED(now)) {
            kill(payload, SIGCONT);
        } else {
            *status = now;
            over = true;
        }
    }
    return over;
}

static bool handle_signals(int signals, int *status) {
    struct signalfd_siginfo next;
    bool over = false;
    while (read(signals, &next, sizeof next) == sizeof next) {
        if (next.ssi_signo == SIGCHLD) {
            over |= reap(status);
        } else {
            kill(payload, (int) next.ssi_signo);
            if (next.ssi_signo == SIGTERM) hang_up();
        }
    }
    return over;
}

/* The payload has ended. What it and its children wrote still goes out; they can write no more. */
static void drain(void) {
    kill(-1, SIGKILL);
    for (size_t left = 0; output_open && left < LEFT_MAX; left += output_length) {
        while (output_open && output_at < output_length) {
            struct pollfd room = {.fd = PAYLOAD_STDIN + 1, .events = POLLOUT};
            if (poll(&room, 1, -1) > 0) write_output();
        }
        read_output();
        if (output_length == 0) return;
    }
}

static void never_block(int fd) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

int serve_terminal(pid_t of, const sigset_t *wanted) {
    int status = 0;
    payload = of;
    signal(SIGPIPE, SIG_IGN);
    never_block(PAYLOAD_STDIN);
    never_block(PAYLOAD_STDIN + 1);
    int signals = signalfd(-1, wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    for (;;) {
        bool keys_wait = input_at < input_length, text_waits = output_at < output_length;
        struct pollfd ends[] = {
            {.fd = signals, .events = POLLIN},
            {.fd = input_open && !keys_wait ? PAYLOAD_STDIN : -1, .events = POLLIN},
            {.fd = output_open ? PAYLOAD_STDIN + 1 : -1, .events = text_waits ? POLLOUT : 0},
            {.fd = master, .events = (short) ((text_waits ? 0 : POLLIN) | (keys_wait ? POLLOUT : 0))},
        };
        if (poll(ends, sizeof ends / sizeof *ends, -1) < 0) continue;
        if (ends[0].revents && handle_signals(signals, &status)) break;
        if (ends[1].revents) read_input();
        if (ends[2].revents & POLLERR) end_output();
        if (ends[3].revents & POLLOUT) hand_input_on();
        if (ends[3].revents & POLLIN) read_output();
        write_output();
    }
    end_following();
    drain();
    return status;
}
