#define _GNU_SOURCE
#include "load.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

/*
 * Decodes bytes into checked frames, in two layers. The framing of a connection (none, HTTP chunks, WebSocket
 * messages) yields spans of payload; the units of a transport (lines, events, NATS messages) are cut from
 * spans. The next frame is known, so the fast path is one comparison; check_line examines everything else. A
 * unit split between two spans is moved up against the second span, over its header.
 */

uint64_t received_ns;

void reader_keep(struct reader *reader, const char *bytes, size_t count, size_t carry) {
    if (count > reader->rest_capacity) {
        reader->rest_capacity = count + 64;
        char *larger = realloc(reader->rest, reader->rest_capacity);
        if (larger == NULL) die("out of memory");
        reader->rest = larger;
    }
    if (count > 0) memmove(reader->rest, bytes, count);
    reader->rest_bytes = count;
    reader->carry = carry;
}

/* ---- frames ---- */

/* The length of the expected frame if it is here in full, else 0. */
static inline size_t expected_frame(const struct reader *reader, const char *at, const char *end) {
    size_t content_bytes = (size_t) options.content_bytes, head_bytes = reader->next.length;
    size_t length = head_bytes + content_bytes + 2;
    if ((size_t) (end - at) < length || memcmp(at, reader->next.text, head_bytes) != 0 ||
        memcmp(at + head_bytes, frame_content(reader->stream->index, reader->next.seq), content_bytes) != 0 ||
        at[length - 2] != '"' || at[length - 1] != '}') {
        return 0;
    }
    return length;
}

void accept_frame(struct reader *reader) {
    uint64_t origin_ns = frame_origin_ns(reader->stream, reader->next.seq);
    if (origin_ns > 0) {
        histogram_record(&reader->figures->latency_ns, received_ns > origin_ns ? received_ns - origin_ns : 0);
    }
    reader->figures->delivered++;
    *reader->seen = reader->next.seq;
    head_next(&reader->next);
}

static bool starts(const char *line, size_t length, const char *prefix) {
    size_t count = strlen(prefix);
    return length >= count && memcmp(line, prefix, count) == 0;
}

/* The number after a key such as "from":, or 0. */
static uint64_t number_of(const char *line, size_t length, const char *key) {
    const char *found = memmem(line, length, key, strlen(key));
    uint64_t number = 0;
    if (found == NULL) return 0;
    for (found += strlen(key); found < line + length && *found >= '0' && *found <= '9'; found++) {
        number = number * 10 + (uint64_t) (*found - '0');
    }
    return number;
}

static void handle_gap(struct reader *reader, const char *line, size_t length) {
    uint64_t from = number_of(line, length, "\"from\":"), to = number_of(line, length, "\"to\":");
    struct figures *figures = reader->figures;
    if (from < reader->next.seq || to < from) {
        figures->damaged++;
        return;
    }
    figures->missing += from - reader->next.seq;
    figures->gaps++;
    figures->gap_frames += to - from + 1;
    *reader->seen = to;
    head_set(&reader->next, to + 1);
}

/* A numbered frame that is not the expected one. */
static void handle_other_frame(struct reader *reader, uint64_t seq, bool chunk, const char *line,
                               size_t length) {
    struct figures *figures = reader->figures;
    if (seq < reader->next.seq) {
        figures->repeated++;
        return;
    }
    figures->missing += seq - reader->next.seq;
    if (seq > reader->next.seq) head_set(&reader->next, seq);
    if (chunk && expected_frame(reader, line, line + length) != length) {
        figures->damaged++;
        *reader->seen = seq;
        head_next(&reader->next);
    } else {
        accept_frame(reader);
    }
}

void check_line(struct reader *reader, const char *line, size_t length) {
    if (length > 0 && line[length - 1] == '\r') length--;
    uint64_t seq =
        starts(line, length, "{\"type\":\"") ? number_of(line, length < 64 ? length : 64, "\",\"seq\":") : 0;
    if (seq > 0) {
        handle_other_frame(reader, seq, starts(line, length, "{\"type\":\"chunk\""), line, length);
    } else if (starts(line, length, "{\"type\":\"gap\"")) {
        handle_gap(reader, line, length);
    } else if (starts(line, length, "{\"type\":\"error\"")) {
        fault("the server refused: %.*s", (int) length, line);
    } else if (!starts(line, length, "{\"type\":\"authenticated\"")) {
        reader->figures->damaged++;
    }
}

/* ---- units: each returns where it stopped, before an incomplete unit ---- */

static const char *lines(struct reader *reader, const char *at, const char *end, bool ends_line) {
    while (at < end) {
        size_t length = expected_frame(reader, at, end);
        if (length > 0 && (at + length < end ? at[length] == '\n' : ends_line)) {
            accept_frame(reader);
            at += length + (at + length < end);
            continue;
        }
        const char *newline = memchr(at, '\n', (size_t) (end - at));
        if (newline == NULL && !ends_line) break;
        const char *stop = newline != NULL ? newline : end;
        if (stop > at) check_line(reader, at, (size_t) (stop - at));
        at = newline != NULL ? newline + 1 : end;
    }
    return at;
}

/* A line of an event stream (WHATWG HTML). Events without stream data are ignored. */
static void field(struct reader *reader, const char *line, size_t length) {
    if (length > 0 && line[length - 1] == '\r') length--;
    if (starts(line, length, "data:")) {
        size_t skip = length > 5 && line[5] == ' ' ? 6 : 5;
        check_line(reader, line + skip, length - skip);
    } else if (options.storm_ms > 0 && starts(line, length, "id: ") && length - 4 < sizeof reader->last_id) {
        memcpy(reader->last_id, line + 4, length - 4);
        reader->last_id[length - 4] = 0;
    }
}

static const char *events(struct reader *reader, const char *at, const char *end) {
    while (at < end) {
        if (end - at > 6 && memcmp(at, "data: ", 6) == 0) {
            size_t length = expected_frame(reader, at + 6, end);
            if (length > 0 && at + 8 + length <= end && at[6 + length] == '\n' && at[7 + length] == '\n') {
                accept_frame(reader);
                at += length + 8;
                continue;
            }
        }
        const char *newline = memchr(at, '\n', (size_t) (end - at));
        if (newline == NULL) break;
        field(reader, at, (size_t) (newline - at));
        at = newline + 1;
    }
    return at;
}

/* The NATS client protocol (docs.nats.io). */
static const char *nats(struct reader *reader, const char *at, const char *end) {
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t) (end - at));
        if (newline == NULL) break;
        size_t length = (size_t) (newline + 1 - at);
        if (starts(at, length, "MSG ")) {
            const char *digits = newline - 1;
            while (digits[-1] >= '0' && digits[-1] <= '9') digits--;
            size_t bytes = strtoul(digits, NULL, 10);
            if ((size_t) (end - newline - 1) < bytes + 2) break;
            if (expected_frame(reader, newline + 1, newline + 1 + bytes) == bytes && bytes > 0) {
                accept_frame(reader);
            } else {
                check_line(reader, newline + 1, bytes);
            }
            length += bytes + 2;
        } else if (starts(at, length, "PING")) {
            reader_send(reader, "PONG\r\n", 6);
        } else if (starts(at, length, "PONG")) {
            reader->state = READER_STREAM;
        } else if (starts(at, length, "-ERR")) {
            fault("the server refused: %.*s", (int) length, at);
        }
        at += length;
    }
    return at;
}

static const char *units(struct reader *reader, const char *at, const char *end, bool ends_line) {
    switch (options.transport) {
    case OVER_SSE: return events(reader, at, end);
    case OVER_WS:
    case OVER_NDJSON: return lines(reader, at, end, ends_line);
    case OVER_NATS:
    case OVER_NATS_WS: return nats(reader, at, end);
    }
    return end;
}

/* ---- framing: each reads a header, sets the span and returns the header's length, or 0 if it is incomplete
 * ---- */

static size_t chunk_header(struct reader *reader, const char *at, const char *end) {
    const char *from = at + (reader->chunk_open ? 2 : 0);
    const char *newline = from < end ? memchr(from, '\n', (size_t) (end - from)) : NULL;
    if (newline == NULL) return 0;
    reader->span_left = strtoul(from, NULL, 16);
    reader->chunk_open = true;
    if (reader->span_left == 0) reader_fail(reader, "the response ended");
    return (size_t) (newline + 1 - at);
}

/* RFC 6455, section 5.2. A control frame is consumed with its payload and leaves an empty span. */
static size_t message_header(struct reader *reader, const char *at, const char *end) {
    const unsigned char *bytes = (const unsigned char *) at;
    size_t have = (size_t) (end - at), header = 2, length;
    if (have < 2) return 0;
    length = bytes[1] & 0x7f;
    if (length >= 126) {
        size_t width = length == 126 ? 2 : 8;
        header += width;
        if (have < header) return 0;
        length = 0;
        for (size_t i = 0; i < width; i++) length = length << 8 | bytes[2 + i];
    }
    int opcode = bytes[0] & 0x0f;
    if ((bytes[1] & 0x80) != 0 || (bytes[0] & 0x70) != 0 || (opcode > 2 && opcode < 8) || opcode > 10) {
        reader_fail(reader, "a WebSocket header violates RFC 6455");
        return 0;
    }
    if (opcode < 8) {
        reader->span_left = length;
        reader->span_ends_line = (bytes[0] & 0x80) != 0 && options.transport == OVER_WS;
        return header;
    }
    if (have < header + length) return 0;
    if (opcode == 8) {
        fault("the server closed with %d", length >= 2 ? bytes[header] << 8 | bytes[header + 1] : 0);
        reader_fail(reader, "the server closed");
    } else if (opcode == 9 && length < 126) {
        char pong[6] = {(char) 0x8a, (char) (0x80 | length)};
        reader_send(reader, pong, sizeof pong);
        reader_send(reader, at + header, length);
    }
    return header + length;
}

static size_t next_span(struct reader *reader, const char *at, const char *end) {
    switch (reader->framing) {
    case FRAMING_CHUNKED: return chunk_header(reader, at, end);
    case FRAMING_WS: return message_header(reader, at, end);
    case FRAMING_NONE: break;
    }
    return 0;
}

void decode(struct reader *reader, char *buffer, size_t count) {
    char *end = buffer + count, *carry = buffer, *at = buffer + reader->carry;
    for (;;) {
        if (reader->span_left == 0 && reader->framing != FRAMING_NONE) {
            size_t header = next_span(reader, at, end);
            if (header == 0 || reader->source.fd < 0) break;
            size_t carried = (size_t) (at - carry);
            at += header;
            if (carried > 0) memmove(at - carried, carry, carried);
            carry = at - carried;
        }
        size_t span = (size_t) (end - at);
        if (reader->framing != FRAMING_NONE) {
            if (span > reader->span_left) span = reader->span_left;
            if (span == 0 && reader->span_left > 0) break;
            reader->span_left -= span;
        }
        at += span;
        carry = (char *) units(reader, carry, at, reader->span_left == 0 && reader->span_ends_line);
        if (reader->framing == FRAMING_NONE) break;
    }
    reader_keep(reader, carry, (size_t) (end - carry), (size_t) (at - carry));
}
