/*
 * brig-baseline: the least that a server of streams can do, in C with epoll. It takes lines from a publisher
 * and gives each to every subscriber as NDJSON, as a server-sent event or as a WebSocket message. It numbers,
 * records and bounds nothing, asks for no token and speaks HTTP only as brig-load does: it is the ceiling
 * that others are measured against.
 */
#ifndef BRIG_BASELINE_H
#define BRIG_BASELINE_H

#include "wire.h"

enum { STREAMS_MAX = 10000, RECEIVE_BYTES = 256 * 1024, LINE_BYTES_MAX = 65536 };

enum form { FORM_LINES, FORM_EVENTS, FORM_MESSAGES, FORMS };

struct subscriber;

/* The frames of a stream as one transport has them, built once for all its subscribers. Positions count all
 * bytes ever. */
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

/* How the server is run; the last three plant defects, for tests of the generator. */
struct settings {
    bool coalesced, retain;
    uint64_t drop_every, repeat_every, damage_every;
};
extern struct settings settings;

struct stream *stream_of(int index);
/* A line of the publisher, without its end. */
void stream_append(struct stream *stream, const char *line, size_t length);
/* Writes what is due to whom it is due, once for all that came in this turn. */
void streams_turn_end(void);

void subscribers_listen(int listener);
/* Writes what the subscriber does not have yet, as far as its socket takes it. */
void subscriber_write(struct subscriber *subscriber);
void subscriber_close(struct subscriber *subscriber);
/* Frees those that were closed in this turn. */
void subscribers_turn_end(void);
void publishers_listen(int listener);

#endif
