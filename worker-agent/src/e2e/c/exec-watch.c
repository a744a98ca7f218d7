/*
 * exec-watch FOLDER NAME: says of every program of that name, on the file system of FOLDER, that is about to
 * be executed who does it: "walled PATH" from another PID namespace than its own, "host PATH" from its own.
 * Says "ready" first; ends with its standard input. Format: fanotify(7).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <unistd.h>

static void namespace_of(const char *process, char *name, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/%s/ns/pid", process);
    ssize_t length = readlink(link, name, size - 1);
    name[length < 0 ? 0 : length] = '\0';
}

static void answer(int watch, const struct fanotify_event_metadata *event, const char *program,
                   const char *own) {
    char link[64];
    char path[PATH_MAX];
    char process[16];
    char name[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", event->fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    const char *slash = strrchr(path, '/');
    if (slash != NULL && strcmp(slash + 1, program) == 0) {
        snprintf(process, sizeof process, "%d", event->pid);
        namespace_of(process, name, sizeof name);
        printf("%s %s\n", strcmp(name, own) == 0 ? "host" : "walled", path);
        fflush(stdout);
    }
    struct fanotify_response response = {.fd = event->fd, .response = FAN_ALLOW};
    if (write(watch, &response, sizeof response) != sizeof response) exit(1);
    close(event->fd);
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    char own[64];
    namespace_of("self", own, sizeof own);
    int watch = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_LARGEFILE);
    if (watch < 0 || fanotify_mark(watch, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, FAN_OPEN_EXEC_PERM, AT_FDCWD,
                                   arguments[1]) != 0) {
        perror("exec-watch");
        return 1;
    }
    puts("ready");
    fflush(stdout);
    char buffer[8192] __attribute__((aligned(8)));
    struct pollfd ways[2] = {{.fd = watch, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    while (poll(ways, 2, -1) > 0 && ways[1].revents == 0) {
        ssize_t length = read(watch, buffer, sizeof buffer);
        const struct fanotify_event_metadata *event = (const void *) buffer;
        for (; FAN_EVENT_OK(event, length); event = FAN_EVENT_NEXT(event, length)) {
            answer(watch, event, arguments[2], own);
        }
    }
    return 0;
}
