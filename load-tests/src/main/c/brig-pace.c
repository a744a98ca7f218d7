/*
 * brig-pace: agents that write lines at a rate or serve a file, a reader of many streams of such agents, and
 * the least that can stand between them.
 *
 *   brig-pace write RATE LINES      prints lines of 60 bytes, each with the time at which it is written
 *   brig-pace serve PORT BYTES      answers HTTP requests with so many bytes, one request after the other
 *   brig-pace replay FILE RATE      replays a native stream, see pace.h
 *   brig-pace read SOCKET READERS WARM_UP_MS MEASURED_MS
 *   brig-pace pipe SOCKET STREAMS READERS COMMAND...
 *
 * The reader takes ids of sessions from standard input, one a line, and opens READERS streams of each
 * (server-sent events, from their beginning) on the Unix socket of a gateway. It prints a line when it begins
 * to measure and one with the figures at the end. It counts lines that were written in the measured time,
 * takes the latency of those behind its first SETTLE_MS (whoever reads the line that it prints takes CPU),
 * and checks that each stream has every number once, in order. It ends early if all streams have ended.
 */
#define _GNU_SOURCE
#include "histogram.h"
#include "pace.h"
#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { READ_BYTES = 65536, LINE_BYTES = 60, ID_CHARS_MAX = 64, GRACE_MS = 1000, SETTLE_MS = 1000 };

/* Where a stream is in "@TIME NUMBER;". */
enum place { OUTSIDE, IN_TIME, IN_NUMBER };

struct stream {
    struct source source;
    enum place place;
    uint64_t written_ns, number, last;
};

static struct histogram latency_ns;
static uint64_t begin_ns, settled_ns, end_ns, lines, faults, highest_ns;
static int opened, ended;

/* ---- the agent ---- */

static int write_lines(double rate, uint64_t count) {
    const char padding[LINE_BYTES + 1] = "............................................................";
    uint64_t next = now_ns() + (uint64_t) getpid() * 7919 % NS_PER_S;
    for (uint64_t number = 1; number <= count; number++) {
        struct timespec due = {.tv_sec = (time_t) (next / NS_PER_S), .tv_nsec = (long) (next % NS_PER_S)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR) continue;
        char line[2 * LINE_BYTES];
        int length = snprintf(line, sizeof line, "@%llu %llu;", (unsigned long long) now_ns(),
                              (unsigned long long) number);
        int rest = LINE_BYTES - 1 - length;
        length +=
            snprintf(line + length, sizeof line - (size_t) length, "%.*s\n", rest > 0 ? rest : 0, padding);
        if (write(STDOUT_FILENO, line, (size_t) length) != length) return 1;
        next += (uint64_t) (NS_PER_S / rate);
    }
    return 0;
}

/* ---- the readers ---- */

static void take(struct stream *stream, uint64_t read_ns) {
    if (stream->number != stream->last + 1) faults++;
    stream->last = stream->number;
    if (stream->written_ns < begin_ns || stream->written_ns >= end_ns) return;
    lines++;
    if (stream->written_ns < settled_ns) return;
    uint64_t took = read_ns > stream->written_ns ? read_ns - stream->written_ns : 0;
    histogram_record(&latency_ns, took);
    if (took > highest_ns) highest_ns = took;
}

static void scan(struct stream *stream, const char *at, const char *end, uint64_t read_ns) {
    while (at < end) {
        if (stream->place == OUTSIDE) {
            at = memchr(at, '@', (size_t) (end - at));
            if (at == NULL) return;
            at++;
            stream->place = IN_TIME;
            stream->written_ns = stream->number = 0;
            continue;
        }
        char c = *at++;
        uint64_t *value = stream->place == IN_TIME ? &stream->written_ns : &stream->number;
        if (c >= '0' && c <= '9') {
            *value = *value * 10 + (uint64_t) (c - '0');
        } else if (c == ' ' && stream->place == IN_TIME) {
            stream->place = IN_NUMBER;
        } else {
            if (c == ';' && stream->place == IN_NUMBER) take(stream, read_ns);
            stream->place = OUTSIDE;
        }
    }
}

static void handle_stream(struct source *source, uint32_t events) {
    (void) events;
    static char bytes[READ_BYTES];
    struct stream *stream = (struct stream *) source;
    ssize_t count = read(source->fd, bytes, sizeof bytes);
    if (count > 0) {
        scan(stream, bytes, bytes + count, now_ns());
    } else if (count == 0 || errno != EAGAIN) {
        loop_remove(source);
        close(source->fd);
        ended++;
    }
}

static void open_stream(const char *address, const char *id) {
    struct stream *stream = allocate(1, sizeof *stream);
    char request[256];
    int length =
        snprintf(request, sizeof request,
                 "GET /api/v1/sessions/%s/stream?last_event_id=earliest HTTP/1.1\r\nHost: localhost\r\n"
                 "Accept: text/event-stream\r\n\r\n",
                 id);
    stream->source = (struct source){.fd = wire_connect(address), .handle = handle_stream};
    if (stream->source.fd < 0) die("cannot connect to %s: %s", address, strerror(errno));
    if (write(stream->source.fd, request, (size_t) length) != length)
        die("cannot ask for the stream of %s", id);
    loop_add(&stream->source, EPOLLIN);
    opened++;
}

static void turn_until(uint64_t until_ns) {
    for (uint64_t now = now_ns(); now < until_ns && ended < opened; now = now_ns()) loop_turn(until_ns - now);
}

static double ms(uint64_t ns) {
    return (double) ns / NS_PER_MS;
}

static int read_streams(const char *path, int readers, uint64_t warm_up_ms, uint64_t measured_ms) {
    char address[ADDRESS_CHARS_MAX], id[ID_CHARS_MAX];
    snprintf(address, sizeof address, "unix:%s", path);
    loop_init();
    while (fgets(id, sizeof id, stdin) != NULL) {
        id[strcspn(id, "\n")] = 0;
        for (int i = 0; i < readers; i++) open_stream(address, id);
    }
    begin_ns = now_ns() + warm_up_ms * NS_PER_MS;
    settled_ns = begin_ns + (uint64_t) SETTLE_MS * NS_PER_MS;
    end_ns = begin_ns + measured_ms * NS_PER_MS;
    turn_until(begin_ns);
    puts("{\"event\":\"measuring\"}");
    fflush(stdout);
    turn_until(end_ns);
    puts("{\"event\":\"measured\"}");
    fflush(stdout);
    turn_until(end_ns + (uint64_t) GRACE_MS * NS_PER_MS);
    printf(
        "{\"event\":\"result\",\"lines\":%llu,\"faults\":%llu,\"ended\":%d,\"p50_ms\":%.3f,\"p99_ms\":%.3f,"
        "\"p999_ms\":%.3f,\"max_ms\":%.3f}\n",
        (unsigned long long) lines, (unsigned long long) faults, ended,
        ms(histogram_quantile(&latency_ns, 0.5)), ms(histogram_quantile(&latency_ns, 0.99)),
        ms(histogram_quantile(&latency_ns, 0.999)), ms(highest_ns));
    return 0;
}

int main(int count, char **words) {
    if (count == 4 && strcmp(words[1], "write") == 0 && atof(words[2]) > 0) {
        return write_lines(atof(words[2]), strtoull(words[3], NULL, 10));
    }
    if (count == 4 && strcmp(words[1], "serve") == 0) {
        return serve(words[2], strtoull(words[3], NULL, 10));
    }
    if (count == 4 && strcmp(words[1], "replay") == 0 && atof(words[3]) > 0) {
        return replay(words[2], atof(words[3]));
    }
    if (count == 6 && strcmp(words[1], "read") == 0) {
        return read_streams(words[2], atoi(words[3]), strtoull(words[4], NULL, 10),
                            strtoull(words[5], NULL, 10));
    }
    if (count > 5 && strcmp(words[1], "pipe") == 0) {
        return pipe_streams(words[2], atoi(words[3]), atoi(words[4]), words + 5);
    }
    fputs("usage: brig-pace write RATE LINES | serve PORT BYTES | replay FILE RATE |"
          " read SOCKET READERS WARM_UP_MS MEASURED_MS | pipe SOCKET STREAMS READERS COMMAND...\n",
          stderr);
    return 2;
}
