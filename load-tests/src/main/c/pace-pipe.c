/* Agents' pipes, copied to sockets: what lines cost at least. */
#define _GNU_SOURCE
#include "pace.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { COPY_BYTES = 65536, REQUEST_BYTES = 512 };

struct agent {
    struct source source;
    int readers;
    int *sockets;
};

static struct agent *agents;
static int agent_count, readers_each;
static char **agent_command;

static void write_all(int fd, const char *at, size_t left) {
    while (left > 0) {
        ssize_t count = write(fd, at, left);
        if (count < 0 && errno != EINTR) return; /* It has gone. */
        if (count > 0) {
            at += count;
            left -= (size_t) count;
        }
    }
}

static void handle_lines(struct source *source, uint32_t events) {
    (void) events;
    static char bytes[COPY_BYTES];
    struct agent *agent = (struct agent *) source;
    ssize_t count = read(source->fd, bytes, sizeof bytes);
    if (count <= 0) {
        loop_remove(source);
        close(source->fd);
        for (int i = 0; i < agent->readers; i++) close(agent->sockets[i]);
        return;
    }
    for (int i = 0; i < agent->readers; i++) write_all(agent->sockets[i], bytes, (size_t) count);
}

static void start(struct agent *agent) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) die("no pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (pid < 0) die("no process: %s", strerror(errno));
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execvp(agent_command[0], agent_command);
        _exit(127);
    }
    close(ends[1]);
    agent->source = (struct source){.fd = ends[0], .handle = handle_lines};
    loop_add(&agent->source, EPOLLIN);
}

/* Takes the request of a reader, which fits one segment. */
static void handle_request(struct source *source, uint32_t events) {
    (void) events;
    char request[REQUEST_BYTES];
    int number;
    ssize_t count = read(source->fd, request, sizeof request - 1);
    request[count > 0 ? count : 0] = 0;
    loop_remove(source);
    if (sscanf(request, "GET /api/v1/sessions/%d/", &number) != 1 || number < 0 || number >= agent_count ||
        agents[number].readers == readers_each) {
        close(source->fd);
        return;
    }
    struct agent *agent = &agents[number];
    fcntl(source->fd, F_SETFL, fcntl(source->fd, F_GETFL) & ~O_NONBLOCK);
    agent->sockets[agent->readers++] = source->fd;
    if (agent->readers == readers_each) start(agent);
}

static void handle_connection(struct source *source, uint32_t events) {
    (void) events;
    int fd = wire_accept(source->fd);
    if (fd < 0) return;
    struct source *reader = allocate(1, sizeof *reader);
    *reader = (struct source){.fd = fd, .handle = handle_request};
    loop_add(reader, EPOLLIN);
}

int pipe_streams(const char *path, int streams, int readers, char **command) {
    char address[ADDRESS_CHARS_MAX], actual[ADDRESS_CHARS_MAX];
    agent_count = streams;
    readers_each = readers;
    agent_command = command;
    agents = allocate((size_t) streams, sizeof *agents);
    for (int i = 0; i < streams; i++) agents[i].sockets = allocate((size_t) readers, sizeof(int));
    snprintf(address, sizeof address, "unix:%s", path);
    loop_init();
    struct source listener = {.fd = wire_listen(address, actual), .handle = handle_connection};
    loop_add(&listener, EPOLLIN);
    puts("{\"event\":\"listening\"}");
    fflush(stdout);
    while (true) loop_turn(NS_PER_S);
}
