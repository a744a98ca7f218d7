/*
 * brig-gvisor: starts gVisor behind the wall of bubblewrap, as the payload of its process 1 (brig-init.c).
 *
 *   brig-gvisor RUNSC --tmp BYTES --home BYTES --shm BYTES [--writable PLACE]... [--read-only PLACE]...
 * [--sockets open]
 *               -- COMMAND ARGUMENT...
 *
 * COMMAND is process 1 behind gVisor. It sees the files of the wall below a second kernel, which runs as the
 * worker's user and has no more rights than the wall gives it: what breaks out of gVisor stands before
 * bubblewrap. The wall's network is used as it is, so all that the launcher made there holds for the second
 * kernel too.
 *
 * The wall has one user id. gVisor needs capabilities over a mount namespace of its own and over nothing
 * else, so a user namespace is made first in which that user id is 0. Behind gVisor process 1 is that user,
 * and gives the worker its usual number again (brig-init.c).
 *
 * Descriptors 3 to 5 are passed through (brig-init.c). The worker can write to all that its process 1 holds,
 * so the status pipe stays here: what process 1 reports is passed on if it begins with the token that only
 * process 1 was told. SIGTERM, SIGINT and SIGHUP go to process 1.
 */
#define _GNU_SOURCE
#include "own-namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLACE "/run/brig-gvisor"
#define ROOT PLACE "/root"
#define STATE PLACE "/state"
#define BUNDLE PLACE "/bundle"
#define CONTAINER "worker"

enum {
    PLACES_MAX = 512,
    STDIO_FIRST = 3,
    STATUS = 6,
    TOKEN = 7,
    FREE = 64,
    TOKEN_BYTES = 16,
    LINE_MAX_BYTES = 512,
    HOSTNAME_MAX = 64
};

struct order {
    const char *runsc;
    const char *tmp_bytes, *home_bytes, *shm_bytes;
    struct {
        const char *path;
        bool writable;
    } places[PLACES_MAX];
    size_t place_count;
    bool sockets;
    char **command;
};

/* The launcher reports it, as it does bubblewrap's own complaints. */
__attribute__((noreturn)) static void give_up(const char *what) {
    fprintf(stderr, "brig-gvisor: %s: %s\n", what, strerror(errno));
    _exit(1);
}

__attribute__((noreturn)) static void refuse_arguments(void) {
    errno = EINVAL;
    give_up("arguments");
}

static void read_option(struct order *order, const char *option, const char *value) {
    if (strcmp(option, "--tmp") == 0) order->tmp_bytes = value;
    else if (strcmp(option, "--home") == 0) order->home_bytes = value;
    else if (strcmp(option, "--shm") == 0) order->shm_bytes = value;
    else if (strcmp(option, "--sockets") == 0) order->sockets = true;
    else if (order->place_count < PLACES_MAX &&
             (strcmp(option, "--writable") == 0 || strcmp(option, "--read-only") == 0)) {
        order->places[order->place_count].path = value;
        order->places[order->place_count++].writable = strcmp(option, "--writable") == 0;
    } else refuse_arguments();
}

static void read_arguments(struct order *order, char **arguments) {
    order->runsc = arguments[1];
    if (order->runsc == NULL) refuse_arguments();
    char **at = arguments + 2;
    for (; at[0] != NULL && strcmp(at[0], "--") != 0; at += 2) {
        if (at[1] == NULL) refuse_arguments();
        read_option(order, at[0], at[1]);
    }
    if (at[0] == NULL || at[1] == NULL || !order->tmp_bytes || !order->home_bytes || !order->shm_bytes)
        refuse_arguments();
    order->command = at + 1;
}

/* The files of the wall without gVisor's own, which nobody behind it sees. */
static void lay_out_files(void) {
    if (mount("tmpfs", PLACE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700,size=1m") != 0) give_up(PLACE);
    if (mount(NULL, PLACE, NULL, MS_UNBINDABLE, NULL) != 0) give_up(PLACE);
    if (mkdir(ROOT, 0755) != 0 || mkdir(STATE, 0700) != 0 || mkdir(BUNDLE, 0700) != 0) give_up(PLACE);
    if (mount("/", ROOT, NULL, MS_BIND | MS_REC, NULL) != 0) give_up(ROOT);
}

static void put_string(FILE *into, const char *prefix, const char *text) {
    fputc('"', into);
    for (int round = 0; round < 2; round++, prefix = text) {
        for (const unsigned char *at = (const unsigned char *) prefix; *at != '\0'; at++) {
            if (*at < ' ') fprintf(into, "\\u%04x", *at);
            else fprintf(into, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
        }
    }
    fputc('"', into);
}

static void put_strings(FILE *into, const char *name, char **texts) {
    fprintf(into, "\"%s\":[", name);
    for (char **at = texts; *at != NULL; at++) {
        if (at != texts) fputc(',', into);
        put_string(into, "", *at);
    }
    fputc(']', into);
}

/* gVisor adds a HOME that is missing. An empty one is taken out again by process 1. */
static void put_environment(FILE *into) {
    if (getenv("HOME") == NULL && setenv("HOME", "", 1) != 0) give_up("the environment");
    put_strings(into, "env", environ);
}

static void put_memory(FILE *into, const char *place, const char *bytes, const char *mode) {
    fprintf(into,
            "{\"destination\":\"%s\",\"type\":\"tmpfs\",\"source\":\"tmpfs\",\"options\":[\"mode=%s\",\"size="
            "%s\"]},",
            place, mode, bytes);
}

static void put_mounts(FILE *into, const struct order *order) {
    fputs("\"mounts\":[{\"destination\":\"/proc\",\"type\":\"proc\",\"source\":\"proc\"},"
          "{\"destination\":\"/sys\",\"type\":\"sysfs\",\"source\":\"sysfs\",\"options\":[\"ro\"]},",
          into);
    /* Read-only it would let nobody write to a device. gVisor ignores a size and a mode here: it counts as
     * the wall's memory. */
    fputs("{\"destination\":\"/dev\",\"type\":\"tmpfs\",\"source\":\"tmpfs\"},", into);
    put_memory(into, "/dev/shm", order->shm_bytes, "1777");
    put_memory(into, "/tmp", order->tmp_bytes, "1777");
    put_memory(into, "/home/worker", order->home_bytes, "0700");
    for (size_t i = 0; i < order->place_count; i++) {
        const char *path = order->places[i].path;
        fputs(i == 0 ? "{\"type\":\"bind\",\"destination\":" : ",{\"type\":\"bind\",\"destination\":", into);
        put_string(into, "", path);
        fputs(",\"source\":", into);
        put_string(into, ROOT, path);
        /* With the mounts below it: the kernel refuses to show what they cover. */
        fprintf(into, ",\"options\":[\"rbind\",\"%s\"]}", order->places[i].writable ? "rw" : "ro");
    }
    fputs("],", into);
}

/* The format: the runtime specification of OCI, version 1.0.2. No network namespace is named: that of the
 * wall stays. */
static void write_bundle(const struct order *order) {
    char hostname[HOSTNAME_MAX + 1] = "", folder[4096];
    if (gethostname(hostname, HOSTNAME_MAX) != 0 || getcwd(folder, sizeof folder) == NULL)
        give_up("the wall");
    FILE *into = fopen(BUNDLE "/config.json", "we");
    if (into == NULL) give_up(BUNDLE);
    fputs("{\"ociVersion\":\"1.0.2\",\"hostname\":", into);
    put_string(into, "", hostname);
    fputs(",\"root\":{\"path\":\"" ROOT "\",\"readonly\":true},", into);
    put_mounts(into, order);
    fputs("\"linux\":{\"namespaces\":[{\"type\":\"pid\"},{\"type\":\"ipc\"},{\"type\":\"uts\"},{\"type\":"
          "\"mount\"}]},"
          "\"process\":{\"user\":{\"uid\":0,\"gid\":0},\"noNewPrivileges\":true,\"capabilities\":{},\"cwd\":",
          into);
    put_string(into, "", folder);
    fputc(',', into);
    put_strings(into, "args", order->command);
    fputc(',', into);
    put_environment(into);
    fputs("}}\n", into);
    if (ferror(into) != 0 || fclose(into) != 0) give_up(BUNDLE);
}

__attribute__((noreturn)) static void become(const char *runsc, char *const words[]) {
    char *nothing[] = {NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(runsc, words, nothing);
    give_up(runsc);
}

/* Behind gVisor the host's /dev/null is a file without a name. An empty pipe reads alike, and can be told
 * apart. */
static void give_pipes(void) {
    int empty[2];
    struct stat input;
    if (pipe2(empty, O_CLOEXEC) != 0 || fstat(STDIO_FIRST, &input) != 0) give_up("descriptors");
    if (!S_ISFIFO(input.st_mode) && dup2(empty[0], STDIO_FIRST) < 0) give_up("descriptors");
    if (dup2(empty[0], STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) give_up("descriptors");
}

static pid_t run(const struct order *order, int reports, int token) {
    pid_t child = fork();
    if (child < 0) give_up("fork");
    if (child > 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Out of the way first: one may have the number of the other. */
    int both[2] = {fcntl(token, F_DUPFD, FREE), fcntl(reports, F_DUPFD, FREE)};
    if (dup2(both[0], TOKEN) < 0 || dup2(both[1], STATUS) < 0) give_up("descriptors");
    close(both[0]);
    close(both[1]);
    give_pipes();
    become(order->runsc,
           (char *[]){"runsc", "--root=" STATE, "--platform=systrap", "--network=host", "--overlay2=none",
                      "--ignore-cgroups", order->sockets ? "--host-uds=open" : "--host-uds=none", "run",
                      "--bundle=" BUNDLE, "--pass-fd=3:3", "--pass-fd=4:4", "--pass-fd=5:5", "--pass-fd=6:6",
                      "--pass-fd=7:7", CONTAINER, NULL});
}

/* Lines without the token are the worker's, and dropped. */
__attribute__((noreturn)) static void relay(int reports, const char *token) {
    char line[LINE_MAX_BYTES];
    size_t length = strlen(token);
    FILE *from = fdopen(reports, "r");
    while (from != NULL && fgets(line, sizeof line, from) != NULL) {
        if (strncmp(line, token, length) != 0 || line[length] != ' ') continue;
        const char *rest = line + length + 1;
        if (write(STATUS, rest, strlen(rest)) < 0) break;
    }
    _exit(0);
}

static void make_token(char text[2 * TOKEN_BYTES + 1]) {
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t) sizeof bytes) give_up("random numbers");
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

static void pass_on(const struct order *order, int signal_number) {
    char number[16];
    snprintf(number, sizeof number, "%d", signal_number);
    if (fork() == 0)
        become(order->runsc, (char *[]){"runsc", "--root=" STATE, "kill", CONTAINER, number, NULL});
}

/* Returns when both have ended. What process 1 reported last is passed on then. */
static void await_both(const struct order *order, pid_t kernel, pid_t relaying, const sigset_t *signals) {
    while (kernel > 0 || relaying > 0) {
        int signal_number = sigwaitinfo(signals, NULL);
        if (signal_number > 0 && signal_number != SIGCHLD) pass_on(order, signal_number);
        for (pid_t ended; (ended = waitpid(-1, NULL, WNOHANG)) > 0;) {
            if (ended == kernel) kernel = 0;
            if (ended == relaying) relaying = 0;
        }
    }
}

int main(int count, char **arguments) {
    (void) count;
    static struct order order;
    char token[2 * TOKEN_BYTES + 1];
    int told[2], reports[2];
    read_arguments(&order, arguments);
    if (!enter_own_namespace(0, 0)) give_up("a user namespace of its own");
    lay_out_files();
    write_bundle(&order);
    make_token(token);
    if (pipe2(told, O_CLOEXEC) != 0 || pipe2(reports, O_CLOEXEC) != 0) give_up("pipes");
    if (write(told[1], token, strlen(token)) < 0) give_up("pipes");
    close(told[1]);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_SETMASK, &signals, NULL);
    pid_t kernel = run(&order, reports[1], told[0]);
    for (int fd = STDIO_FIRST; fd < STATUS; fd++) close(fd);
    close(told[0]);
    close(reports[1]);
    pid_t relaying = fork();
    if (relaying < 0) give_up("fork");
    if (relaying == 0) relay(reports[0], token);
    close(reports[0]);
    close(STATUS);
    await_both(&order, kernel, relaying, &signals);
    return 0;
}
