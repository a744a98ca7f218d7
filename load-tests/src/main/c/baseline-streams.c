#define _GNU_SOURCE
#include "baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_BYTES_MAX = 4 * 1024 * 1024, FRAMING_BYTES_MAX = 64 };

static struct stream streams[STREAMS_MAX];
static struct stream *dirty[STREAMS_MAX];
static int dirty_count;

struct stream *stream_of(int index) {
    return index >= 0 && index < STREAMS_MAX ? &streams[index] : NULL;
}

static char *put_form(enum form form, uint64_t number, const char *line, size_t length, char *out) {
    if (form == FORM_EVENTS) {
        out += sprintf(out, "id: %llu\ndata: ", (unsigned long long) number);
    } else if (form == FORM_MESSAGES) {
        *out++ = (char) 0x81;
        if (length < 126) {
            *out++ = (char) length;
        } else {
            *out++ = 126;
            *out++ = (char) (length >> 8);
            *out++ = (char) length;
        }
    }
    out = mempcpy(out, line, length);
    if (form != FORM_MESSAGES) *out++ = '\n';
    if (form == FORM_EVENTS) *out++ = '\n';
    return out;
}

static void append(struct stream *stream, enum form form, const char *line, size_t length) {
    struct log *log = &stream->logs[form];
    if (log->subscriber_count == 0 && !settings.retain) return;
    if (log->length + length + FRAMING_BYTES_MAX > log->capacity) {
        log->capacity = 2 * log->capacity + length + FRAMING_BYTES_MAX + 4096;
        log->bytes = realloc(log->bytes, log->capacity);
        if (log->bytes == NULL) die("out of memory");
    }
    uint64_t start = log->first + log->length;
    log->length =
        (size_t) (put_form(form, stream->frames, line, length, log->bytes + log->length) - log->bytes);
    if (settings.coalesced) return;
    for (int i = 0; i < log->subscriber_count; i++) {
        if (log->subscribers[i]->position == start) subscriber_write(log->subscribers[i]);
    }
}

void stream_append(struct stream *stream, const char *line, size_t length) {
    stream->frames++;
    if (!stream->dirty) {
        stream->dirty = true;
        dirty[dirty_count++] = stream;
    }
    char damaged[LINE_BYTES_MAX];
    if (settings.drop_every > 0 && stream->frames % settings.drop_every == 0) return;
    if (settings.damage_every > 0 && stream->frames % settings.damage_every == 0 && length > 3) {
        memcpy(damaged, line, length);
        damaged[length - 3] ^= 1;
        line = damaged;
    }
    int times = settings.repeat_every > 0 && stream->frames % settings.repeat_every == 0 ? 2 : 1;
    for (; times > 0; times--) {
        for (enum form form = 0; form < FORMS; form++) append(stream, form, line, length);
    }
}

/*
 * Drops the oldest bytes: those that all subscribers have, or those beyond the bound together with the
 * subscribers that lack them.
 */
static void trim(struct log *log) {
    uint64_t end = log->first + log->length, needed = end;
    for (int i = 0; i < log->subscriber_count; i++) {
        if (log->subscribers[i]->position < needed) needed = log->subscribers[i]->position;
    }
    if (needed == end && !settings.retain) {
        log->first = end;
        log->length = 0;
    } else if (log->length > LOG_BYTES_MAX) {
        size_t cut = log->length / 2;
        log->first += cut;
        log->length -= cut;
        memmove(log->bytes, log->bytes + cut, log->length);
        for (int i = log->subscriber_count - 1; i >= 0; i--) {
            if (log->subscribers[i]->position < log->first) subscriber_close(log->subscribers[i]);
        }
    }
}

void streams_turn_end(void) {
    for (int i = 0; i < dirty_count; i++) {
        dirty[i]->dirty = false;
        for (enum form form = 0; form < FORMS; form++) {
            struct log *log = &dirty[i]->logs[form];
            for (int k = log->subscriber_count - 1; k >= 0; k--) {
                if (!log->subscribers[k]->waiting) subscriber_write(log->subscribers[k]);
            }
            if (log->length > 0) trim(log);
        }
    }
    dirty_count = 0;
}
