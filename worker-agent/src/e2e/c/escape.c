/*
 * The escape suite: attempts to get out of a wall, each of which must fail behind one.
 *
 *   escape [secret=FILE] [socket=FILE] [abstract=NAME] [shm=FILE] [port=N] [udp=N]
 *          [address=IPV4] [pid=N] [init=N] [egress=yes]
 *   escape host NAME      binds an abstract socket, says "ready", and stays until its input ends
 *   escape stay WORD      leaves a process in the background, in a session of its own, with WORD in its
 * command line
 *
 * Prints "NAME escaped|held DETAIL" for each attempt. Each runs in a process of its own with a deadline. All
 * are harmless where they succeed, which is what they do without a wall: they write what is there already,
 * undo what they made, act on a mount namespace of their own, or stop where the kernel has only checked the
 * right.
 */
#define _GNU_SOURCE
#include "escape.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEADLINE_SECONDS = 3, HELD = 0, ESCAPED = 1 };

struct host host = {.init = 1};
static char detail[128];

bool tell(bool escaped, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return escaped;
}

bool done(long result) {
    return result >= 0 ? tell(true, "succeeded") : tell(false, "%s", strerrorname_np(errno));
}

bool permitted(long result) {
    int error = result < 0 ? errno : 0;
    bool refused = error == EPERM || error == EACCES || error == ENOSYS;
    return tell(!refused, "%s", error ? strerrorname_np(error) : "succeeded");
}

static void run(const struct probe *probe) {
    int words[2];
    if (pipe(words) != 0) exit(1);
    pid_t child = fork();
    if (child == 0) {
        alarm(DEADLINE_SECONDS);
        bool escaped = probe->escapes();
        if (write(words[1], detail, strlen(detail)) < 0) _exit(2);
        _exit(escaped ? ESCAPED : HELD);
    }
    close(words[1]);
    int status = 0;
    waitpid(child, &status, 0);
    char said[sizeof detail + 1] = "";
    ssize_t count = read(words[0], said, sizeof detail);
    said[count > 0 ? count : 0] = '\0';
    close(words[0]);
    if (WIFSIGNALED(status)) snprintf(said, sizeof said, "ended by signal %d", WTERMSIG(status));
    bool escaped = WIFEXITED(status) && WEXITSTATUS(status) == ESCAPED;
    printf("%s %s %s\n", probe->name, escaped ? "escaped" : "held", said);
    fflush(stdout);
}

static int be_host(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s", name);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    socklen_t length = (socklen_t) (offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    if (fd < 0 || bind(fd, (struct sockaddr *) &address, length) != 0 || listen(fd, 16) != 0) return 1;
    puts("ready");
    fflush(stdout);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    return 0;
}

static int stay(char *word) {
    pid_t between = fork();
    if (between != 0) return waitpid(between, NULL, 0) == between ? 0 : 1;
    setsid();
    if (fork() != 0) _exit(0);
    for (int fd = 0; fd < 3; fd++) close(fd);
    execlp("sleep", "sleep", word, NULL);
    _exit(1);
}

static const char *value(const char *argument, const char *name) {
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "host") == 0) return be_host(arguments[2]);
    if (count == 3 && strcmp(arguments[1], "stay") == 0) return stay(arguments[2]);
    for (int i = 1; i < count; i++) {
        const char *given;
        if ((given = value(arguments[i], "secret"))) host.secret = given;
        else if ((given = value(arguments[i], "socket"))) host.unix_socket = given;
        else if ((given = value(arguments[i], "abstract"))) host.abstract_name = given;
        else if ((given = value(arguments[i], "shm"))) host.shared_memory = given;
        else if ((given = value(arguments[i], "port"))) host.port = atoi(given);
        else if ((given = value(arguments[i], "udp"))) host.udp_port = atoi(given);
        else if ((given = value(arguments[i], "address"))) host.address = given;
        else if ((given = value(arguments[i], "egress"))) host.egress = true;
        else if ((given = value(arguments[i], "pid"))) host.pid = atoi(given);
        else if ((given = value(arguments[i], "init"))) host.init = atoi(given);
        else return 2;
    }
    for (int fd = 1023; fd > 2; fd--) {
        if (fcntl(fd, F_GETFD) >= 0) host.first_descriptor = fd;
    }
    const struct probe *const all[] = {file_probes,      process_probes, kernel_probes,
                                       namespace_probes, network_probes, egress_probes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (const struct probe *probe = all[i]; probe->name != NULL; probe++) run(probe);
    }
    return 0;
}
