/*
 * What of a wall is made from outside: how much of what the kernel counts for a user it may have, and the
 * network of one with egress. Process 1 cannot do that: bwrap puts it into a user namespace inside the one
 * that the others belong to, so it has no right there whatever it is given. A child of the launcher enters
 * from outside instead, as the user that made both, while bwrap mounts; bwrap then waits for our word before
 * it executes process 1, which measures what came of it and never holds a socket itself.
 *
 * The sockets go to the worker-agent over a socket of its own that we connect to, each with a byte, and
 * before the reply that says so: the worker-agent takes them in the order of the replies.
 */
#define _GNU_SOURCE
#include "launcher.h"
#include "network.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { TASKS_MAX = 256, OF_LAUNCH = 0 };

/* The network state of each wall, by its index. */
static struct network {
    bool wanted;
    struct network_place place; /* both -1 until the wall's first process is known */
    struct network_order order;
} networks[WALLS_MAX];

/* A child that works in a wall. */
static struct task {
    bool used;
    pid_t pid;
    int answers;
    size_t wall, sockets;
    unsigned number; /* chosen by the worker-agent, OF_LAUNCH for the setup */
} tasks[TASKS_MAX];

static int descriptors = -1; /* the socket to the worker-agent */

static bool connect_to(const char *socket_path) {
    if (descriptors >= 0) return true;
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (strlen(socket_path) >= sizeof to.sun_path) return false;
    strcpy(to.sun_path, socket_path);
    descriptors = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptors < 0 || connect(descriptors, (struct sockaddr *) &to, sizeof to) != 0) drop(&descriptors);
    return descriptors >= 0;
}

static struct network *want(size_t wall, const struct preparation *preparation) {
    struct network *network = &networks[wall];
    if (!network->wanted) {
        *network = (struct network){
            .wanted = true,
            .place = {-1, -1, preparation->has_uid, preparation->uid, preparation->gid},
        };
    }
    return network;
}

void want_bounds(size_t wall, const struct preparation *preparation, const struct network_order *order) {
    struct network_order *wanted = &want(wall, preparation)->order;
    wanted->bound_count = order->bound_count;
    memcpy(wanted->bounds, order->bounds, sizeof wanted->bounds);
}

bool want_network(size_t wall, const struct preparation *preparation, const struct network_order *order,
                  const char *socket_path) {
    if (!connect_to(socket_path)) return false;
    struct network_order *wanted = &want(wall, preparation)->order;
    wanted->verb = order->verb;
    wanted->count = order->count;
    memcpy(wanted->sockets, order->sockets, sizeof wanted->sockets);
    return true;
}

bool has_network(size_t wall) {
    return networks[wall].wanted;
}

void release_network(size_t wall) {
    if (!networks[wall].wanted) return;
    networks[wall].wanted = false;
    drop(&networks[wall].place.user_namespace);
    drop(&networks[wall].place.net_namespace);
    for (size_t i = 0; i < TASKS_MAX; i++) {
        if (!tasks[i].used || tasks[i].wall != wall) continue;
        if (tasks[i].pid > 0) kill(tasks[i].pid, SIGKILL);
        drop(&tasks[i].answers);
        tasks[i].used = false;
    }
}

bool is_network_child(pid_t pid) {
    for (size_t i = 0; i < TASKS_MAX; i++) {
        if (tasks[i].used && tasks[i].pid == pid) return true;
    }
    return false;
}

/* The pid may be reused from now on; the child's answer may still be pending. */
void forget_network_child(pid_t pid) {
    for (size_t i = 0; i < TASKS_MAX; i++) {
        if (tasks[i].used && tasks[i].pid == pid) tasks[i].pid = 0;
    }
}

/* Returns 0, or an errno. */
static int start_task(size_t wall, unsigned number, const struct network_order *order) {
    size_t index = 0;
    while (index < TASKS_MAX && tasks[index].used) index++;
    int both[2];
    if (index == TASKS_MAX) return EAGAIN;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both) != 0) return errno;
    pid_t child = fork();
    if (child == 0) become_network_child(&networks[wall].place, order, both[1]);
    int error = errno;
    close(both[1]);
    if (child < 0) {
        close(both[0]);
        return error;
    }
    tasks[index] = (struct task){true, child, both[0], wall, order->count, number};
    watch(both[0], FROM_NETWORK, index);
    return 0;
}

/* Refuses the host's own namespaces: changes to a wall's network would cut off the host, and counts would
 * limit all of it. */
static bool is_our_own(const char *link, int namespace) {
    struct stat ours, theirs;
    return stat(link, &ours) != 0 || fstat(namespace, &theirs) != 0 ||
           (ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev);
}

/* Returns 0, or an errno. */
static int open_namespaces(struct network_place *place, pid_t process, int pidfd) {
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/ns/net", process);
    place->net_namespace = open(path, O_RDONLY | O_CLOEXEC);
    if (place->net_namespace < 0) return errno;
    if (is_our_own("/proc/self/ns/net", place->net_namespace)) return EXDEV;
    place->user_namespace = ioctl(place->net_namespace, NS_GET_USERNS);
    if (place->user_namespace < 0) return errno;
    if (is_our_own("/proc/self/ns/user", place->user_namespace)) return EXDEV;
    /* Once the process is gone its pid may be reused. */
    return syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == 0 ? 0 : errno;
}

void enter_network(size_t wall, pid_t first_process, int pidfd) {
    struct network *network = &networks[wall];
    int error = open_namespaces(&network->place, first_process, pidfd);
    /* Process 1 reports a missing namespace in more detail, as does bwrap its own end. */
    bool has_ended = error == ENOENT || error == ESRCH;
    bool nothing_to_make = has_ended || (error == EXDEV && network->order.verb == BOUND);
    if (error == 0) error = start_task(wall, OF_LAUNCH, &network->order);
    if (nothing_to_make) handle_network_made(wall, 0);
    else if (error != 0) handle_network_made(wall, error);
}

void find_network(size_t wall, pid_t first_process, int pidfd) {
    if (networks[wall].place.user_namespace >= 0) return;
    if (open_namespaces(&networks[wall].place, first_process, pidfd) != 0) release_network(wall);
}

static bool pass(int fd) {
    char byte = 's';
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec word = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &word,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes,
    };
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &fd, sizeof(int));
    ssize_t count;
    do count = sendmsg(descriptors, &message, MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    return count == 1;
}

/* Receives that many sockets from a child and passes them on. Returns 0, or an errno. */
static int forward(int answers, size_t wanted) {
    int error = 0;
    union {
        char bytes[CMSG_SPACE(SOCKETS_MAX * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec word = {.iov_base = &error, .iov_len = sizeof error};
    struct msghdr message = {
        .msg_iov = &word,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes,
    };
    if (recvmsg(answers, &message, MSG_CMSG_CLOEXEC) != sizeof error)
        return ECHILD; /* killed at its deadline */
    if (error != 0) return error;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    size_t sockets = head == NULL ? 0 : (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    /* Fewer arrive if this process has no room for more. */
    bool passed = sockets == wanted;
    if (!passed) error = EMFILE;
    for (size_t i = 0; i < sockets; i++) {
        int fd;
        memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
        if (passed && !(passed = pass(fd))) error = EPIPE;
        close(fd);
    }
    if (error == EPIPE) drop(&descriptors); /* the next wall reconnects */
    return error;
}

void handle_network_answer(size_t index) {
    struct task *task = &tasks[index];
    int error = forward(task->answers, task->sockets);
    drop(&task->answers);
    task->used = false;
    bool asked = task->number != OF_LAUNCH || task->sockets > 0;
    if (asked && error == 0) reply("sockets %s %u %zu", wall_id(task->wall), task->number, task->sockets);
    else if (asked) reply("nosockets %s %u %s", wall_id(task->wall), task->number, errno_name(error));
    if (task->number == OF_LAUNCH) handle_network_made(task->wall, error);
}

void order_socket(size_t wall, unsigned number, const struct network_order *order) {
    bool entered = networks[wall].wanted && networks[wall].place.user_namespace >= 0;
    int error = entered ? start_task(wall, number, order) : ENETDOWN;
    if (error != 0) reply("nosockets %s %u %s", wall_id(wall), number, errno_name(error));
}
