/*
 * brig-load: publishers and readers of one server, in one single-threaded epoll process.
 *
 * Every stream has one publisher and the same number of readers. Frames are computed, not stored: stream and
 * seq determine the bytes of a frame. So a publisher can resume anywhere, and every reader checks every byte.
 */
#ifndef BRIG_LOAD_H
#define BRIG_LOAD_H

#include "histogram.h"
#include "wire.h"

enum {
    SERVERS_MAX = 8,
    FRAME_BYTES_MAX = 65536,
    HEAD_BYTES_MAX = 64,
    NAME_CHARS_MAX = 64,
};

enum publisher_kind { PUBLISH_LINES, PUBLISH_NATS, PUBLISH_NCHAN, PUBLISH_BRIG };
enum transport { OVER_SSE, OVER_WS, OVER_NDJSON, OVER_NATS, OVER_NATS_WS };

struct options {
    enum publisher_kind publisher;
    enum transport transport;
    int streams, readers, content_bytes;
    uint64_t window;
    double rate_hz;
    uint64_t warmup_ms, duration_ms, storm_ms;
    int stalled, flooded;
    uint64_t idle_frames;
    const char *connect, *publish_to, *worker_agent;
    int servers[SERVERS_MAX];
    int server_count;
    bool go;
};
extern struct options options;
void options_read(int count, char **arguments);

/* ---- frames: load-frame.c ---- */

/* A frame's line up to its content, kept as text so that the next one needs only an increment in place. */
struct head {
    uint64_t seq;
    char text[HEAD_BYTES_MAX];
    unsigned length;
};
void frames_init(void);
void head_set(struct head *head, uint64_t seq);
void head_next(struct head *head);
/* The content of a frame, options.content_bytes long. */
const char *frame_content(int stream, uint64_t seq);
/* Writes the line without its newline and returns its length. */
size_t frame_write(const struct head *head, int stream, char *line);

/* ---- figures: load-figures.c ---- */

/* Counts of readers, separately for those that a scenario disturbs and the others. */
struct figures {
    uint64_t delivered, damaged, missing, repeated, gaps, gap_frames;
    struct histogram latency_ns;
};
extern struct figures disturbed, quiet;
extern struct histogram send_lag_ns;
/* Keeps the first fault; any fault fails the run. */
__attribute__((format(printf, 1, 2))) void fault(const char *format, ...);
bool has_fault(void);
uint64_t delivered_frames(void);
void figures_start(void);
void figures_end(void);
void figures_sample_memory(void);
void figures_print_progress(double seconds);
void figures_print_idle(void);
/* Prints the result; true if nothing was lost, repeated or damaged. */
bool figures_print_result(void);

/* ---- publishers: load-publisher.c ---- */

struct stream {
    struct source source;
    int index;
    /* Publishing is allowed up to limit. The kernel has all frames up to sent, and part bytes of the next. */
    uint64_t limit, sent, acked;
    size_t part;
    bool open, dirty;
    /* The last seq of each reader, and the times at which the window's frames were sent. */
    uint64_t *seen;
    uint64_t *sent_ns;
    /* Kind brig: the identity of the stream. */
    char spawn_id[NAME_CHARS_MAX], token[NAME_CHARS_MAX], io_socket[ADDRESS_CHARS_MAX];
    char line[NAME_CHARS_MAX];
    size_t line_bytes;
    bool ended;
};
extern struct stream *streams;
void publishers_init(void);
void publishers_open(void);
bool publishers_ready(void);
/* Kind brig: the gateway follows this stream now. */
void publisher_connected(struct stream *stream);
/* Its connection ended: a fault, except for kind brig, whose gateway may reconnect. */
void publisher_lost(struct stream *stream, const char *reason);
/* Writes as much as limit and socket allow. */
void publish(struct stream *stream);
/* Notes that a reader advanced, so that the stream's window is checked at the end of the turn. */
void stream_touch(struct stream *stream);
/* Publishes in a loop turn; returns the time at which the next frame is due. */
uint64_t publishers_turn(uint64_t now, bool sending);
void publishers_start(uint64_t now);
uint64_t published_frames(void);
/* The seq of a publisher's first frame: Brig's streams begin with a state frame. */
uint64_t first_chunk(void);
/* The time at which frame seq was due, or sent if there are no due times; 0 if unknown. */
uint64_t frame_origin_ns(const struct stream *stream, uint64_t seq);
bool is_flooded(const struct stream *stream);
enum { SENT_RING = 1024 };

/* ---- the worker-agent of kind brig: load-agent.c ---- */

void agent_listen(const char *path);
bool agent_is_dismissed(void);

/* ---- readers: load-reader.c and load-decode.c ---- */

enum reader_state { READER_CLOSED, READER_HEAD, READER_GREETING, READER_STREAM };
enum framing { FRAMING_NONE, FRAMING_CHUNKED, FRAMING_WS };

struct reader {
    struct source source;
    struct stream *stream;
    struct figures *figures;
    uint64_t *seen;
    struct head next;
    enum reader_state state;
    enum framing framing;
    /* Bytes missing from the current chunk or message, and whether a line ends with them. */
    size_t span_left;
    bool span_ends_line, chunk_open, stalled;
    /* Bytes received and not decoded yet: carry bytes of a line, then a header. */
    char *rest;
    size_t rest_bytes, rest_capacity, carry;
    char last_id[40];
};
extern struct reader *readers;
extern int reader_count;
void readers_init(void);
/* Opens readers in groups; true when all are open. */
bool readers_open(void);
void readers_stall(void);
/* Reconnects a stream's readers, which resume at their position. */
void readers_storm(struct stream *stream);
extern uint64_t reconnects;
/* Whether all counted readers have at least this frame. */
bool readers_have(uint64_t seq);
/* Counts the missing frames. */
void readers_count_missing(void);
uint64_t stream_slowest(const struct stream *stream);
bool reader_is_disturbed(const struct reader *reader);
void reader_fail(struct reader *reader, const char *reason);
void reader_send(struct reader *reader, const char *bytes, size_t count);

extern uint64_t received_ns;
/* Decodes what it can of buffer and leaves the rest in reader->rest. buffer has room before it, see .c */
void decode(struct reader *reader, char *buffer, size_t count);
/* Keeps bytes for the next call. */
void reader_keep(struct reader *reader, const char *bytes, size_t count, size_t carry);
/* Handles a line other than the expected frame: another message, or a fault. */
void check_line(struct reader *reader, const char *line, size_t length);
void accept_frame(struct reader *reader);

#endif
