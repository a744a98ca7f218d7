/* The walls: their pipes, their reports, and their end. */
#define _GNU_SOURCE
#include "launcher.h"
#include "network.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A pipe from a wall that is collected up to its limit; the excess is read and dropped. */
struct collector {
    int fd;
    size_t length;
    char text[INFO_MAX + 1];
};

struct wall {
    bool used;
    char id[ID_MAX + 1];
    struct preparation as; /* its groups are used by the fork only */
    pid_t bwrap;
    bool reaped;
    int bwrap_status;
    int init;      /* pidfd of process 1; -1 before bwrap reports it, and after its end */
    int theirs[3]; /* our copies of the ends that the worker-agent opens */
    int go, body;  /* what the child waits for; -1 once sent */
    bool launched, opened, ready, kill_wanted, reported;
    struct collector status, info, complaint;
    int network_error;         /* an errno; 0 while the network has no error */
    char outcome[ID_MAX + 64]; /* the final report of process 1 as a reply line; empty before */
};

static struct wall walls[WALLS_MAX];

/* Returns 0 at the end of the pipe, and -1 while it is empty. */
static ssize_t read_some(int fd, char *buffer, size_t size) {
    ssize_t count;
    do count = read(fd, buffer, size);
    while (count < 0 && errno == EINTR);
    return count < 0 && errno != EAGAIN ? 0 : count;
}

/* Reads the available data; returns true at the end of the pipe. */
static bool collect(struct collector *collector, size_t bytes_max) {
    while (collector->fd >= 0) {
        char buffer[1024];
        ssize_t count = read_some(collector->fd, buffer, sizeof buffer);
        if (count <= 0) return count == 0;
        size_t room = bytes_max - collector->length;
        size_t kept = (size_t) count < room ? (size_t) count : room;
        memcpy(collector->text + collector->length, buffer, kept);
        collector->length += kept;
        collector->text[collector->length] = '\0';
    }
    return true;
}

static struct wall *find(const char *id) {
    for (size_t i = 0; i < WALLS_MAX; i++) {
        if (walls[i].used && strcmp(walls[i].id, id) == 0) return &walls[i];
    }
    return NULL;
}

static struct wall *claim(const char *id) {
    for (size_t i = 0; i < WALLS_MAX; i++) {
        struct wall *wall = &walls[i];
        if (wall->used) continue;
        memset(wall, 0, sizeof *wall);
        wall->used = true;
        wall->init = wall->status.fd = wall->info.fd = wall->complaint.fd = wall->go = wall->body = -1;
        for (int end = 0; end < 3; end++) wall->theirs[end] = -1;
        snprintf(wall->id, sizeof wall->id, "%s", id);
        return wall;
    }
    return NULL;
}

static void let_go_of_pipes(struct wall *wall) {
    for (int end = 0; end < 3; end++) drop(&wall->theirs[end]);
}

const char *wall_id(size_t index) {
    return walls[index].id;
}

static void release(struct wall *wall) {
    release_network((size_t) (wall - walls));
    let_go_of_pipes(wall);
    drop(&wall->go);
    drop(&wall->body);
    drop(&wall->status.fd);
    drop(&wall->info.fd);
    drop(&wall->complaint.fd);
    drop(&wall->init);
    wall->used = false;
}

static void end_namespace(struct wall *wall) {
    if (wall->init >= 0) syscall(SYS_pidfd_send_signal, wall->init, SIGKILL, NULL, 0);
    else if (!wall->reaped) kill(wall->bwrap, SIGKILL);
}

void handle_network_made(size_t index, int error) {
    struct wall *wall = &walls[index];
    wall->network_error = error;
    /* bwrap reads two bytes, or the end. */
    if (error != 0 || write(wall->go, "nn", 2) != 2) end_namespace(wall);
    drop(&wall->go);
}

static void handle_info(struct wall *wall) {
    if (wall->info.fd < 0) return;
    bool ended = collect(&wall->info, INFO_MAX);
    const char *key = strstr(wall->info.text, "\"child-pid\":");
    int pid = key != NULL ? atoi(key + strlen("\"child-pid\":")) : 0;
    /* The closing brace shows that the number is complete. */
    if (pid > 1 && wall->init < 0 && strchr(key, '}') != NULL) {
        wall->init = (int) syscall(SYS_pidfd_open, pid, 0);
        if (wall->init >= 0) watch(wall->init, FROM_INIT, (size_t) (wall - walls));
        if (has_network((size_t) (wall - walls))) enter_network((size_t) (wall - walls), pid, wall->init);
        ended = true;
    }
    if (!ended) return;
    drop(&wall->info.fd);
    if (wall->kill_wanted) end_namespace(wall);
}

static int init_pid(const struct wall *wall) {
    const char *key = strstr(wall->info.text, "\"child-pid\":");
    return key != NULL ? atoi(key + strlen("\"child-pid\":")) : 0;
}

static void handle_status_line(struct wall *wall, const char *line) {
    int number;
    char word[40], step[40];
    if (strncmp(line, "posture ", strlen("posture ")) == 0) {
        reply("posture %s %s", wall->id, line + strlen("posture "));
    } else if (sscanf(line, "posture-failed %39s", word) == 1) {
        snprintf(wall->outcome, sizeof wall->outcome, "failed %s posture %.39s", wall->id, word);
    } else if (strcmp(line, "ready") == 0 && !wall->ready) {
        wall->ready = true;
        handle_info(wall);
        reply("ready %s %d", wall->id, init_pid(wall));
    } else if (sscanf(line, "exit %d", &number) == 1) {
        snprintf(wall->outcome, sizeof wall->outcome, "exited %s code %d", wall->id, number);
    } else if (sscanf(line, "signal %d", &number) == 1) {
        snprintf(wall->outcome, sizeof wall->outcome, "exited %s signal %d", wall->id, number);
    } else if (sscanf(line, "noexec %39s", word) == 1) {
        snprintf(wall->outcome, sizeof wall->outcome, "noexec %s %.39s", wall->id, word);
    } else if (sscanf(line, "fail %20s %30s", step, word) == 2) {
        snprintf(wall->outcome, sizeof wall->outcome, "failed %s %.20s %.30s", wall->id, step, word);
    }
}

static void take_status_lines(struct wall *wall) {
    char *start = wall->status.text;
    for (char *end; (end = strchr(start, '\n')) != NULL; start = end + 1) {
        *end = '\0';
        handle_status_line(wall, start);
    }
    wall->status.length = strlen(start);
    memmove(wall->status.text, start, wall->status.length + 1);
}

/* Line by line as they come: a whole report exceeds the buffer. */
static void handle_status(struct wall *wall) {
    struct collector *status = &wall->status;
    while (status->fd >= 0) {
        if (status->length == STATUS_MAX) status->length = 0; /* no line of process 1 is that long */
        ssize_t count = read_some(status->fd, status->text + status->length, STATUS_MAX - status->length);
        if (count == 0) drop(&status->fd);
        if (count <= 0) return;
        status->length += (size_t) count;
        status->text[status->length] = '\0';
        take_status_lines(wall);
    }
}

static void handle_complaint(struct wall *wall) {
    if (collect(&wall->complaint, COMPLAINT_MAX)) drop(&wall->complaint.fd);
}

/* Sends the final reply once bwrap is reaped and process 1 is gone: the kernel ends process 1 after all
 * others. */
static void check_end(struct wall *wall) {
    if (wall->used && wall->reaped && !wall->outcome[0]) {
        handle_info(wall);
        handle_status(wall);
        handle_complaint(wall);
    }
    if (!wall->used || !wall->reaped || wall->init >= 0) return;
    if (!wall->reported) {
        wall->reported = true;
        if (wall->outcome[0]) reply("%s", wall->outcome);
        else if (wall->network_error)
            reply("failed %s network %s", wall->id, errno_name(wall->network_error));
        else if (wall->ready || wall->kill_wanted) reply("exited %s signal %d", wall->id, SIGKILL);
        else if (wall->complaint.length > 0) reply("failed %s wall %s", wall->id, wall->complaint.text);
        else if (WIFSIGNALED(wall->bwrap_status)) reply("failed %s request ENOENT", wall->id);
        else reply("failed %s wall bwrap ended with status %d", wall->id, WEXITSTATUS(wall->bwrap_status));
    }
    /* Its output stays readable until the worker-agent has opened it, which it does only after "started". */
    if (wall->opened || !wall->launched) release(wall);
}

/*
 * A bwrap that is killed before it reports the pid of process 1 may leave that waiting for ever. We inherit
 * it as the subreaper: a child of ours that is not a bwrap is such an orphan.
 */
static void kill_orphans(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    FILE *children = fopen(path, "re");
    if (children == NULL) return;
    for (int pid; fscanf(children, "%d", &pid) == 1;) {
        bool known = false;
        for (size_t i = 0; i < WALLS_MAX; i++) {
            known |= walls[i].used && !walls[i].reaped && walls[i].bwrap == pid;
        }
        if (!known && !is_network_child(pid)) kill(pid, SIGKILL);
    }
    fclose(children);
}

void reap(void) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        forget_network_child(pid);
        for (size_t i = 0; i < WALLS_MAX; i++) {
            struct wall *wall = &walls[i];
            if (!wall->used || wall->reaped || wall->bwrap != pid) continue;
            wall->reaped = true;
            wall->bwrap_status = status;
            /* If bwrap was killed, process 1 is being killed too; its pidfd reports its end. */
            if (WIFSIGNALED(status)) kill_orphans();
            check_end(wall);
            break;
        }
    }
}

/* ---- launch ---- */

static const char *make_pipes(struct wall *wall, const struct preparation *preparation,
                              int sources[FIRST_FREE]) {
    int *ends[5] = {&wall->theirs[1], &wall->theirs[2], &wall->status.fd, &wall->info.fd,
                    &wall->complaint.fd};
    static const int targets[5] = {PAYLOAD_STDOUT, PAYLOAD_STDERR, STATUS, INFO, STDERR_FILENO};
    for (int i = 0; i < 5; i++) {
        int both[2];
        if (pipe2(both, O_CLOEXEC) != 0) return "pipe";
        *ends[i] = both[0];
        sources[targets[i]] = both[1];
        if (i >= 2 && fcntl(both[0], F_SETFL, O_NONBLOCK) != 0) return "pipe";
    }
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) return "null";
    sources[0] = null;
    sources[1] = fcntl(null, F_DUPFD_CLOEXEC, 0);
    int *inward[2] = {&wall->theirs[0], &wall->go};
    static const int read_ends[2] = {PAYLOAD_STDIN, GO};
    for (int i = 0; i < 2; i++) {
        int both[2];
        if (pipe2(both, O_CLOEXEC) != 0) return "pipe";
        sources[read_ends[i]] = both[0];
        *inward[i] = both[1];
    }
    wall->body = memfd_create("brig-body", MFD_CLOEXEC);
    if (wall->body < 0) return "memory";
    sources[BODY] = fcntl(wall->body, F_DUPFD_CLOEXEC, 0);
    /* Both ends of a pipe are one inode: its owner decides who may open /dev/stdout inside the wall. */
    for (int i = PAYLOAD_STDIN; i <= PAYLOAD_STDERR && preparation->has_uid; i++) {
        if (fchown(sources[i], preparation->uid, preparation->gid) != 0) return "chown";
    }
    return NULL;
}

void do_prepare(const char *id, const struct preparation *preparation) {
    if (find(id) != NULL) {
        reply("failed %s request EEXIST", id);
        return;
    }
    struct wall *wall = claim(id);
    if (wall == NULL) {
        reply("failed %s walls EAGAIN", id);
        return;
    }
    wall->as = (struct preparation){
        .uid = preparation->uid,
        .gid = preparation->gid,
        .has_uid = preparation->has_uid,
        .has_gid = preparation->has_gid,
    };
    int sources[FIRST_FREE];
    for (int i = 0; i < FIRST_FREE; i++) sources[i] = -1;
    const char *failed_step = make_pipes(wall, preparation, sources);
    if (failed_step == NULL) {
        pid_t launcher = getpid();
        wall->bwrap = fork();
        if (wall->bwrap == 0) become_child(preparation, sources, launcher);
        if (wall->bwrap < 0) failed_step = "fork";
    }
    int error = errno;
    for (int i = 0; i < FIRST_FREE; i++) {
        if (sources[i] >= 0) close(sources[i]);
    }
    if (failed_step != NULL) {
        release(wall);
        reply("failed %s %s %s", id, failed_step, errno_name(error));
        return;
    }
    size_t index = (size_t) (wall - walls);
    watch(wall->status.fd, FROM_STATUS, index);
    watch(wall->info.fd, FROM_INFO, index);
    watch(wall->complaint.fd, FROM_COMPLAINT, index);
}

void do_launch(const char *id, const char *body, size_t bytes) {
    struct wall *wall = find(id);
    if (wall == NULL || wall->launched) {
        reply("failed %s request %s", id, wall == NULL ? "ENOENT" : "EEXIST");
        return;
    }
    wall->launched = true;
    bool network = has_network((size_t) (wall - walls));
    if (write(wall->body, body, bytes) == (ssize_t) bytes && write(wall->go, network ? "n" : "g", 1) == 1) {
        reply("started %s %d %d %d", id, wall->theirs[0], wall->theirs[1], wall->theirs[2]);
    } else {
        kill(wall->bwrap, SIGKILL); /* ended, or out of memory: its exit says which */
    }
    if (!network) drop(&wall->go);
    drop(&wall->body);
}

void do_network(const char *id, const struct network_order *order, const char *socket_path) {
    struct wall *wall = find(id);
    if (wall == NULL || (wall->launched && (order->count > 0 || !wall->ready))) {
        reply("error network for no such wall");
    } else if (wall->ready) {
        size_t index = (size_t) (wall - walls);
        if (want_network(index, &wall->as, order, socket_path))
            find_network(index, init_pid(wall), wall->init);
    } else if (!want_network((size_t) (wall - walls), &wall->as, order, socket_path)) {
        do_refuse(id, "ENOTCONN");
    }
}

void do_bounds(const char *id, const struct network_order *order) {
    struct wall *wall = find(id);
    if (wall == NULL || wall->launched) reply("error bounds for no such wall");
    else want_bounds((size_t) (wall - walls), &wall->as, order);
}

void do_socket(const char *id, unsigned number, const struct network_order *order) {
    struct wall *wall = find(id);
    if (wall != NULL) order_socket((size_t) (wall - walls), number, order);
    else reply("nosockets %s %u ENOENT", id, number);
}

void do_refuse(const char *id, const char *error) {
    struct wall *wall = find(id);
    if (wall == NULL || wall->launched) {
        reply("failed %s request %s", id, error);
        return;
    }
    snprintf(wall->outcome, sizeof wall->outcome, "failed %s request %.30s", id, error);
    end_namespace(wall);
}

/* ---- orders; no effect for a wall that has ended ---- */

void do_opened(const char *id) {
    struct wall *wall = find(id);
    if (wall == NULL) return;
    let_go_of_pipes(wall);
    wall->opened = true;
    check_end(wall);
}

void do_kill(const char *id) {
    struct wall *wall = find(id);
    if (wall == NULL) return;
    wall->kill_wanted = true;
    handle_info(wall);
    end_namespace(wall);
}

void do_signal(const char *id, int signal_number) {
    struct wall *wall = find(id);
    if (wall == NULL || wall->init < 0) return;
    syscall(SYS_pidfd_send_signal, wall->init, signal_number, NULL, 0);
}

void handle_wall_event(enum source source, size_t index) {
    struct wall *wall = &walls[index];
    if (source == FROM_STATUS) handle_status(wall);
    else if (source == FROM_INFO) handle_info(wall);
    else if (source == FROM_COMPLAINT) handle_complaint(wall);
    else drop(&wall->init); /* a pidfd becomes readable when its process has ended */
    check_end(wall);
}
