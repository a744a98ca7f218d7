#define _GNU_SOURCE
#include "load.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options options = {
    .streams = 1,
    .readers = 1,
    .content_bytes = 32,
    .warmup_ms = 1000,
    .duration_ms = 5000,
};

static const char help[] =
    "brig-load: publishes frames to a server, reads them back, and checks every one.\n"
    "\n"
    "  --publish lines|nats|nchan|brig       what the publishers speak\n"
    "  --subscribe sse|ws|ndjson|nats|nats-ws what the readers speak\n"
    "  --streams S --readers R               S publishers, R readers of each (1, 1)\n"
    "  --content-bytes C                     length of a frame's content (32)\n"
    "  --window W                            closed loop: at most W frames ahead of the slowest reader\n"
    "  --rate HZ                             open loop: frames a second of each stream; latency from the due "
    "time\n"
    "  --warmup-ms M --duration-ms D         (1000, 5000)\n"
    "  --stall K                             the first K readers of stream 0 stop reading after the "
    "warm-up;\n"
    "                                        of Brig they are watchers, for a captain may hold its worker "
    "back\n"
    "  --flood F                             streams 0 to F-1 by --window while the others run at --rate\n"
    "  --idle N                              N frames in each stream, then nothing until stdin says stop\n"
    "  --storm MS                            every MS all readers of one stream connect anew and resume\n"
    "  --connect ADDRESS                     where readers connect: host:port or unix:PATH\n"
    "  --publish-to ADDRESS                  where publishers connect\n"
    "  --server-pid P                        whose CPU and memory count; may be repeated, or a line server P "
    "on standard input\n"
    "  --worker-agent PATH                   kind brig: the link socket, <runtimeDir>/w/link.sock\n"
    "  --go                                  begin at once instead of when stdin says go\n"
    "\n"
    "Results are lines of JSON on standard output, the last one is the result. Ends with 0 if nothing was "
    "lost,\n"
    "repeated or damaged, 1 otherwise, 2 where it could not be tried. For example, in two terminals:\n"
    "\n"
    "  brig-baseline --mode coalesced --publish 127.0.0.1:7101 --listen 127.0.0.1:7102\n"
    "  brig-load --publish lines --subscribe ws --readers 100 --window 1000 --go \\\n"
    "            --publish-to 127.0.0.1:7101 --connect 127.0.0.1:7102\n";

static int choice(const char *option, const char *value, const char *const *names) {
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(value, names[i]) == 0) return i;
    }
    die("--%s %s: unknown; see --help", option, value);
}

static double number(const char *option, const char *value, double least, double most) {
    char *end;
    double result = strtod(value, &end);
    if (*value == 0 || *end != 0 || !(result >= least && result <= most)) {
        die("--%s %s: must be a number from %g to %g", option, value, least, most);
    }
    return result;
}

static void check(void) {
    bool brig = options.publisher == PUBLISH_BRIG;
    if (options.idle_frames > 0 && options.window == 0) options.window = options.idle_frames;
    if (options.window == 0 && options.rate_hz == 0) die("one of --window, --rate and --idle is needed");
    if ((options.window > 0 && options.rate_hz > 0) != (options.flooded > 0)) {
        die("--flood needs both --window and --rate, and nothing else does");
    }
    if (options.flooded >= options.streams) die("--flood must leave a stream alone");
    if (options.stalled >= options.readers && options.stalled > 0)
        die("--stall must leave a reader of stream 0");
    if (brig != (options.worker_agent != NULL)) die("--worker-agent belongs to --publish brig");
    if (brig && options.go) die("--go is not for --publish brig, whose streams come from standard input");
    if (!brig && options.publish_to == NULL) die("--publish-to is missing");
    if (options.connect == NULL && !(brig && options.transport == OVER_NDJSON)) die("--connect is missing");
    if (options.storm_ms > 0 && (options.transport >= OVER_NATS ||
                                 (options.publisher == PUBLISH_NCHAN && options.transport != OVER_SSE))) {
        die("--storm: there is no resuming over this transport");
    }
}

void options_read(int count, char **arguments) {
    static const char *const publishers[] = {"lines", "nats", "nchan", "brig", NULL};
    static const char *const transports[] = {"sse", "ws", "ndjson", "nats", "nats-ws", NULL};
    static const struct option known[] = {
        {"publish", 1, NULL, 'p'},       {"subscribe", 1, NULL, 's'},
        {"streams", 1, NULL, 'n'},       {"readers", 1, NULL, 'r'},
        {"content-bytes", 1, NULL, 'c'}, {"window", 1, NULL, 'w'},
        {"rate", 1, NULL, 'z'},          {"warmup-ms", 1, NULL, 'u'},
        {"duration-ms", 1, NULL, 'd'},   {"stall", 1, NULL, 'k'},
        {"flood", 1, NULL, 'f'},         {"idle", 1, NULL, 'i'},
        {"storm", 1, NULL, 'm'},         {"connect", 1, NULL, 'o'},
        {"publish-to", 1, NULL, 't'},    {"server-pid", 1, NULL, 'P'},
        {"worker-agent", 1, NULL, 'a'},  {"go", 0, NULL, 'g'},
        {"help", 0, NULL, 'h'},          {NULL, 0, NULL, 0},
    };
    bool published = false, subscribed = false;
    int index = 0;
    for (int c; (c = getopt_long(count, arguments, "", known, &index)) != -1;) {
        const char *name = known[index].name;
        switch (c) {
        case 'p':
            options.publisher = (enum publisher_kind) choice(name, optarg, publishers);
            published = true;
            break;
        case 's':
            options.transport = (enum transport) choice(name, optarg, transports);
            subscribed = true;
            break;
        case 'n': options.streams = (int) number(name, optarg, 1, 10000); break;
        case 'r': options.readers = (int) number(name, optarg, 0, 20000); break;
        case 'c':
            options.content_bytes = (int) number(name, optarg, 1, FRAME_BYTES_MAX - 2 * HEAD_BYTES_MAX);
            break;
        case 'w': options.window = (uint64_t) number(name, optarg, 1, 1e9); break;
        case 'z': options.rate_hz = number(name, optarg, 0.01, 1e7); break;
        case 'u': options.warmup_ms = (uint64_t) number(name, optarg, 0, 1e9); break;
        case 'd': options.duration_ms = (uint64_t) number(name, optarg, 1, 1e9); break;
        case 'k': options.stalled = (int) number(name, optarg, 0, 20000); break;
        case 'f': options.flooded = (int) number(name, optarg, 0, 10000); break;
        case 'i': options.idle_frames = (uint64_t) number(name, optarg, 1, 1e6); break;
        case 'm': options.storm_ms = (uint64_t) number(name, optarg, 1, 1e6); break;
        case 'o': options.connect = optarg; break;
        case 't': options.publish_to = optarg; break;
        case 'a': options.worker_agent = optarg; break;
        case 'g': options.go = true; break;
        case 'P':
            if (options.server_count == SERVERS_MAX) die("at most %d times --server-pid", SERVERS_MAX);
            options.servers[options.server_count++] = (int) number(name, optarg, 1, 1e9);
            break;
        case 'h': fputs(help, stdout); exit(0);
        default: exit(2);
        }
    }
    if (optind != count) die("%s: not an option; see --help", arguments[optind]);
    if (!published || !subscribed) die("--publish and --subscribe are needed; see --help");
    check();
}
