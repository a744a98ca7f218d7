/* The frames and streams of vm-link.h. */
#define _GNU_SOURCE
#include "vm-link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum type { DATA, END, CREDIT, UNWANTED, OVER, OPEN, NOTE, DATAGRAM };

struct header {
    uint8_t type, zero;
    uint16_t stream;
    uint32_t length;
};
_Static_assert(sizeof(struct header) == 8, "as it is sent");

enum {
    /* Room in the queue that is left for frames without data. */
    QUEUE_RESERVE = 64 * 1024,
    QUEUE_MAX = 4 * FRAME_MAX + QUEUE_RESERVE
};

static struct stream {
    bool used, connecting;
    int in, out;
    size_t credit;            /* that we may send */
    size_t granted, consumed; /* that the other side may send; written since it was last told */
    bool sent_end, received_end, told_unwanted, sent_over, received_over;
    size_t start, length; /* of what waits for OUT */
    char waiting[WINDOW];
} streams[STREAMS_MAX];

static int link_fd = -1;
static bool is_port;
static unsigned next_opened;
static char queue[QUEUE_MAX];
static size_t queue_start, queue_length;
static char incoming[sizeof(struct header) + FRAME_MAX];
static size_t incoming_length;

void link_start(int fd, bool is_guest) {
    link_fd = fd;
    is_port = is_guest;
    next_opened = is_guest ? FIRST_OPENED : FIRST_OPENED + 1;
    if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0) link_lost("descriptor");
}

static void enqueue(const void *bytes, size_t length) {
    if (queue_start + queue_length + length > QUEUE_MAX) {
        memmove(queue, queue + queue_start, queue_length);
        queue_start = 0;
    }
    if (queue_length + length > QUEUE_MAX) link_lost("queue");
    memcpy(queue + queue_start + queue_length, bytes, length);
    queue_length += length;
}

static void send_frame(enum type type, unsigned stream, const void *bytes, size_t length) {
    struct header header = {.type = (uint8_t) type, .stream = (uint16_t) stream, .length = (uint32_t) length};
    enqueue(&header, sizeof header);
    if (length > 0) enqueue(bytes, length);
}

static bool has_room(void) {
    return queue_length + sizeof(struct header) + FRAME_MAX + QUEUE_RESERVE <= QUEUE_MAX;
}

void link_note(const char *format, ...) {
    char text[NOTE_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    send_frame(NOTE, NOTES, text, (size_t) length < sizeof text ? (size_t) length : sizeof text - 1);
}

static void close_fd(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* A connection is one descriptor twice. */
static void close_in(struct stream *stream) {
    if (stream->in == stream->out) stream->in = -1;
    else close_fd(&stream->in);
}

static void close_out(struct stream *stream) {
    if (stream->out >= 0 && stream->out == stream->in) {
        shutdown(stream->out, SHUT_WR);
        stream->out = -1;
    } else close_fd(&stream->out);
}

static void send_end(unsigned number) {
    struct stream *stream = &streams[number];
    close_in(stream);
    if (stream->sent_end) return;
    stream->sent_end = true;
    send_frame(END, number, NULL, 0);
}

/* Its number is free again once neither side has anything left of it. */
static void forget_if_over(unsigned number) {
    struct stream *stream = &streams[number];
    if (number < FIRST_OPENED || !stream->sent_end || !stream->received_end || stream->length > 0) return;
    close_out(stream);
    close_in(stream);
    if (!stream->sent_over) send_frame(OVER, number, NULL, 0);
    stream->sent_over = true;
    stream->used = !stream->received_over;
}

/* What comes for a descriptor that takes nothing more is thrown away. */
static void refuse_more(unsigned number) {
    struct stream *stream = &streams[number];
    close_out(stream);
    stream->consumed += stream->length;
    stream->length = 0;
    if (stream->told_unwanted || stream->received_end) return;
    stream->told_unwanted = true;
    send_frame(UNWANTED, number, NULL, 0);
}

static struct stream *begin(unsigned number, int in, int out) {
    struct stream *stream = &streams[number];
    stream->used = true;
    stream->connecting = stream->sent_end = stream->received_end = stream->told_unwanted = false;
    stream->sent_over = stream->received_over = false;
    stream->in = in;
    stream->out = out;
    stream->credit = stream->granted = WINDOW;
    stream->consumed = stream->start = stream->length = 0;
    if (in >= 0) fcntl(in, F_SETFL, O_NONBLOCK);
    if (out >= 0 && out != in) fcntl(out, F_SETFL, O_NONBLOCK);
    return stream;
}

void link_stream(unsigned number, int in, int out) {
    struct stream *stream = begin(number, in, out);
    stream->sent_end = in < 0;
    stream->received_end = out < 0;
}

void link_connection(int accepted) {
    struct sockaddr_in to;
    socklen_t size = sizeof to;
    unsigned number = next_opened;
    while (number < STREAMS_MAX && streams[number].used) number += 2;
    if (number >= STREAMS_MAX || getsockname(accepted, (struct sockaddr *) &to, &size) != 0) {
        close(accepted);
        return;
    }
    begin(number, accepted, accepted);
    char place[6];
    memcpy(place, &to.sin_addr, 4);
    memcpy(place + 4, &to.sin_port, 2);
    send_frame(OPEN, number, place, sizeof place);
}

void link_datagram(in_port_t asker, const struct sockaddr_in *server, const char *bytes, size_t length) {
    char all[8 + DATAGRAM_MAX];
    if (length > DATAGRAM_MAX || !has_room()) return;
    memcpy(all, &asker, 2);
    memcpy(all + 2, &server->sin_addr, 4);
    memcpy(all + 6, &server->sin_port, 2);
    memcpy(all + 8, bytes, length);
    send_frame(DATAGRAM, NOTES, all, 8 + length);
}

static void connect_stream(unsigned number, const char *place) {
    struct sockaddr_in to = {.sin_family = AF_INET};
    memcpy(&to.sin_addr, place, 4);
    memcpy(&to.sin_port, place + 4, 2);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct stream *stream = begin(number, fd, fd);
    stream->connecting = true;
    if (fd >= 0 && (connect(fd, (struct sockaddr *) &to, sizeof to) == 0 || errno == EINPROGRESS)) return;
    refuse_more(number);
    send_end(number);
}

static void write_waiting(unsigned number) {
    struct stream *stream = &streams[number];
    while (stream->out >= 0 && stream->length > 0) {
        size_t piece = WINDOW - stream->start < stream->length ? WINDOW - stream->start : stream->length;
        ssize_t count = write(stream->out, stream->waiting + stream->start, piece);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) break;
        if (count < 0) {
            refuse_more(number);
            break;
        }
        stream->start = (stream->start + (size_t) count) % WINDOW;
        stream->length -= (size_t) count;
        stream->consumed += (size_t) count;
    }
    if (stream->received_end && stream->length == 0) {
        bool ended = stream->out >= 0;
        close_out(stream);
        if (ended && number < FIRST_OPENED) handle_end(number);
    } else if (stream->consumed >= WINDOW / 2) {
        uint32_t more = (uint32_t) stream->consumed;
        stream->granted += stream->consumed;
        stream->consumed = 0;
        send_frame(CREDIT, number, &more, sizeof more);
    }
    forget_if_over(number);
}

static void take_data(unsigned number, const char *bytes, size_t length) {
    struct stream *stream = &streams[number];
    if (length > stream->granted || stream->received_end) link_lost("more data than was allowed");
    stream->granted -= length;
    if (stream->out < 0) {
        stream->consumed += length;
        write_waiting(number);
        return;
    }
    for (size_t done = 0; done < length;) {
        size_t at = (stream->start + stream->length) % WINDOW;
        size_t piece = WINDOW - at < length - done ? WINDOW - at : length - done;
        memcpy(stream->waiting + at, bytes + done, piece);
        stream->length += piece;
        done += piece;
    }
    if (!stream->connecting) write_waiting(number);
}

static void take_stream_frame(const struct header *header, const char *body) {
    unsigned number = header->stream;
    if (number == NOTES || number >= STREAMS_MAX) link_lost("a stream that cannot be");
    struct stream *stream = &streams[number];
    bool opened_there = number >= FIRST_OPENED && (number - next_opened) % 2 != 0;
    if (header->type == OPEN) {
        if (!opened_there || stream->used || header->length != 6) link_lost("a stream that cannot be opened");
        connect_stream(number, body);
        return;
    }
    if (!stream->used) link_lost("a stream that is not there");
    uint32_t more;
    switch (header->type) {
    case DATA: take_data(number, body, header->length); break;
    case END:
        stream->received_end = true;
        if (!stream->connecting) write_waiting(number);
        break;
    case CREDIT:
        if (header->length != sizeof more) link_lost("a credit");
        memcpy(&more, body, sizeof more);
        if (more > WINDOW - stream->credit) link_lost("more credit than there is");
        stream->credit += more;
        break;
    case UNWANTED:
        send_end(number);
        forget_if_over(number);
        break;
    case OVER:
        stream->received_over = true;
        forget_if_over(number);
        break;
    default: link_lost("a frame of no known type");
    }
}

static void take_frame(const struct header *header, const char *body) {
    if (header->type == NOTE) {
        char text[NOTE_MAX];
        if (header->length >= sizeof text) link_lost("a note that is too long");
        memcpy(text, body, header->length);
        text[header->length] = '\0';
        handle_note(text);
    } else if (header->type == DATAGRAM) {
        struct sockaddr_in server = {.sin_family = AF_INET};
        in_port_t asker;
        if (header->length < 8 || header->length > 8 + DATAGRAM_MAX) link_lost("a datagram");
        memcpy(&asker, body, 2);
        memcpy(&server.sin_addr, body + 2, 4);
        memcpy(&server.sin_port, body + 6, 2);
        handle_datagram(asker, &server, body + 8, header->length - 8);
    } else take_stream_frame(header, body);
}

static void take_frames(void) {
    size_t at = 0;
    struct header header;
    while (incoming_length - at >= sizeof header) {
        memcpy(&header, incoming + at, sizeof header);
        if (header.length > FRAME_MAX) link_lost("a frame that is too long");
        if (incoming_length - at < sizeof header + header.length) break;
        take_frame(&header, incoming + at + sizeof header);
        at += sizeof header + header.length;
    }
    memmove(incoming, incoming + at, incoming_length - at);
    incoming_length -= at;
}

static void read_link(void) {
    for (;;) {
        ssize_t count = read(link_fd, incoming + incoming_length, sizeof incoming - incoming_length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return;
        /* A port of virtio-serial says so while nobody holds its other end, which is how an image is made. */
        if (count == 0 && is_port) return;
        if (count <= 0) link_lost("closed");
        incoming_length += (size_t) count;
        take_frames();
    }
}

static void write_link(void) {
    while (queue_length > 0) {
        ssize_t count = write(link_fd, queue + queue_start, queue_length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return;
        if (count <= 0) link_lost("closed");
        queue_start += (size_t) count;
        queue_length -= (size_t) count;
    }
    queue_start = 0;
}

static void finish_connecting(unsigned number) {
    struct stream *stream = &streams[number];
    struct pollfd ready = {.fd = stream->out, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;
    if (poll(&ready, 1, 0) == 0) return;
    stream->connecting = false;
    if (getsockopt(stream->out, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0) {
        write_waiting(number);
        return;
    }
    refuse_more(number);
    send_end(number);
    forget_if_over(number);
}

static void read_stream(unsigned number) {
    struct stream *stream = &streams[number];
    static char bytes[FRAME_MAX];
    while (stream->in >= 0 && stream->credit > 0 && has_room()) {
        size_t most = stream->credit < sizeof bytes ? stream->credit : sizeof bytes;
        ssize_t count = read(stream->in, bytes, most);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return;
        if (count <= 0) {
            send_end(number);
            forget_if_over(number);
            return;
        }
        stream->credit -= (size_t) count;
        send_frame(DATA, number, bytes, (size_t) count);
    }
}

static size_t add(struct pollfd *polled, size_t count, int fd, short events) {
    if (fd < 0 || events == 0) return count;
    polled[count] = (struct pollfd){.fd = fd, .events = events};
    return count + 1;
}

size_t link_prepare(struct pollfd *polled, size_t count) {
    count = add(polled, count, link_fd, queue_length > 0 ? POLLIN | POLLOUT : POLLIN);
    for (size_t i = 0; i < STREAMS_MAX; i++) {
        struct stream *stream = &streams[i];
        if (!stream->used) continue;
        bool reads = !stream->connecting && stream->credit > 0 && has_room();
        count = add(polled, count, reads ? stream->in : -1, POLLIN);
        count = add(polled, count, stream->connecting || stream->length > 0 ? stream->out : -1, POLLOUT);
    }
    return count;
}

/* What was read may tell of what a note is of, so the note goes before it. FROM is where what was read
 * begins. */
static void put_notes_before(size_t from) {
    static char notes[QUEUE_RESERVE];
    size_t read_end = queue_length;
    handle_read();
    size_t length = queue_length - read_end;
    if (length == 0) return;
    if (length > sizeof notes) link_lost("queue");
    char *begin = queue + queue_start + from;
    memcpy(notes, queue + queue_start + read_end, length);
    memmove(begin + length, begin, read_end - from);
    memcpy(begin, notes, length);
}

void link_handle(void) {
    if (link_fd >= 0) read_link();
    size_t queued = queue_length;
    for (unsigned i = 0; i < STREAMS_MAX; i++) {
        if (!streams[i].used) continue;
        if (streams[i].connecting) finish_connecting(i);
        if (streams[i].connecting) continue;
        if (streams[i].length > 0) write_waiting(i);
        if (link_fd >= 0) read_stream(i);
    }
    if (link_fd < 0) return;
    if (queue_length > queued) put_notes_before(queued);
    write_link();
}

bool link_is_idle(void) {
    if (queue_length > 0) return false;
    for (size_t i = 0; i < FIRST_OPENED; i++) {
        if (streams[i].used && (streams[i].length > 0 || (streams[i].in >= 0 && i != STREAM_STDIN)))
            return false;
    }
    return true;
}

void link_end_all(void) {
    close_fd(&link_fd);
    queue_length = 0;
    for (unsigned i = 0; i < STREAMS_MAX; i++) {
        if (!streams[i].used) continue;
        streams[i].sent_end = streams[i].received_end = true;
        close_in(&streams[i]);
        write_waiting(i);
    }
}
