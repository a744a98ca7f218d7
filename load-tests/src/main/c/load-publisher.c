#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* The bytes of one write. After a partial write, frames are computed again. */
enum { OUT_BYTES = 256 * 1024, OUT_FRAMES = OUT_BYTES / 32, UNACKED_BYTES_MAX = 1024 * 1024 };

struct stream *streams;

static struct stream **touched;
static int touched_count, open_count;
static uint64_t started_ns, next_turn;

bool is_flooded(const struct stream *stream) {
    return stream->index < options.flooded;
}

static bool is_paced(const struct stream *stream) {
    return options.rate_hz > 0 && !is_flooded(stream);
}

uint64_t first_chunk(void) {
    return options.publisher == PUBLISH_BRIG ? 2 : 1;
}

/* All paced streams have the same rate, so the schedule is round-robin. */
static uint64_t turn_due_ns(uint64_t turn) {
    return started_ns +
           (uint64_t) ((double) turn * NS_PER_S / (options.rate_hz * (options.streams - options.flooded)));
}

uint64_t frame_origin_ns(const struct stream *stream, uint64_t seq) {
    if (is_paced(stream)) {
        uint64_t round = seq - first_chunk(), paced = (uint64_t) (options.streams - options.flooded);
        return seq < first_chunk()
                   ? 0
                   : turn_due_ns(round * paced + (uint64_t) (stream->index - options.flooded));
    }
    return stream->sent_ns != NULL ? stream->sent_ns[seq % SENT_RING] : 0;
}

/* ---- writing ---- */

/* The header of a masked text message. The mask is zero, which is legal and leaves the bytes unchanged. */
static char *put_message_header(char *out, size_t length) {
    *out++ = (char) 0x81;
    if (length < 126) {
        *out++ = (char) (0x80 | length);
    } else {
        *out++ = (char) (0x80 | 126);
        *out++ = (char) (length >> 8);
        *out++ = (char) length;
    }
    memset(out, 0, 4);
    return out + 4;
}

/* Writes a frame in the publisher's format and returns its end. */
static char *put_frame(const struct stream *stream, const struct head *head, char *out) {
    static const char state[] = "{\"type\":\"state\",\"seq\":1,\"ts\":1,\"state\":\"running\"}\n";
    size_t length = head->length + (size_t) options.content_bytes + 2;
    if (head->seq < first_chunk()) return mempcpy(out, state, sizeof state - 1);
    if (options.publisher == PUBLISH_NATS) out += sprintf(out, "PUB s.%d %zu\r\n", stream->index, length);
    if (options.publisher == PUBLISH_NCHAN) out = put_message_header(out, length);
    out += frame_write(head, stream->index, out);
    if (options.publisher == PUBLISH_NATS) *out++ = '\r';
    if (options.publisher != PUBLISH_NCHAN) *out++ = '\n';
    return out;
}

static void note_sent(const struct stream *stream, uint64_t from, uint64_t now) {
    if (is_paced(stream)) {
        for (uint64_t seq = from; seq <= stream->sent; seq++) {
            uint64_t due = frame_origin_ns(stream, seq);
            if (due > 0) histogram_record(&send_lag_ns, now > due ? now - due : 0);
        }
    } else if (stream->sent_ns != NULL) {
        for (uint64_t seq = from; seq <= stream->sent; seq++) stream->sent_ns[seq % SENT_RING] = now;
    }
}

void publisher_lost(struct stream *stream, const char *reason) {
    close(stream->source.fd);
    stream->source.fd = -1;
    if (stream->open) open_count--;
    stream->open = false;
    /* Only a gateway may reconnect, naming the position to resume at. */
    if (options.publisher != PUBLISH_BRIG)
        fault("the publisher of stream %d lost its connection: %s", stream->index, reason);
}

static uint64_t allowed(const struct stream *stream) {
    if (options.publisher != PUBLISH_BRIG) return stream->limit;
    /* A worker-agent keeps unacknowledged frames, and stops reading its agent at this bound. */
    uint64_t most =
        stream->acked + UNACKED_BYTES_MAX / (HEAD_BYTES_MAX + (uint64_t) options.content_bytes) + 1;
    return stream->limit < most ? stream->limit : most;
}

void publish(struct stream *stream) {
    static char out[OUT_BYTES + 2 * FRAME_BYTES_MAX];
    static size_t ends[OUT_FRAMES];
    while (stream->open && stream->sent < allowed(stream)) {
        uint64_t limit = allowed(stream), from = stream->sent + 1;
        struct head head;
        head_set(&head, from);
        char *end = out;
        size_t count = 0, done = 0;
        for (; head.seq <= limit && end < out + OUT_BYTES && count < OUT_FRAMES; head_next(&head)) {
            end = put_frame(stream, &head, end);
            ends[count++] = (size_t) (end - out);
        }
        uint64_t now = now_ns();
        ssize_t written =
            send(stream->source.fd, out + stream->part, (size_t) (end - out) - stream->part, MSG_NOSIGNAL);
        if (written < 0) {
            if (errno != EAGAIN) publisher_lost(stream, strerror(errno));
            return;
        }
        size_t reached = stream->part + (size_t) written;
        if (reached == (size_t) (end - out)) {
            done = count;
        } else {
            while (ends[done] <= reached) done++;
        }
        stream->part = reached - (done > 0 ? ends[done - 1] : 0);
        stream->sent += done;
        note_sent(stream, from, now);
        if (done < count) return;
    }
}

/* ---- connections ---- */

static void open_stream(struct stream *stream) {
    stream->open = true;
    open_count++;
}

/* Handles what servers send to publishers: upgrade answers, pings, acknowledgements. */
static void handle(struct source *source, uint32_t ready) {
    struct stream *stream = (struct stream *) source;
    char said[16384];
    ssize_t count;
    if ((ready & EPOLLIN) != 0) {
        while ((count = recv(source->fd, said, sizeof said - 1, 0)) > 0) {
            said[count] = 0;
            if (options.publisher == PUBLISH_NATS && strstr(said, "-ERR") != NULL)
                fault("the server said %.80s", said);
            if (options.publisher == PUBLISH_NATS && strstr(said, "PING\r\n") != NULL) {
                send(source->fd, "PONG\r\n", 6, MSG_NOSIGNAL);
            }
            if (options.publisher == PUBLISH_NCHAN && !stream->open) {
                if (strncmp(said, "HTTP/1.1 101", 12) == 0) open_stream(stream);
                else fault("the server answered a publisher with %.40s", said);
            }
        }
        if (count == 0 || errno != EAGAIN) {
            publisher_lost(stream, "the server closed it");
            return;
        }
    }
    publish(stream);
}

void publishers_init(void) {
    streams = allocate((size_t) options.streams, sizeof *streams);
    touched = allocate((size_t) options.streams, sizeof *touched);
    for (int i = 0; i < options.streams; i++) {
        struct stream *stream = &streams[i];
        stream->index = i;
        stream->source = (struct source){-1, handle};
        stream->seen = allocate((size_t) options.readers + 1, sizeof *stream->seen);
        if (options.window > 0 && options.window <= SENT_RING / 2) {
            stream->sent_ns = allocate(SENT_RING, sizeof *stream->sent_ns);
        }
    }
}

void publishers_open(void) {
    if (options.publisher == PUBLISH_BRIG) return;
    for (int i = 0; i < options.streams; i++) {
        char hello[256];
        int count =
            options.publisher == PUBLISH_NATS ? sprintf(hello, "CONNECT {\"verbose\":false}\r\n")
            : options.publisher == PUBLISH_LINES
                ? sprintf(hello, "stream %d\n", i)
                : sprintf(hello,
                          "GET /pub/%d HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: "
                          "websocket\r\n"
                          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                          i);
        streams[i].source.fd = wire_connect(options.publish_to);
        if (streams[i].source.fd < 0 ||
            send(streams[i].source.fd, hello, (size_t) count, MSG_NOSIGNAL) != count) {
            die("publishers cannot connect to %s: %s", options.publish_to, strerror(errno));
        }
        if (options.publisher != PUBLISH_NCHAN) open_stream(&streams[i]);
        loop_add(&streams[i].source, EPOLLIN | EPOLLOUT | EPOLLET);
    }
}

void publisher_connected(struct stream *stream) {
    if (!stream->open) open_stream(stream);
}

bool publishers_ready(void) {
    return open_count == options.streams;
}

uint64_t published_frames(void) {
    uint64_t frames = 0;
    for (int i = 0; i < options.streams; i++) frames += streams[i].sent;
    return frames;
}

/* ---- when to publish ---- */

void stream_touch(struct stream *stream) {
    if (!stream->dirty) {
        stream->dirty = true;
        touched[touched_count++] = stream;
    }
}

/* Fills at least a quarter of the window at once, like a fast agent, not frame by frame. */
static void open_window(struct stream *stream) {
    uint64_t limit = stream_slowest(stream) + options.window;
    uint64_t idle_limit = options.idle_frames + first_chunk() - 1;
    if (options.idle_frames > 0 && limit > idle_limit) limit = idle_limit;
    if (limit >= stream->sent + (options.window + 3) / 4 || limit == idle_limit) {
        if (limit > stream->limit) stream->limit = limit;
    }
}

void publishers_start(uint64_t now) {
    started_ns = now;
    for (int i = 0; i < options.streams; i++) {
        if (is_paced(&streams[i])) streams[i].limit = first_chunk() - 1;
        stream_touch(&streams[i]);
    }
}

uint64_t publishers_turn(uint64_t now, bool sending) {
    uint64_t due = UINT64_MAX;
    if (sending && options.rate_hz > 0) {
        int paced = options.streams - options.flooded;
        while ((due = turn_due_ns(next_turn)) <= now) {
            struct stream *stream = &streams[options.flooded + (int) (next_turn++ % (uint64_t) paced)];
            stream->limit++;
            stream_touch(stream);
        }
    }
    for (int i = 0; i < touched_count; i++) {
        struct stream *stream = touched[i];
        stream->dirty = false;
        if (sending && !is_paced(stream)) open_window(stream);
        publish(stream);
    }
    touched_count = 0;
    return due;
}
