/*
 * brig-baseline: a server that shows the cost of the system calls alone; baseline.h describes it.
 *
 * brig-baseline --mode coalesced|per-frame --publish ADDRESS --listen ADDRESS...
 *
 * Publishers connect to --publish and send "stream I", then lines. Subscribers connect to any --listen and
 * send "stream I [FIRST]" (echoed, then lines), or request /sse/I over HTTP or /ws/I over WebSocket.
 * Coalesced: one write per subscriber for all frames of a loop turn. Per frame: one write for each frame and
 * subscriber.
 */
#define _GNU_SOURCE
#include "baseline.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings settings;

static const char help[] =
    "brig-baseline: a minimal stream server, for comparison with brig-load.\n"
    "\n"
    "  --mode coalesced|per-frame   one write per subscriber and turn of the loop, or per frame\n"
    "  --publish ADDRESS            where publishers connect: host:port or unix:PATH\n"
    "  --listen ADDRESS             where subscribers connect; may be repeated\n"
    "  --retain                     keep up to 4 MiB of each stream for readers that reconnect\n"
    "  --drop-every N, --repeat-every N, --damage-every N\n"
    "                               defects, for tests of the generator\n"
    "\n"
    "Port 0 means any port; when ready, it prints a line with the addresses.\n";

static size_t number(const char *text) {
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text == 0 || *end != 0) die("%s: must be a whole number", text);
    return (size_t) value;
}

int main(int count, char **arguments) {
    static const struct option known[] = {
        {"mode", 1, NULL, 'm'},         {"publish", 1, NULL, 'p'},    {"listen", 1, NULL, 'l'},
        {"retain", 0, NULL, 'r'},       {"drop-every", 1, NULL, 'd'}, {"repeat-every", 1, NULL, 'e'},
        {"damage-every", 1, NULL, 'g'}, {"help", 0, NULL, 'h'},       {NULL, 0, NULL, 0},
    };
    char published[ADDRESS_CHARS_MAX] = "", listening[2048] = "", actual[ADDRESS_CHARS_MAX];
    bool mode = false;
    loop_init();
    for (int c; (c = getopt_long(count, arguments, "", known, NULL)) != -1;) {
        switch (c) {
        case 'm':
            settings.coalesced = strcmp(optarg, "coalesced") == 0;
            mode = settings.coalesced || strcmp(optarg, "per-frame") == 0;
            break;
        case 'p': publishers_listen(wire_listen(optarg, published)); break;
        case 'l':
            subscribers_listen(wire_listen(optarg, actual));
            snprintf(listening + strlen(listening), sizeof listening - strlen(listening), "%s\"%s\"",
                     listening[0] != 0 ? "," : "", actual);
            break;
        case 'r': settings.retain = true; break;
        case 'd': settings.drop_every = number(optarg); break;
        case 'e': settings.repeat_every = number(optarg); break;
        case 'g': settings.damage_every = number(optarg); break;
        case 'h': fputs(help, stdout); return 0;
        default: return 2;
        }
    }
    if (!mode || published[0] == 0 || listening[0] == 0)
        die("--mode, --publish and --listen are needed; see --help");
    printf("{\"event\":\"ready\",\"publish\":\"%s\",\"listen\":[%s]}\n", published, listening);
    fflush(stdout);
    for (;;) {
        loop_turn(NS_PER_S);
        streams_turn_end();
        subscribers_turn_end();
    }
}
