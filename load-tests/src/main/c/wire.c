#define _GNU_SOURCE
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_PER_TURN = 512, BACKLOG = 4096 };

static int epoll_fd = -1;

void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

void *allocate(size_t count, size_t bytes) {
    void *memory = calloc(count, bytes);
    if (memory == NULL) die("out of memory");
    return memory;
}

uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * NS_PER_S + (uint64_t) now.tv_nsec;
}

void loop_init(void) {
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    signal(SIGPIPE, SIG_IGN);
    /* Due times have microsecond precision; by default the kernel may delay a wake-up by 50. */
    prctl(PR_SET_TIMERSLACK, 1UL);
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_fd < 0) die("epoll: %s", strerror(errno));
}

bool loop_add(struct source *source, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = source};
    return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, source->fd, &event) == 0 ||
           (errno == EEXIST && epoll_ctl(epoll_fd, EPOLL_CTL_MOD, source->fd, &event) == 0);
}

void loop_remove(struct source *source) {
    epoll_ctl(epoll_fd, EPOLL_CTL_DEL, source->fd, NULL);
}

void loop_turn(uint64_t wait_ns) {
    static struct epoll_event events[EVENTS_PER_TURN];
    struct timespec wait = {.tv_sec = (time_t) (wait_ns / NS_PER_S), .tv_nsec = (long) (wait_ns % NS_PER_S)};
    int ready = epoll_pwait2(epoll_fd, events, EVENTS_PER_TURN, &wait, NULL);
    for (int i = 0; i < ready; i++) {
        struct source *source = events[i].data.ptr;
        if (source->fd >= 0) source->handle(source, events[i].events);
    }
}

/* An IPv4 or Unix socket address. */
struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in tcp;
        struct sockaddr_un unix_domain;
    };
    socklen_t length;
};

static struct address parse(const char *text) {
    struct address address;
    memset(&address, 0, sizeof address);
    if (strncmp(text, "unix:", 5) == 0) {
        if (strlen(text + 5) >= sizeof address.unix_domain.sun_path) die("%s: the path is too long", text);
        address.unix_domain.sun_family = AF_UNIX;
        strcpy(address.unix_domain.sun_path, text + 5);
        address.length = sizeof address.unix_domain;
        return address;
    }
    char host[ADDRESS_CHARS_MAX];
    const char *colon = strrchr(text, ':');
    if (colon == NULL || (size_t) (colon - text) >= sizeof host)
        die("%s: neither host:port nor unix:PATH", text);
    memcpy(host, text, (size_t) (colon - text));
    host[colon - text] = 0;
    address.tcp.sin_family = AF_INET;
    address.tcp.sin_port = htons((uint16_t) atoi(colon + 1));
    if (inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &address.tcp.sin_addr) != 1) {
        die("%s: the host must be an IPv4 number", text);
    }
    address.length = sizeof address.tcp;
    return address;
}

static void without_delay(int fd) {
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int wire_connect(const char *text) {
    struct address address = parse(text);
    int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /* The connect may block: peers are on this host, where the kernel accepts at once. */
    if (fd < 0 || connect(fd, &address.any, address.length) != 0) {
        if (fd >= 0) close(fd);
        return -1;
    }
    if (address.any.sa_family == AF_INET) without_delay(fd);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

int wire_listen(const char *text, char actual[ADDRESS_CHARS_MAX]) {
    struct address address = parse(text);
    int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address.any.sa_family == AF_UNIX) unlink(address.unix_domain.sun_path);
    if (bind(fd, &address.any, address.length) != 0 || listen(fd, BACKLOG) != 0) {
        die("%s: %s", text, strerror(errno));
    }
    snprintf(actual, ADDRESS_CHARS_MAX, "%s", text);
    if (address.any.sa_family == AF_INET) {
        char host[INET_ADDRSTRLEN];
        getsockname(fd, &address.any, &address.length);
        inet_ntop(AF_INET, &address.tcp.sin_addr, host, sizeof host);
        snprintf(actual, ADDRESS_CHARS_MAX, "%s:%d", host, ntohs(address.tcp.sin_port));
    }
    return fd;
}

int wire_accept(int listener) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) without_delay(fd);
    return fd;
}
