#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connections of readers: opening, the answer's head, receiving, dropping. */

enum { RECEIVE_BYTES = 256 * 1024, OPENING_MAX = 64 };

struct reader *readers;
int reader_count;
uint64_t reconnects;

static int opened, opening;
/* The rest of the last call precedes the bytes just received; see decode. */
static char buffer[2 * FRAME_BYTES_MAX + RECEIVE_BYTES];

bool reader_is_disturbed(const struct reader *reader) {
    return reader->stalled || is_flooded(reader->stream);
}

void reader_fail(struct reader *reader, const char *reason) {
    if (reader->source.fd < 0) return;
    close(reader->source.fd);
    reader->source.fd = -1;
    if (reader->state != READER_STREAM) opening--;
    reader->state = READER_CLOSED;
    if (!reader->stalled) {
        fault("a reader of stream %d lost its connection behind frame %llu: %s", reader->stream->index,
              (unsigned long long) *reader->seen, reason);
    }
}

void reader_send(struct reader *reader, const char *bytes, size_t count) {
    char frame[512];
    if (reader->state != READER_HEAD && options.transport == OVER_NATS_WS && count < 126) {
        /* A zero mask is legal and leaves the bytes unchanged. */
        size_t header = 6;
        memcpy(frame, (char[]){(char) 0x82, (char) (0x80 | count), 0, 0, 0, 0}, header);
        memcpy(frame + header, bytes, count);
        bytes = frame;
        count += header;
    }
    if (send(reader->source.fd, bytes, count, MSG_NOSIGNAL) != (ssize_t) count)
        reader_fail(reader, "cannot send");
}

/* ---- opening ---- */

static void send_request(struct reader *reader) {
    const struct stream *stream = reader->stream;
    bool brig = options.publisher == PUBLISH_BRIG, ws = options.transport != OVER_SSE;
    char path[160], extra[256] = "", request[768];
    unsigned long long next = reader->next.seq;
    if (options.transport == OVER_NATS_WS) {
        strcpy(path, "/");
    } else if (brig && ws) {
        snprintf(path, sizeof path, "/api/v1/sessions/%s/attach?from=%llu%s", stream->spawn_id, next,
                 reader->stalled ? "&role=watcher" : "");
    } else if (brig) {
        snprintf(path, sizeof path, "/api/v1/sessions/%s/stream", stream->spawn_id);
    } else if (options.publisher == PUBLISH_NCHAN) {
        snprintf(path, sizeof path, "/sub/%d", stream->index);
    } else {
        snprintf(path, sizeof path, ws ? "/ws/%d?from=%llu" : "/sse/%d", stream->index, next);
    }
    int length = brig ? snprintf(extra, sizeof extra, "Authorization: Bearer %s\r\n", stream->token) : 0;
    if (ws) {
        snprintf(extra + length, sizeof extra - (size_t) length,
                 "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
    } else {
        int more = snprintf(extra + length, sizeof extra - (size_t) length, "Accept: text/event-stream\r\n");
        if (reader->last_id[0] != 0) {
            snprintf(extra + length + more, sizeof extra - (size_t) (length + more), "Last-Event-ID: %s\r\n",
                     reader->last_id);
        }
    }
    int count =
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", path, extra);
    reader_send(reader, request, (size_t) count);
}

static void send_first_line(struct reader *reader) {
    char line[256];
    const struct stream *stream = reader->stream;
    unsigned long long next = reader->next.seq;
    int count =
        options.publisher == PUBLISH_BRIG
            ? snprintf(line, sizeof line, "{\"auth\":\"%s\",\"from\":%llu%s}\n", stream->token, next,
                       reader->stalled ? ",\"role\":\"watcher\"" : "")
            : snprintf(line, sizeof line, next > 1 ? "stream %d %llu\n" : "stream %d\n", stream->index, next);
    reader_send(reader, line, (size_t) count);
}

static void send_subscription(struct reader *reader) {
    char line[128];
    int count = snprintf(line, sizeof line, "CONNECT {\"verbose\":false}\r\nSUB s.%d 1\r\nPING\r\n",
                         reader->stream->index);
    reader_send(reader, line, (size_t) count);
}

static void become_streaming(struct reader *reader) {
    reader->state = READER_STREAM;
    opening--;
}

/* The line that confirms the subscription: an echo, or Brig's authenticated frame. */
static size_t read_greeting(struct reader *reader, const char *bytes, size_t count) {
    const char *newline = memchr(bytes, '\n', count);
    if (newline == NULL) return 0;
    size_t length = (size_t) (newline + 1 - bytes);
    if (options.publisher == PUBLISH_BRIG) {
        check_line(reader, bytes, length - 1);
    } else if (length < 8 || memcmp(bytes, "stream ", 7) != 0) {
        reader_fail(reader, "the server did not echo the first line");
        return 0;
    }
    become_streaming(reader);
    return length;
}

static size_t read_head(struct reader *reader, char *bytes, size_t count) {
    char *end = memmem(bytes, count, "\r\n\r\n", 4);
    if (end == NULL) return 0;
    *end = 0;
    bool ws = options.transport != OVER_SSE;
    if (strncmp(bytes, ws ? "HTTP/1.1 101" : "HTTP/1.1 200", 12) != 0) {
        fault("the server answered a reader with %.40s", bytes);
        reader_fail(reader, "refused");
        return 0;
    }
    reader->framing = ws                                                            ? FRAMING_WS
                      : strcasestr(bytes, "\r\ntransfer-encoding: chunked") != NULL ? FRAMING_CHUNKED
                                                                                    : FRAMING_NONE;
    if (options.transport == OVER_NATS_WS) {
        reader->state = READER_GREETING;
        send_subscription(reader);
    } else {
        become_streaming(reader);
    }
    return (size_t) (end + 4 - bytes);
}

/* ---- receiving ---- */

static void handle(struct source *source, uint32_t ready) {
    (void) ready;
    struct reader *reader = (struct reader *) source;
    size_t count = reader->rest_bytes;
    if (count > 2 * FRAME_BYTES_MAX) {
        reader_fail(reader, "a line is longer than any frame");
        return;
    }
    memcpy(buffer, reader->rest, count);
    ssize_t received = recv(source->fd, buffer + count, sizeof buffer - count, 0);
    if (received <= 0) {
        if (received == 0 || (errno != EAGAIN && errno != EINTR)) {
            reader_fail(reader, received == 0 ? "the server closed it" : strerror(errno));
        }
        return;
    }
    received_ns = now_ns();
    count += (size_t) received;
    bool nats = options.transport >= OVER_NATS;
    if (reader->state == READER_HEAD || (reader->state == READER_GREETING && !nats)) {
        size_t taken = reader->state == READER_HEAD ? read_head(reader, buffer, count)
                                                    : read_greeting(reader, buffer, count);
        reader_keep(reader, buffer + taken, count - taken, 0);
        if (taken == 0 || reader->source.fd < 0 || count == taken) return;
        count -= taken;
        memmove(buffer, buffer + taken, count);
    }
    bool greeting = reader->state == READER_GREETING;
    decode(reader, buffer, count);
    if (greeting && reader->state == READER_STREAM) opening--;
    stream_touch(reader->stream);
}

static void open_reader(struct reader *reader) {
    char address[ADDRESS_CHARS_MAX + 8];
    bool session_socket = options.publisher == PUBLISH_BRIG && options.transport == OVER_NDJSON;
    if (session_socket) snprintf(address, sizeof address, "unix:%s", reader->stream->io_socket);
    reader->source.fd = wire_connect(session_socket ? address : options.connect);
    if (reader->source.fd < 0) {
        fault("a reader cannot connect to %s: %s", session_socket ? address : options.connect,
              strerror(errno));
        return;
    }
    opening++;
    reader->framing = FRAMING_NONE;
    reader->span_left = 0;
    reader->span_ends_line = reader->chunk_open = false;
    reader_keep(reader, NULL, 0, 0);
    bool http =
        options.transport == OVER_SSE || options.transport == OVER_WS || options.transport == OVER_NATS_WS;
    reader->state = http ? READER_HEAD : READER_GREETING;
    if (http) {
        send_request(reader);
    } else if (options.transport == OVER_NDJSON) {
        send_first_line(reader);
    } else {
        send_subscription(reader);
    }
    loop_add(&reader->source, EPOLLIN);
}

bool readers_open(void) {
    while (opened < reader_count && opening < OPENING_MAX && !has_fault()) open_reader(&readers[opened++]);
    return opened == reader_count && opening == 0;
}

void readers_init(void) {
    reader_count = options.streams * options.readers;
    readers = allocate((size_t) reader_count + 1, sizeof *readers);
    for (int i = 0; i < reader_count; i++) {
        struct reader *reader = &readers[i];
        int of_stream = i % options.readers;
        reader->source = (struct source){-1, handle};
        reader->stream = &streams[i / options.readers];
        reader->seen = &reader->stream->seen[of_stream];
        reader->stalled = reader->stream->index == 0 && of_stream < options.stalled;
        reader->figures = reader_is_disturbed(reader) ? &disturbed : &quiet;
        head_set(&reader->next, 1);
    }
}

/* ---- all readers ---- */

void readers_stall(void) {
    for (int i = 0; i < options.stalled; i++) loop_remove(&readers[i].source);
}

void readers_storm(struct stream *stream) {
    for (int i = 0; i < options.readers; i++) {
        struct reader *reader = &readers[stream->index * options.readers + i];
        if (reader->stalled || reader->state != READER_STREAM) continue;
        close(reader->source.fd);
        reader->source.fd = -1;
        open_reader(reader);
        reconnects++;
    }
}

uint64_t stream_slowest(const struct stream *stream) {
    uint64_t slowest = UINT64_MAX;
    for (int i = stream->index == 0 ? options.stalled : 0; i < options.readers; i++) {
        if (stream->seen[i] < slowest) slowest = stream->seen[i];
    }
    return slowest == UINT64_MAX ? stream->sent : slowest;
}

bool readers_have(uint64_t seq) {
    for (int i = 0; i < options.streams; i++) {
        if (stream_slowest(&streams[i]) < seq) return false;
    }
    return true;
}

void readers_count_missing(void) {
    uint64_t missing = 0;
    for (int i = 0; i < reader_count; i++) {
        uint64_t sent = readers[i].stream->sent, seen = *readers[i].seen;
        if (readers[i].stalled || seen >= sent) continue;
        readers[i].figures->missing += sent - seen;
        missing += sent - seen;
    }
    if (missing > 0)
        fault("%llu frames were missing when the streams fell silent", (unsigned long long) missing);
}
