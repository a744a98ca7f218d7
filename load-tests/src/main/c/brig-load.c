/*
 * brig-load: the load generator. --help lists the options. A run by hand, in two terminals:
 *
 * brig-baseline --mode coalesced --publish 127.0.0.1:7101 --listen 127.0.0.1:7102 brig-load --publish lines
 * --subscribe sse --readers 100 --window 1000 --go \ --publish-to 127.0.0.1:7101 --connect 127.0.0.1:7102
 *
 * The phases of a run: all connections open; frames flow for the warm-up; the measured time; publishing stops
 * and pending frames must arrive. The last line printed is the result.
 */
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    TICK_MS = 100,
    TICKS_PER_PROGRESS = 10,
    OPENING_MS_MAX = 60000,
    SILENCE_MS_MAX = 5000,
    DRAIN_SILENCE_MS_MAX = 2000
};

enum phase { PHASE_WAITING, PHASE_OPENING, PHASE_WARMUP, PHASE_MEASURING, PHASE_DRAINING, PHASE_DONE };

static struct source input;
static char line[1024];
static size_t line_bytes;
static bool told_to_go, told_to_stop, input_ended;

static enum phase phase;
static uint64_t phase_since_ns, last_delivery_ns, last_delivered, next_tick_ns, next_storm_ns;
static uint64_t ticks;
static int next_stormed;
static bool idle_said;

/* ---- standard input ---- */

static void handle_line(void) {
    char spawn_id[NAME_CHARS_MAX], socket[ADDRESS_CHARS_MAX], token[NAME_CHARS_MAX];
    int index;
    if (strcmp(line, "go") == 0) {
        told_to_go = true;
    } else if (strcmp(line, "stop") == 0) {
        told_to_stop = true;
    } else if (sscanf(line, "server %d", &index) == 1 && options.server_count < SERVERS_MAX) {
        options.servers[options.server_count++] = index;
    } else if (sscanf(line, "stream %d %63s %127s %63s", &index, spawn_id, socket, token) == 4) {
        /* Streams are in the order in which the gateway requested them. */
        for (int i = 0; i < options.streams; i++) {
            if (strcmp(streams[i].spawn_id, spawn_id) != 0) continue;
            strcpy(streams[i].io_socket, socket);
            strcpy(streams[i].token, token);
            return;
        }
        fault("no gateway asked for a spawn %s", spawn_id);
    } else {
        fault("standard input: unknown command '%s'", line);
    }
}

static void handle_input(struct source *source, uint32_t ready) {
    (void) ready;
    char said[4096];
    ssize_t count = read(source->fd, said, sizeof said);
    if (count <= 0) {
        if (count < 0 && errno == EAGAIN) return;
        input_ended = true;
        loop_remove(source);
        source->fd = -1;
        return;
    }
    for (ssize_t i = 0; i < count; i++) {
        if (said[i] != '\n') {
            if (line_bytes < sizeof line - 1) line[line_bytes++] = said[i];
            continue;
        }
        line[line_bytes] = 0;
        line_bytes = 0;
        handle_line();
    }
}

/* ---- phases ---- */

static void become(enum phase next, uint64_t now) {
    phase = next;
    phase_since_ns = last_delivery_ns = now;
}

static bool lasts(uint64_t now, uint64_t ms) {
    return now - phase_since_ns >= ms * NS_PER_MS;
}

static void check_silence(uint64_t now) {
    if (delivered_frames() != last_delivered) {
        last_delivered = delivered_frames();
        last_delivery_ns = now;
    }
    bool expected = options.readers > 0 && options.window > 0 && options.idle_frames == 0;
    if (expected && now - last_delivery_ns > (uint64_t) SILENCE_MS_MAX * NS_PER_MS) {
        fault("no frame came for %d ms", SILENCE_MS_MAX);
    }
}

static void check_opening(uint64_t now) {
    if (publishers_ready() && readers_open()) {
        printf("{\"event\":\"connected\",\"ms\":%.1f}\n", (double) (now - phase_since_ns) / NS_PER_MS);
        fflush(stdout);
        publishers_start(now);
        next_storm_ns = now + options.storm_ms * NS_PER_MS;
        become(PHASE_WARMUP, now);
    } else if (lasts(now, OPENING_MS_MAX)) {
        fault("not all connections were open after %d ms", OPENING_MS_MAX);
    }
}

static void check_warmup(uint64_t now) {
    if (lasts(now, options.warmup_ms) && readers_have(first_chunk())) {
        readers_stall();
        figures_start();
        become(PHASE_MEASURING, now);
    }
    check_silence(now);
}

static void check_measuring(uint64_t now) {
    check_silence(now);
    if (options.idle_frames > 0 && !idle_said && readers_have(options.idle_frames + first_chunk() - 1)) {
        idle_said = true;
        figures_print_idle();
    }
    if (options.idle_frames > 0 ? idle_said && (told_to_stop || input_ended)
                                : lasts(now, options.duration_ms)) {
        told_to_stop = false;
        figures_end();
        become(PHASE_DRAINING, now);
    }
}

static bool is_drained(void) {
    for (int i = 0; i < options.streams; i++) {
        if (stream_slowest(&streams[i]) < streams[i].sent || streams[i].part > 0) return false;
    }
    return true;
}

static void check_draining(uint64_t now) {
    bool drained = is_drained();
    if (delivered_frames() != last_delivered) {
        last_delivered = delivered_frames();
        last_delivery_ns = now;
    }
    if (drained || now - last_delivery_ns > (uint64_t) DRAIN_SILENCE_MS_MAX * NS_PER_MS) {
        readers_count_missing();
        become(PHASE_DONE, now);
    }
}

static void check_storm(uint64_t now) {
    if (options.storm_ms == 0 || now < next_storm_ns) return;
    next_storm_ns += options.storm_ms * NS_PER_MS;
    readers_storm(&streams[next_stormed++ % options.streams]);
}

static void check_phase(uint64_t now) {
    switch (phase) {
    case PHASE_WAITING:
        if (input_ended && !told_to_go) fault("standard input ended before it said go");
        if (!told_to_go) break;
        become(PHASE_OPENING, now);
        publishers_open();
        break;
    case PHASE_OPENING: check_opening(now); break;
    case PHASE_WARMUP:
        check_storm(now);
        check_warmup(now);
        break;
    case PHASE_MEASURING:
        check_storm(now);
        check_measuring(now);
        break;
    case PHASE_DRAINING: check_draining(now); break;
    case PHASE_DONE: break;
    }
    if (has_fault() && phase < PHASE_DONE) {
        if (phase == PHASE_MEASURING) figures_end();
        become(PHASE_DONE, now);
    }
}

static void check_tick(uint64_t now) {
    if (now < next_tick_ns) return;
    next_tick_ns = now + (uint64_t) TICK_MS * NS_PER_MS;
    figures_sample_memory();
    if (phase == PHASE_MEASURING && ++ticks % TICKS_PER_PROGRESS == 0) {
        figures_print_progress((double) TICK_MS * TICKS_PER_PROGRESS / 1000);
    }
}

int main(int count, char **arguments) {
    options_read(count, arguments);
    loop_init();
    frames_init();
    publishers_init();
    readers_init();
    told_to_go = options.go;
    if (options.publisher == PUBLISH_BRIG) agent_listen(options.worker_agent);
    input = (struct source){options.go ? -1 : STDIN_FILENO, handle_input};
    if (!options.go) {
        fcntl(input.fd, F_SETFL, O_NONBLOCK);
        if (!loop_add(&input, EPOLLIN)) die("standard input must be a pipe or a terminal");
    }
    puts("{\"event\":\"ready\"}");
    fflush(stdout);
    uint64_t wait_ns = 0;
    while (phase != PHASE_DONE) {
        loop_turn(wait_ns);
        uint64_t now = now_ns();
        check_phase(now);
        check_tick(now);
        uint64_t due = publishers_turn(now, phase == PHASE_WARMUP || phase == PHASE_MEASURING);
        now = now_ns();
        uint64_t wake = due < next_tick_ns ? due : next_tick_ns;
        wait_ns = wake > now ? wake - now : 0;
    }
    bool ok = figures_print_result();
    /* Stay connected: without this worker-agent, the gateway would start another one. */
    while (options.publisher == PUBLISH_BRIG && !agent_is_dismissed() && !told_to_stop && !input_ended) {
        loop_turn(NS_PER_S);
    }
    return ok ? 0 : 1;
}
