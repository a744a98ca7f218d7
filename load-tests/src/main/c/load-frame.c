#define _GNU_SOURCE
#include "load.h"

#include <stdio.h>
#include <string.h>

/*
 * Content is a piece of one table of printable characters, at an offset that depends on stream and seq.
 * Neighbours differ, and a comparison is one memcmp.
 */
enum { PLACES = 4096, STREAM_STEP = 1543, SEQ_STEP = 37 };

static const char before_seq[] = "{\"type\":\"chunk\",\"seq\":";
static const char after_seq[] = ",\"content\":\"";
static char table[PLACES + FRAME_BYTES_MAX];

void frames_init(void) {
    uint32_t random = 2463534242u;
    for (size_t i = 0; i < sizeof table; i++) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        table[i] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ."[random >> 26];
    }
}

const char *frame_content(int stream, uint64_t seq) {
    return table + (((uint64_t) stream * STREAM_STEP + seq * SEQ_STEP) & (PLACES - 1));
}

void head_set(struct head *head, uint64_t seq) {
    head->seq = seq;
    head->length = (unsigned) snprintf(head->text, sizeof head->text, "%s%llu%s", before_seq,
                                       (unsigned long long) seq, after_seq);
}

void head_next(struct head *head) {
    head->seq++;
    char *digit = head->text + head->length - sizeof after_seq;
    while (*digit == '9') *digit-- = '0';
    if (*digit == ':') {
        head_set(head, head->seq);
    } else {
        ++*digit;
    }
}

size_t frame_write(const struct head *head, int stream, char *line) {
    size_t content_bytes = (size_t) options.content_bytes;
    memcpy(line, head->text, head->length);
    memcpy(line + head->length, frame_content(stream, head->seq), content_bytes);
    memcpy(line + head->length + content_bytes, "\"}", 2);
    return head->length + content_bytes + 2;
}
