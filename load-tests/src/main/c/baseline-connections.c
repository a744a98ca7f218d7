#define _GNU_SOURCE
#include "baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct publisher {
    struct source source;
    struct stream *stream;
    char *rest;
    size_t rest_bytes;
};

static struct subscriber *dead;
static char buffer[LINE_BYTES_MAX + RECEIVE_BYTES];

/* ---- subscribers ---- */

static void watch(struct subscriber *subscriber, bool waiting) {
    subscriber->waiting = waiting;
    loop_add(&subscriber->source, waiting ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void subscriber_write(struct subscriber *subscriber) {
    struct log *log = &subscriber->stream->logs[subscriber->form];
    size_t from = (size_t) (subscriber->position - log->first);
    if (from == log->length) {
        if (subscriber->waiting) watch(subscriber, false);
        return;
    }
    ssize_t written = send(subscriber->source.fd, log->bytes + from, log->length - from, MSG_NOSIGNAL);
    if (written < 0 && errno != EAGAIN) {
        subscriber_close(subscriber);
        return;
    }
    subscriber->position += written > 0 ? (uint64_t) written : 0;
    bool waiting = subscriber->position < log->first + log->length;
    if (waiting != subscriber->waiting) watch(subscriber, waiting);
}

void subscriber_close(struct subscriber *subscriber) {
    close(subscriber->source.fd);
    subscriber->source.fd = -1;
    subscriber->next_dead = dead;
    dead = subscriber;
    if (subscriber->stream == NULL) return;
    struct log *log = &subscriber->stream->logs[subscriber->form];
    for (int i = 0; i < log->subscriber_count; i++) {
        if (log->subscribers[i] == subscriber)
            log->subscribers[i] = log->subscribers[--log->subscriber_count];
    }
}

void subscribers_turn_end(void) {
    while (dead != NULL) {
        struct subscriber *next = dead->next_dead;
        free(dead);
        dead = next;
    }
}

/* The position of frame number: its retained place, else the end. */
static uint64_t position_of(const struct log *log, enum form form, unsigned long long number) {
    char wanted[40];
    int length =
        snprintf(wanted, sizeof wanted, form == FORM_EVENTS ? "id: %llu\n" : "\"seq\":%llu,", number);
    const char *found = log->length == 0 ? NULL : memmem(log->bytes, log->length, wanted, (size_t) length);
    if (found == NULL) return log->first + log->length;
    if (form != FORM_EVENTS) {
        const char *least = log->bytes + (form == FORM_MESSAGES ? 2 : 0);
        while (found > least && *found != '{') found--;
        /* A short message has a 2-byte header; a longer one has 4 bytes, the second of which is 126. */
        if (form == FORM_MESSAGES) found -= (unsigned char) found[-2] == 0x81 ? 2 : 4;
    }
    return log->first + (uint64_t) (found - log->bytes);
}

static void subscribe(struct subscriber *subscriber, int index, enum form form, unsigned long long next,
                      const char *answer) {
    struct stream *stream = stream_of(index);
    size_t length = strlen(answer);
    if (stream == NULL || send(subscriber->source.fd, answer, length, MSG_NOSIGNAL) != (ssize_t) length) {
        subscriber_close(subscriber);
        return;
    }
    struct log *log = &stream->logs[form];
    if (log->subscriber_count == log->subscriber_capacity) {
        log->subscriber_capacity = 2 * log->subscriber_capacity + 4;
        log->subscribers =
            realloc(log->subscribers, (size_t) log->subscriber_capacity * sizeof *log->subscribers);
        if (log->subscribers == NULL) die("out of memory");
    }
    log->subscribers[log->subscriber_count++] = subscriber;
    subscriber->stream = stream;
    subscriber->form = form;
    subscriber->position = position_of(log, form, next);
    subscriber_write(subscriber);
}

static void handle_request(struct subscriber *subscriber) {
    char *request = subscriber->request, *header;
    int index;
    unsigned long long next = 1;
    request[subscriber->request_bytes] = 0;
    if (strncmp(request, "stream ", 7) == 0 && strchr(request, '\n') != NULL) {
        char echo[64];
        if (sscanf(request, "stream %d %llu", &index, &next) < 1) index = -1;
        snprintf(echo, sizeof echo, "stream %d\n", index);
        subscribe(subscriber, index, FORM_LINES, next, echo);
    } else if (strstr(request, "\r\n\r\n") == NULL) {
        if (subscriber->request_bytes == sizeof subscriber->request - 1) subscriber_close(subscriber);
    } else if (sscanf(request, "GET /sse/%d", &index) == 1) {
        if ((header = strcasestr(request, "\r\nLast-Event-ID: ")) != NULL)
            next = strtoull(header + 17, NULL, 10) + 1;
        subscribe(subscriber, index, FORM_EVENTS, next,
                  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: "
                  "no-cache\r\nConnection: close\r\n\r\n");
    } else if (sscanf(request, "GET /ws/%d?from=%llu", &index, &next) >= 1) {
        /* The accept value for the key in RFC 6455's example, which brig-load always sends. */
        subscribe(subscriber, index, FORM_MESSAGES, next,
                  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
    } else {
        subscriber_close(subscriber);
    }
}

static void handle_subscriber(struct source *source, uint32_t ready) {
    struct subscriber *subscriber = (struct subscriber *) source;
    if ((ready & ~(uint32_t) EPOLLOUT) != 0) {
        bool streaming = subscriber->stream != NULL;
        /* Later input of a subscriber is ignored, except its end. */
        ssize_t count = streaming ? recv(source->fd, buffer, sizeof buffer, 0)
                                  : recv(source->fd, subscriber->request + subscriber->request_bytes,
                                         sizeof subscriber->request - 1 - subscriber->request_bytes, 0);
        if (count == 0 || (count < 0 && errno != EAGAIN)) {
            subscriber_close(subscriber);
            return;
        }
        if (!streaming && count > 0) {
            subscriber->request_bytes += (size_t) count;
            handle_request(subscriber);
            return;
        }
    }
    if (subscriber->stream != NULL) subscriber_write(subscriber);
}

static void accept_subscribers(struct source *source, uint32_t ready) {
    (void) ready;
    for (int fd; (fd = wire_accept(source->fd)) >= 0;) {
        struct subscriber *subscriber = allocate(1, sizeof *subscriber);
        subscriber->source = (struct source){fd, handle_subscriber};
        loop_add(&subscriber->source, EPOLLIN);
    }
}

/* ---- publishers ---- */

static void handle_line(struct publisher *publisher, const char *line, size_t length) {
    if (publisher->stream != NULL) {
        stream_append(publisher->stream, line, length);
    } else if (length > 7 && memcmp(line, "stream ", 7) == 0) {
        publisher->stream = stream_of(atoi(line + 7));
    }
}

static void handle_publisher(struct source *source, uint32_t ready) {
    (void) ready;
    struct publisher *publisher = (struct publisher *) source;
    memcpy(buffer, publisher->rest, publisher->rest_bytes);
    ssize_t count = recv(source->fd, buffer + publisher->rest_bytes, RECEIVE_BYTES, 0);
    if (count <= 0) {
        if (count < 0 && errno == EAGAIN) return;
        close(source->fd);
        source->fd = -1;
        return;
    }
    char *at = buffer, *end = buffer + publisher->rest_bytes + (size_t) count;
    for (char *newline; (newline = memchr(at, '\n', (size_t) (end - at))) != NULL; at = newline + 1) {
        handle_line(publisher, at, (size_t) (newline - at));
    }
    publisher->rest_bytes = (size_t) (end - at);
    if (publisher->rest_bytes > LINE_BYTES_MAX) die("a publisher sent a line that is too long");
    memcpy(publisher->rest, at, publisher->rest_bytes);
}

static void accept_publishers(struct source *source, uint32_t ready) {
    (void) ready;
    for (int fd; (fd = wire_accept(source->fd)) >= 0;) {
        struct publisher *publisher = allocate(1, sizeof *publisher);
        publisher->source = (struct source){fd, handle_publisher};
        publisher->rest = allocate(1, LINE_BYTES_MAX);
        loop_add(&publisher->source, EPOLLIN);
    }
}

static void listen_with(int listener, void (*handle)(struct source *, uint32_t)) {
    struct source *source = allocate(1, sizeof *source);
    *source = (struct source){listener, handle};
    loop_add(source, EPOLLIN);
}

void subscribers_listen(int listener) {
    listen_with(listener, accept_subscribers);
}

void publishers_listen(int listener) {
    listen_with(listener, accept_publishers);
}
