/*
 * brig-baseline: a minimal stream server in C with epoll. It takes lines from publishers and sends each to
 * every subscriber as NDJSON, as a server-sent event or as a WebSocket message. It neither numbers nor
 * records, has no limits and no tokens, and speaks only the HTTP that brig-load does. It is the ceiling that
 * others are measured against.
 */
#ifndef BRIG_BASELINE_H
#define BRIG_BASELINE_H

#include "wire.h"

enum { STREAMS_MAX = 10000, RECEIVE_BYTES = 256 * 1024, LINE_BYTES_MAX = 65536 };

enum form { FORM_LINES, FORM_EVENTS, FORM_MESSAGES, FORMS };

struct subscriber;

/*
 * The frames of a stream in the framing of one transport, built once for all its subscribers. Positions count
 * all bytes since the beginning.
 */
struct log {
    char *bytes;
    size_t length, capacity;
    uint64_t first;
    struct subscriber **subscribers;
    int subscriber_count, subscriber_capacity;
};

struct stream {
    struct log logs[FORMS];
    uint64_t frames;
    bool dirty;
};

struct subscriber {
    struct source source;
    struct stream *stream;
    enum form form;
    uint64_t position;
    bool waiting;
    struct subscriber *next_dead;
    size_t request_bytes;
    char request[1024];
};

/* The options of the server; the last three inject defects, for tests of the generator. */
struct settings {
    bool coalesced, retain;
    uint64_t drop_every, repeat_every, damage_every;
};
extern struct settings settings;

struct stream *stream_of(int index);
/* Takes a line of the publisher, without its newline. */
void stream_append(struct stream *stream, const char *line, size_t length);
/* Writes the frames of this turn to all subscribers, once. */
void streams_turn_end(void);

void subscribers_listen(int listener);
/* Writes what the subscriber still lacks, as far as its socket takes it. */
void subscriber_write(struct subscriber *subscriber);
void subscriber_close(struct subscriber *subscriber);
/* Frees the connections closed in this turn. */
void subscribers_turn_end(void);
void publishers_listen(int listener);

#endif
