/*
 * The child process that enters the user and the network namespace of a wall, sets its resource counts,
 * creates sockets there, passes them on and exits. A socket stays in its namespace, whoever holds it.
 */
#define _GNU_SOURCE
#include "loopback.h"
#include "network.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { DEADLINE_SECONDS = 5, DIAL_SECONDS = 2, BACKLOG = 512, ANSWERS = 0, USER, NET, PLACES };

__attribute__((noreturn)) static void answer(int error, const int *sockets, size_t count) {
    union {
        char bytes[CMSG_SPACE(SOCKETS_MAX * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec word = {.iov_base = &error, .iov_len = sizeof error};
    struct msghdr message = {.msg_iov = &word, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(head), sockets, count * sizeof(int));
    }
    _exit(sendmsg(ANSWERS, &message, MSG_NOSIGNAL) < 0);
}

__attribute__((noreturn)) static void give_up(void) {
    answer(errno, NULL, 0);
}

/* Closes everything else of the launcher: other walls' pipes and the connection to the worker-agent. */
static void lay_out(int *wanted[PLACES]) {
    for (int i = 0; i < PLACES; i++) {
        if ((*wanted[i] = fcntl(*wanted[i], F_DUPFD, 64)) < 0) _exit(1);
    }
    for (int i = 0; i < PLACES; i++) {
        if (dup2(*wanted[i], i) < 0) _exit(1);
        *wanted[i] = i;
    }
    if (syscall(SYS_close_range, PLACES, ~0U, 0) != 0) _exit(1);
}

static void enter(const struct network_place *place) {
    if (place->has_uid && (setgroups(0, NULL) != 0 || setresgid(place->gid, place->gid, place->gid) != 0 ||
                           setresuid(place->uid, place->uid, place->uid) != 0))
        give_up();
    if (setns(place->user_namespace, CLONE_NEWUSER) != 0 || setns(place->net_namespace, CLONE_NEWNET) != 0)
        give_up();
}

/*
 * The counts apply to this user namespace and all below it together; resources unknown to the kernel are not
 * counted either. The namespace is that of the process that opens the file, so the host's /proc works.
 */
static void set_bounds(const struct network_order *order) {
    for (size_t i = 0; i < order->bound_count; i++) {
        char path[64], text[16];
        snprintf(path, sizeof path, "/proc/sys/user/%s", order->bounds[i].name);
        int length = snprintf(text, sizeof text, "%u", order->bounds[i].most);
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0 && errno == ENOENT) continue;
        if (fd < 0 || write(fd, text, (size_t) length) != length) give_up();
        close(fd);
    }
}

/*
 * bwrap gives loopback its address, then brings it up. It fails if the address exists, and the kernel adds
 * that to an interface brought up without one: so this waits instead of doing it first.
 */
static void await_loopback(int link) {
    struct sockaddr_nl all = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
    if (bind(link, (struct sockaddr *) &all, sizeof all) != 0) give_up();
    struct ifreq loopback = {.ifr_name = "lo"};
    char news[8192];
    while (ioctl(link, SIOCGIFFLAGS, &loopback) == 0) {
        if (loopback.ifr_flags & IFF_UP) return;
        if (recv(link, news, sizeof news, 0) < 0 && errno != ENOBUFS) give_up();
    }
    give_up();
}

static void set_up(void) {
    int news = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (news < 0) give_up();
    await_loopback(news);
    close(news);
    if (!claim_all_addresses()) give_up();
}

/* Without SO_REUSEADDR and SO_REUSEPORT, so that nobody inside can bind a second one to the same port. */
static int listening(const struct wanted_socket *wanted) {
    int fd = socket(AF_INET, wanted->type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *) &wanted->address, sizeof wanted->address) != 0)
        give_up();
    if (wanted->type == SOCK_STREAM && listen(fd, BACKLOG) != 0) give_up();
    return fd;
}

static int connected(const struct wanted_socket *wanted) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval patience = {.tv_sec = DIAL_SECONDS};
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0 ||
        connect(fd, (const struct sockaddr *) &wanted->address, sizeof wanted->address) != 0)
        give_up();
    return fd;
}

void become_network_child(const struct network_place *place, const struct network_order *order, int answers) {
    struct network_place inside = *place;
    lay_out((int *[PLACES]){&answers, &inside.user_namespace, &inside.net_namespace});
    alarm(DEADLINE_SECONDS);
    enter(&inside);
    set_bounds(order);
    if (order->verb == SET_UP) set_up();
    int sockets[SOCKETS_MAX];
    for (size_t i = 0; i < order->count; i++) {
        sockets[i] = order->verb == DIAL ? connected(&order->sockets[i]) : listening(&order->sockets[i]);
    }
    answer(0, sockets, order->count);
}
