#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * A worker-agent without workers: each spawn becomes one of the streams. Its socket and the messages on it
 * are those of the worker-agent's package link. Requests come only from Brig's own gateway, one object per
 * line without spaces, so fields are found by searching for their text.
 */

enum { REQUEST_BYTES_MAX = 2 * 1024 * 1024 };

/* A connection that is for requests, or has not said yet what it is for. */
struct control {
    struct source source;
    bool opened;
    char *request;
    size_t request_bytes;
};

static struct source listener;
static int spawned;
static bool dismissed;

bool agent_is_dismissed(void) {
    return dismissed;
}

/* ---- workers ---- */

/* Frames are computed, not stored: an acknowledgement only advances the bound. */
static void handle_worker_line(struct stream *stream) {
    unsigned long long seq;
    if (sscanf(stream->line, "{\"ack\":%llu}", &seq) == 1) stream->acked = seq;
}

static void take_lines(struct stream *stream, const char *said, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (said[i] != '\n') {
            if (stream->line_bytes < sizeof stream->line - 1) stream->line[stream->line_bytes++] = said[i];
            continue;
        }
        stream->line[stream->line_bytes] = 0;
        stream->line_bytes = 0;
        handle_worker_line(stream);
    }
}

static void handle_worker(struct source *source, uint32_t ready) {
    struct stream *stream = (struct stream *) source;
    char said[4096];
    ssize_t count = 0;
    while ((ready & EPOLLIN) != 0 && (count = recv(source->fd, said, sizeof said, 0)) > 0) {
        take_lines(stream, said, (size_t) count);
    }
    if ((ready & EPOLLIN) != 0 && (count == 0 || errno != EAGAIN)) {
        publisher_lost(stream, "the gateway closed it");
        return;
    }
    publish(stream);
}

/* The gateway follows a worker on that connection, and has said more already. */
static void follow(struct stream *stream, int fd, uint64_t resume, const char *said, size_t count) {
    if (stream->source.fd >= 0) publisher_lost(stream, "another gateway connected");
    stream->source = (struct source){fd, handle_worker};
    stream->line_bytes = 0;
    stream->sent = resume - 1;
    stream->part = 0;
    if (stream->acked < stream->sent) stream->acked = stream->sent;
    if (stream->limit < 1) stream->limit = 1;
    loop_add(&stream->source, EPOLLIN | EPOLLOUT | EPOLLET);
    publisher_connected(stream);
    take_lines(stream, said, count);
    publish(stream);
}

static struct stream *find(const char *spawn_id) {
    for (int i = 0; i < spawned; i++) {
        if (strcmp(streams[i].spawn_id, spawn_id) == 0) return &streams[i];
    }
    return NULL;
}

/* Sends the last frame of a stream, unless another frame is partly written. */
static void end_stream(struct stream *stream) {
    if (stream->ended || !stream->open || stream->part > 0) return;
    char line[160];
    int count = sprintf(
        line,
        "{\"type\":\"state\",\"seq\":%llu,\"ts\":1,\"state\":\"terminated\",\"reason\":\"requested\"}\n",
        (unsigned long long) stream->sent + 1);
    stream->ended = true;
    stream->limit = 0;
    send(stream->source.fd, line, (size_t) count, MSG_NOSIGNAL);
}

/* ---- control ---- */

static void text_of(const char *request, const char *key, char text[NAME_CHARS_MAX]) {
    char wanted[32];
    size_t length = (size_t) snprintf(wanted, sizeof wanted, "\"%s\":", key);
    const char *found = strstr(request, wanted);
    text[0] = 0;
    if (found == NULL) return;
    found += length + (found[length] == '"');
    length = strcspn(found, "\",}");
    if (length >= NAME_CHARS_MAX) return;
    memcpy(text, found, length);
    text[length] = 0;
}

static struct stream *spawn(const char *spawn_id) {
    struct stream *stream = find(spawn_id);
    if (stream != NULL || spawned == options.streams) return stream;
    stream = &streams[spawned++];
    snprintf(stream->spawn_id, sizeof stream->spawn_id, "%s", spawn_id);
    return stream;
}

/* The description of a worker, without the braces. */
static int put_worker(char *out) {
    return sprintf(out, "\"workspace\":\"/\",\"posture\":{\"limits\":\"rlimits\",\"properties\":[]}");
}

static int put_list(char *out) {
    int count = sprintf(out, "\"workers\":[");
    for (int i = 0; i < spawned; i++) {
        if (streams[i].ended) continue;
        count += sprintf(out + count, "%s{\"spawn_id\":\"%s\",\"last_seq\":%llu,\"ended\":false,",
                         i > 0 ? "," : "", streams[i].spawn_id, (unsigned long long) streams[i].sent);
        count += put_worker(out + count);
        out[count++] = '}';
    }
    return count + sprintf(out + count, "]");
}

static void answer(struct control *control, const char *request) {
    char id[NAME_CHARS_MAX], op[NAME_CHARS_MAX], spawn_id[NAME_CHARS_MAX];
    text_of(request, "id", id);
    text_of(request, "op", op);
    text_of(request, "spawn_id", spawn_id);
    char *out = allocate((size_t) spawned + 2, 640);
    int count = sprintf(out, "{\"id\":%s,\"ok\":{", id);
    struct stream *stream = NULL;
    if (strcmp(op, "hello") == 0) {
        count += sprintf(out + count,
                         "\"instance\":\"brig-load\",\"pid\":%d,\"version\":\"0\",\"limits\":\"rlimits\","
                         "\"agents\":[{\"name\":\"shell\",\"description\":\"A stream\",\"policy\":\"none\","
                         "\"state\":\"ready\"}],\"policies\":[]",
                         getpid());
    } else if (strcmp(op, "spawn") == 0 && (stream = spawn(spawn_id)) != NULL) {
        count += put_worker(out + count);
    } else if (strcmp(op, "spawn") == 0) {
        count =
            sprintf(out, "{\"id\":%s,\"error\":\"brig-load has only %d streams\",\"code\":\"MAX_WORKERS\"",
                    id, options.streams) -
            1;
    } else if (strcmp(op, "list") == 0) {
        count += put_list(out + count);
    } else if (strcmp(op, "doctor") == 0) {
        count += sprintf(out + count, "\"findings\":[]");
    } else if (strcmp(op, "terminate") == 0 && (stream = find(spawn_id)) != NULL) {
        end_stream(stream);
    } else if (strcmp(op, "shutdown") == 0) {
        dismissed = true;
    }
    count += sprintf(out + count, "}}\n");
    send(control->source.fd, out, (size_t) count, MSG_NOSIGNAL);
    free(out);
}

static void forget(struct control *control) {
    control->source.fd = -1;
    free(control->request);
    free(control);
}

/* Reads what a connection is for. @return whether it is still a connection for requests */
static bool open_control(struct control *control, const char *line, const char *rest, size_t rest_bytes) {
    char spawn_id[NAME_CHARS_MAX];
    unsigned long long resume = 0;
    const char *resumes = strstr(line, "\"resume\":");
    text_of(line, "spawn_id", spawn_id);
    struct stream *stream = find(spawn_id);
    control->opened = true;
    /* On a host that gateways share, an epoch follows. */
    if (strstr(line, "{\"link\":\"control\"") == line) return true;
    if (stream != NULL && resumes != NULL && sscanf(resumes, "\"resume\":%llu", &resume) == 1 && resume > 0) {
        follow(stream, control->source.fd, resume, rest, rest_bytes);
    } else {
        close(control->source.fd);
    }
    forget(control);
    return false;
}

static void handle_control(struct source *source, uint32_t ready) {
    (void) ready;
    struct control *control = (struct control *) source;
    ssize_t count = recv(source->fd, control->request + control->request_bytes,
                         REQUEST_BYTES_MAX - control->request_bytes, 0);
    if (count <= 0) {
        if (count == 0 || errno != EAGAIN) {
            close(source->fd);
            forget(control);
        }
        return;
    }
    control->request_bytes += (size_t) count;
    char *at = control->request, *end = at + control->request_bytes;
    for (char *newline; (newline = memchr(at, '\n', (size_t) (end - at))) != NULL; at = newline + 1) {
        *newline = 0;
        if (control->opened) {
            answer(control, at);
        } else if (!open_control(control, at, newline + 1, (size_t) (end - newline - 1))) {
            return;
        }
    }
    control->request_bytes = (size_t) (end - at);
    memmove(control->request, at, control->request_bytes);
}

static void handle_accept(struct source *source, uint32_t ready) {
    (void) ready;
    int fd = wire_accept(source->fd);
    if (fd < 0) return;
    struct control *control = allocate(1, sizeof *control);
    control->source = (struct source){fd, handle_control};
    control->opened = false;
    control->request = allocate(1, REQUEST_BYTES_MAX);
    loop_add(&control->source, EPOLLIN);
}

void agent_listen(const char *path) {
    char address[2 * ADDRESS_CHARS_MAX], actual[ADDRESS_CHARS_MAX];
    if (path[0] != '/' || strlen(path) >= ADDRESS_CHARS_MAX)
        die("--worker-agent %s: needs a short absolute path", path);
    snprintf(address, sizeof address, "unix:%s", path);
    listener = (struct source){wire_listen(address, actual), handle_accept};
    loop_add(&listener, EPOLLIN);
}
