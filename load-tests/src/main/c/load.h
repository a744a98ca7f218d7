/*
 * brig-load: publishers and readers of one server in one single-threaded epoll process.
 *
 * Every stream has one publisher and the same number of readers. Frames are computed, not stored: the bytes
 * of frame seq of a stream follow from the two numbers, so a publisher can go on anywhere and every reader
 * checks every byte against what it computes itself.
 */
#ifndef BRIG_LOAD_H
#define BRIG_LOAD_H

#include "wire.h"

enum {
    SERVERS_MAX = 8,
    FRAME_BYTES_MAX = 65536,
    HEAD_BYTES_MAX = 64,
    NAME_CHARS_MAX = 64,
    SUB_BUCKET_BITS = 7,
    BUCKETS = (64 - SUB_BUCKET_BITS + 1) << SUB_BUCKET_BITS,
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

/* A frame's line up to its content, kept as text so that the next one is an increment in place. */
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
/* Writes the line without its end and gives its length. */
size_t frame_write(const struct head *head, int stream, char *line);

/* ---- figures: load-figures.c ---- */

struct histogram {
    uint64_t counts[BUCKETS];
};
void histogram_record(struct histogram *histogram, uint64_t value);
/* The upper end of the bucket that holds the quantile; 0 where nothing was recorded. */
uint64_t histogram_quantile(const struct histogram *histogram, double quantile);

/* What readers counted, apart for those that a scenario disturbs and those that it should leave alone. */
struct figures {
    uint64_t delivered, damaged, missing, repeated, gaps, gap_frames;
    struct histogram latency_ns;
};
extern struct figures disturbed, quiet;
extern struct histogram send_lag_ns;
/* Only the first fault is kept; any makes the run fail. */
__attribute__((format(printf, 1, 2))) void fault(const char *format, ...);
bool has_fault(void);
uint64_t delivered_frames(void);
void figures_start(void);
void figures_end(void);
void figures_sample_memory(void);
void figures_print_progress(double seconds);
void figures_print_idle(void);
/* Prints the result and says whether nothing was lost, repeated or damaged. */
bool figures_print_result(void);

/* ---- publishers: load-publisher.c ---- */

struct stream {
    struct source source;
    int index;
    /* Publishing is allowed up to limit; everything up to sent is with the kernel, and part bytes of the
     * next. */
    uint64_t limit, sent, acked;
    size_t part;
    bool open, dirty;
    /* The last seq that each reader has, and when the frames of the window were sent. */
    uint64_t *seen;
    uint64_t *sent_ns;
    /* Kind brig: who the stream is. */
    struct source listener;
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
/* Its connection is gone; a fault, but for kind brig, whose gateway may come back. */
void publisher_lost(struct stream *stream, const char *reason);
/* Writes what the limit allows and the socket takes. */
void publish(struct stream *stream);
/* Notes that a reader went on, so that the stream's window is looked at in the end of the turn. */
void stream_touch(struct stream *stream);
/* The publishing of a loop turn; gives the time of the next frame that is due. */
uint64_t publishers_turn(uint64_t now, bool sending);
void publishers_start(uint64_t now);
uint64_t published_frames(void);
/* The seq of a publisher's first frame: a stream of Brig begins with its state. */
uint64_t first_chunk(void);
/* When frame seq was due, or was sent where nothing has a due time; 0 where that is not known. */
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
    /* Bytes of the current chunk or message that are still to come, and whether a line ends with them. */
    size_t span_left;
    bool span_ends_line, chunk_open, stalled;
    /* What was received and not understood yet: carry bytes of a line, then a header. */
    char *rest;
    size_t rest_bytes, rest_capacity, carry;
    char last_id[40];
};
extern struct reader *readers;
extern int reader_count;
void readers_init(void);
/* Opens readers, some at a time; true when all are open. */
bool readers_open(void);
void readers_stall(void);
/* Drops the connections of a stream's readers and opens them again where they were. */
void readers_storm(struct stream *stream);
extern uint64_t reconnects;
/* Whether all readers that count have at least this frame. */
bool readers_have(uint64_t seq);
/* Counts what never came. */
void readers_count_missing(void);
uint64_t stream_slowest(const struct stream *stream);
bool reader_is_disturbed(const struct reader *reader);
void reader_fail(struct reader *reader, const char *reason);
void reader_send(struct reader *reader, const char *bytes, size_t count);

extern uint64_t received_ns;
/* Understands what it can of buffer; what is left is in reader->rest. buffer has room before it, see .c */
void decode(struct reader *reader, char *buffer, size_t count);
/* Keeps bytes for the next call. */
void reader_keep(struct reader *reader, const char *bytes, size_t count, size_t carry);
/* A line that is not the expected frame: another message, or a fault. */
void check_line(struct reader *reader, const char *line, size_t length);
void accept_frame(struct reader *reader);

#endif
