/*
 * brig-shim: stands in for the shells of a wall whose commands run on another machine.
 *
 * It connects to /run/brig/shell/socket, says how it was called, and joins its standard streams to that
 * connection until the command has ended; then it ends in the same way. If it dies, the end of the connection
 * cancels the command. Its environment may be empty, so all paths are fixed.
 *
 * A message is a letter, four bytes of length (big-endian), and the content:
 *   from the shim: R request, I input, E end of the input, S signal (1 byte), W rows and columns (2 bytes
 * each) to the shim:   A the input was taken, O output, X error output, F file (path, NUL, content), C exit
 * code (1 byte), K signal (1 byte) The next I is sent after the A of the one before, so that signals never
 * wait behind input that nobody reads. A request is a list of texts, each ended by a NUL: the shell's name,
 * the folder, "tty" or "", rows, columns, the number of arguments, the arguments (the name that it was called
 * by is the first), then the environment.
 *
 * A script that does not lie in a folder of the other machine (/run/brig/shell/roots, one a line) is run by
 * the wall's own shell: it starts a program of the wall.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#define FOLDER "/run/brig/shell/"
#define LOCAL_SHELLS "/run/brig/local/"

enum {
    HEADER = 5,
    INPUT_MAX = 32 * 1024,
    /* A pipe that poll reports as writable takes so much without blocking. */
    STEP = 4096,
    MESSAGE_MAX = 64 * 1024,
    REQUEST_MAX = 256 * 1024,
    VARIABLE_MAX = 4096,
    ENVIRONMENT_MAX = 64 * 1024,
    ROOTS_MAX = 64 * 1024,
    FAILED = 255
};

static int connection = -1;
static int signals[2];
static bool raw;
/* Whether the server took the input sent last. */
static bool input_taken = true;
static struct termios saved;

/* What waits to be sent, and what was received. */
static unsigned char sending[HEADER + REQUEST_MAX];
static size_t sending_size, sent;
static unsigned char received[HEADER + MESSAGE_MAX];
static size_t received_size, written;

static void restore_terminal(void) {
    if (raw) tcsetattr(STDIN_FILENO, TCSADRAIN, &saved);
    raw = false;
}

__attribute__((noreturn)) static void fail(const char *text) {
    restore_terminal();
    dprintf(STDERR_FILENO, "brig: %s\n", text);
    _exit(FAILED);
}

__attribute__((noreturn)) static void die_by(int number) {
    restore_terminal();
    sigset_t all;
    sigfillset(&all);
    signal(number, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    raise(number);
    _exit(128 + number);
}

static void handle_signal(int number) {
    int error = errno;
    unsigned char byte = (unsigned char) number;
    ssize_t unused = write(signals[1], &byte, 1);
    (void) unused;
    errno = error;
}

static void queue(char type, const void *content, size_t size) {
    if (sending_size + HEADER + size > sizeof sending) fail("the command line is too long");
    unsigned char *at = sending + sending_size;
    at[0] = (unsigned char) type;
    for (int i = 0; i < 4; i++) at[1 + i] = (unsigned char) (size >> (24 - 8 * i));
    if (size > 0) memcpy(at + HEADER, content, size);
    sending_size += HEADER + size;
}

static void append(char *request, size_t *size, const char *text) {
    size_t length = strlen(text) + 1;
    if (*size + length > REQUEST_MAX) {
        fail("the command line is too long");
    }
    memcpy(request + *size, text, length);
    *size += length;
}

static void append_number(char *request, size_t *size, long number) {
    char text[24];
    snprintf(text, sizeof text, "%ld", number);
    append(request, size, text);
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void queue_request(const char *shell, int count, char **arguments, bool tty) {
    static char request[REQUEST_MAX];
    size_t size = 0;
    char folder[PATH_MAX];
    struct winsize window = {0};
    if (getcwd(folder, sizeof folder) == NULL) fail("the current folder is gone");
    if (tty) ioctl(STDIN_FILENO, TIOCGWINSZ, &window);
    append(request, &size, shell);
    append(request, &size, folder);
    append(request, &size, tty ? "tty" : "");
    append_number(request, &size, window.ws_row);
    append_number(request, &size, window.ws_col);
    append_number(request, &size, count);
    for (int i = 0; i < count; i++) append(request, &size, arguments[i]);
    size_t end = size + ENVIRONMENT_MAX;
    for (char **variable = environ; *variable != NULL; variable++) {
        size_t length = strlen(*variable) + 1;
        if (length > VARIABLE_MAX || size + length > end || size + length > REQUEST_MAX) continue;
        append(request, &size, *variable);
    }
    queue('R', request, size);
}

/* Whether PATH lies in a folder of the other machine. */
static bool is_remote(const char *path) {
    static char roots[ROOTS_MAX];
    int file = open(FOLDER "roots", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, roots, sizeof roots - 1);
    if (file >= 0) close(file);
    if (length < 0) return true;
    roots[length] = '\0';
    char *rest = roots;
    for (char *root; (root = strsep(&rest, "\n")) != NULL;) {
        size_t size = strlen(root);
        if (size == 0 || strncmp(path, root, size) != 0) continue;
        if (root[size - 1] == '/' || path[size] == '/' || path[size] == '\0') return true;
    }
    return false;
}

/* Becomes the wall's own shell if it was called for a script of the wall. */
static void run_local_script(const char *shell, char **arguments) {
    const char *script = arguments[1];
    char path[PATH_MAX], local[sizeof LOCAL_SHELLS + NAME_MAX];
    struct stat file;
    if (script == NULL || script[0] == '-' || script[0] == '+' || realpath(script, path) == NULL) return;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) || is_remote(path)) return;
    snprintf(local, sizeof local, LOCAL_SHELLS "%.*s", NAME_MAX, shell);
    execv(local, arguments);
}

static void connect_to_server(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = FOLDER "socket"};
    connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *) &address, sizeof address) != 0) {
        fail("the other machine is out of reach: no commands can run");
    }
    fcntl(connection, F_SETFL, O_NONBLOCK);
}

static void watch_signals(void) {
    static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};
    if (pipe2(signals, O_NONBLOCK | O_CLOEXEC) != 0) fail("no pipe can be made");
    struct sigaction action = {.sa_handler = handle_signal, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++) {
        struct sigaction old;
        sigaction(forwarded[i], NULL, &old);
        if (old.sa_handler != SIG_IGN) sigaction(forwarded[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
}

static void make_terminal_raw(void) {
    if (tcgetattr(STDIN_FILENO, &saved) != 0) return;
    struct termios plain = saved;
    cfmakeraw(&plain);
    raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &plain) == 0;
}

static void send_queued(void) {
    ssize_t count = write(connection, sending + sent, sending_size - sent);
    /* What it said before it closed is still to be read. */
    if (count < 0 && errno != EAGAIN && errno != EINTR) count = (ssize_t) (sending_size - sent);
    if (count > 0) sent += (size_t) count;
    if (sent == sending_size) sent = sending_size = 0;
}

/* Returns whether there will be more. */
static bool read_input(void) {
    char bytes[INPUT_MAX];
    ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    input_taken = count <= 0;
    if (count > 0) queue('I', bytes, (size_t) count);
    else queue('E', NULL, 0);
    return count > 0;
}

static void read_signals(void) {
    unsigned char number;
    while (read(signals[0], &number, 1) == 1) {
        struct winsize window;
        if (sending_size + 2 * HEADER > sizeof sending) continue;
        if (number != SIGWINCH) queue('S', &number, 1);
        else if (ioctl(STDIN_FILENO, TIOCGWINSZ, &window) == 0) {
            unsigned char size[4] = {(unsigned char) (window.ws_row >> 8), (unsigned char) window.ws_row,
                                     (unsigned char) (window.ws_col >> 8), (unsigned char) window.ws_col};
            queue('W', size, sizeof size);
        }
    }
}

static void write_file(const char *content, size_t size) {
    size_t length = strnlen(content, size);
    if (length == size) return;
    int file = open(content, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return;
    ssize_t unused = write(file, content + length + 1, size - length - 1);
    (void) unused;
    close(file);
}

/* The size of the message that was received whole, or 0. */
static size_t whole_message(void) {
    if (received_size < HEADER) return 0;
    size_t size = 0;
    for (int i = 1; i < HEADER; i++) size = size << 8 | received[i];
    if (size > MESSAGE_MAX) fail("the worker-agent sent what is no message");
    return received_size >= HEADER + size ? HEADER + size : 0;
}

static void read_connection(void) {
    ssize_t count = read(connection, received + received_size, sizeof received - received_size);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) fail("the connection to the other machine is lost");
    received_size += (size_t) count;
}

static void finish_message(size_t size) {
    memmove(received, received + size, received_size - size);
    received_size -= size;
    written = 0;
}

/* Handles whole messages. Returns the descriptor on which output waits, or -1. */
static int handle_messages(void) {
    for (size_t size; (size = whole_message()) > 0; finish_message(size)) {
        const unsigned char *content = received + HEADER;
        switch (received[0]) {
        case 'O': return STDOUT_FILENO;
        case 'X': return STDERR_FILENO;
        case 'A': input_taken = true; break;
        case 'F': write_file((const char *) content, size - HEADER); break;
        case 'C': restore_terminal(); _exit(size > HEADER ? content[0] : FAILED);
        case 'K': die_by(size > HEADER ? content[0] : SIGKILL);
        default: fail("the worker-agent sent what is no message");
        }
    }
    return -1;
}

static void write_output(int output) {
    size_t size = whole_message();
    size_t left = size - HEADER - written;
    ssize_t count = left == 0 ? 0 : write(output, received + HEADER + written, left < STEP ? left : STEP);
    if (count < 0 && errno != EINTR && errno != EAGAIN) die_by(SIGPIPE);
    if (count > 0) written += (size_t) count;
    if (HEADER + written == size) finish_message(size);
}

int main(int count, char **arguments) {
    if (count < 1) return FAILED;
    const char *called = (const char *) getauxval(AT_EXECFN);
    const char *shell = base_name(called != NULL ? called : arguments[0]);
    run_local_script(shell, arguments);
    bool tty = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    watch_signals();
    connect_to_server();
    queue_request(shell, count, arguments, tty);
    if (tty) make_terminal_raw();
    for (bool input = true;;) {
        int output = handle_messages();
        struct pollfd polled[] = {
            {.fd = signals[0], .events = POLLIN},
            {.fd = output < 0 || sending_size > 0 ? connection : -1,
             .events = (short) ((output < 0 ? POLLIN : 0) | (sending_size > 0 ? POLLOUT : 0))},
            {.fd = input && input_taken && sending_size == 0 ? STDIN_FILENO : -1, .events = POLLIN},
            {.fd = output, .events = POLLOUT},
        };
        if (poll(polled, sizeof polled / sizeof *polled, -1) < 0) continue;
        if (polled[0].revents != 0) read_signals();
        if (polled[1].revents & POLLOUT) send_queued();
        if (output < 0 && polled[1].revents & (POLLIN | POLLHUP | POLLERR)) read_connection();
        if (polled[2].revents != 0) input = read_input();
        if (polled[3].revents != 0) write_output(output);
    }
}
