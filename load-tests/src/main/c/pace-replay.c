/* The agent that replays a native stream: see pace.h. */
#define _GNU_SOURCE
#include "pace.h"

#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEPS_MAX = 256, TOKENS_OF_A_MESSAGE = 500, TOKEN_CHARS_MAX = 64 };

static const char TOKEN[] = "@TOKEN@";
static const char MESSAGE[] = "@MESSAGE@";

struct step {
    char kind;
    char *line;
};

static struct step steps[STEPS_MAX];
static int count, first_again;
static char message[TOKENS_OF_A_MESSAGE * TOKEN_CHARS_MAX];

static void read_script(const char *path) {
    FILE *file = fopen(path, "r");
    if (file == NULL) die("cannot open %s: %s", path, strerror(errno));
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        if (count == STEPS_MAX) die("%s has more than %d lines", path, STEPS_MAX);
        if (line[0] == '=') {
            first_again = count;
        } else {
            steps[count++] = (struct step){.kind = line[0], .line = line + 1};
            line = NULL;
            room = 0;
        }
    }
    fclose(file);
}

static void await_line(void) {
    char byte = 0;
    while (byte != '\n') {
        if (read(STDIN_FILENO, &byte, 1) != 1) exit(0);
    }
}

/* Writes the line in one call, with the text in the place of the mark. */
static void write_with(const char *line, const char *mark, const char *text) {
    const char *at = strstr(line, mark);
    int before = at == NULL ? (int) strlen(line) : (int) (at - line);
    char *whole = NULL;
    int length = asprintf(&whole, "%.*s%s%s", before, line, at == NULL ? "" : text,
                          at == NULL ? "" : at + strlen(mark));
    if (length < 0) die("no memory");
    for (int done = 0; done < length;) {
        ssize_t written = write(STDOUT_FILENO, whole + done, (size_t) (length - done));
        if (written <= 0) exit(1);
        done += (int) written;
    }
    free(whole);
}

static void await_time(uint64_t *next, double rate) {
    uint64_t now = now_ns();
    if (*next + NS_PER_S < now) *next = now;
    struct timespec due = {.tv_sec = (time_t) (*next / NS_PER_S), .tv_nsec = (long) (*next % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR) continue;
    *next += (uint64_t) (NS_PER_S / rate);
}

static void write_tokens(const char *line, double rate) {
    static uint64_t next, number;
    if (next == 0) next = now_ns() + (uint64_t) getpid() * 7919 % NS_PER_S;
    size_t length = 0;
    for (int i = 0; i < TOKENS_OF_A_MESSAGE; i++) {
        await_time(&next, rate);
        char token[TOKEN_CHARS_MAX];
        snprintf(token, sizeof token, "@%llu %llu;", (unsigned long long) now_ns(),
                 (unsigned long long) ++number);
        write_with(line, TOKEN, token);
        length += (size_t) snprintf(message + length, sizeof message - length, "%s", token);
    }
}

int replay(const char *path, double rate) {
    read_script(path);
    for (int i = 0; count > 0; i = i + 1 < count ? i + 1 : first_again) {
        switch (steps[i].kind) {
        case '<': await_line(); break;
        case '*': write_tokens(steps[i].line, rate); break;
        default: write_with(steps[i].line, MESSAGE, message);
        }
    }
    return 0;
}
