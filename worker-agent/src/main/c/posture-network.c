/* Posture of the network: interfaces, routes, sockets of the host. */
#define _GNU_SOURCE
#include "init.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_LINES = 2 };

static bool only_loopback(void) {
    char devices[4096], name[32];
    if (!slurp("/proc/net/dev", devices, sizeof devices)) return seen(false, "not known");
    char *place = NULL;
    int number = 0;
    for (char *line = strtok_r(devices, "\n", &place); line != NULL; line = strtok_r(NULL, "\n", &place)) {
        if (number++ < HEAD_LINES) continue;
        if (sscanf(line, " %31[^: ]", name) != 1) return seen(false, "not known");
        if (strcmp(name, "lo") != 0) return seen(false, "there is an interface %s", name);
    }
    return true;
}

static bool no_route(void) {
    char routes[4096];
    if (!slurp("/proc/net/route", routes, sizeof routes)) return seen(false, "not known");
    const char *first = strchr(routes, '\n');
    return first == NULL || first[1] == '\0' || seen(false, "there is a route");
}

/* Sends no packet: connecting a datagram socket only looks up a route. */
static bool is_refused(const char *address, int type, int wanted) {
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    if (fd < 0) return seen(false, "no socket");
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    inet_pton(AF_INET, address, &to.sin_addr);
    int error = connect(fd, (struct sockaddr *) &to, sizeof to) == 0 ? 0 : errno;
    close(fd);
    return error == wanted || seen(false, "connecting to %s answers %s", address,
                                   error == 0 ? "success" : strerrorname_np(error));
}

bool own_network(const char *host) {
    return only_loopback() && no_route() && is_refused("127.0.0.1", SOCK_STREAM, ECONNREFUSED) &&
           is_refused("192.0.2.1", SOCK_DGRAM, ENETUNREACH) && apart("net", host);
}

/* The declared value is HOST,PLACE,PLACE... with each place as the kernel writes it: tcp/IPV4:PORT,
 * udp/IPV4:PORT. */
static bool is_declared(const char *declared, const char *place) {
    size_t length = strlen(place);
    for (const char *at = strchr(declared, ','); at != NULL; at = strchr(at, ',')) {
        at++;
        if (strcspn(at, ",") == length && memcmp(at, place, length) == 0) return true;
    }
    return false;
}

/* Whether every listening socket is a declared one. Format: proc_net_tcp of the kernel's documentation. */
static bool all_declared(const char *protocol, const char *wanted_state, const char *declared, int *count) {
    char path[32], sockets[64 * 1024];
    snprintf(path, sizeof path, "/proc/net/%s", protocol);
    if (!slurp(path, sockets, sizeof sockets)) return seen(errno == ENOENT, "not known");
    char *place = NULL;
    strtok_r(sockets, "\n", &place);
    for (char *line; (line = strtok_r(NULL, "\n", &place)) != NULL;) {
        char address[33], state[3], text[INET_ADDRSTRLEN], found[64];
        struct in_addr binary;
        unsigned port;
        if (sscanf(line, " %*d: %32[0-9A-F]:%4X %*s %2s", address, &port, state) != 3)
            return seen(false, "not known");
        if (strcmp(state, wanted_state) != 0) continue;
        binary.s_addr = (in_addr_t) strtoul(address, NULL, 16);
        snprintf(found, sizeof found, "%s/%s:%u", protocol, inet_ntop(AF_INET, &binary, text, sizeof text),
                 port);
        if (strlen(address) != 8 || !is_declared(declared, found))
            return seen(false, "there is a socket %s", found);
        (*count)++;
    }
    return true;
}

/* A datagram socket connected to a local address has that address on both ends. */
static bool is_claimed(const char *address) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)}, from = {0};
    socklen_t length = sizeof from;
    inet_pton(AF_INET, address, &to.sin_addr);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool claimed = fd >= 0 && connect(fd, (struct sockaddr *) &to, sizeof to) == 0 &&
                   getsockname(fd, (struct sockaddr *) &from, &length) == 0 &&
                   from.sin_addr.s_addr == to.sin_addr.s_addr;
    if (fd >= 0) close(fd);
    return claimed || seen(false, "%s is not claimed", address);
}

static bool no_route6(void) {
    struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
    inet_pton(AF_INET6, "2001:db8::1", &to.sin6_addr);
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool open = fd >= 0 && connect(fd, (struct sockaddr *) &to, sizeof to) == 0;
    if (fd >= 0) close(fd);
    return !open || seen(false, "there is an IPv6 route");
}

bool egress_network(const char *declared) {
    int wanted = 0, found = 0;
    char host[32];
    if (declared == NULL) return seen(false, "not known");
    snprintf(host, sizeof host, "%.*s", (int) strcspn(declared, ","), declared);
    for (const char *at = declared; (at = strchr(at, ',')) != NULL; at++) wanted++;
    if (!only_loopback() || !no_route() || !no_route6() || !is_claimed("192.0.2.1") ||
        !is_claimed("169.254.169.254") || !all_declared("tcp", "0A", declared, &found) ||
        !all_declared("tcp6", "0A", declared, &found) || !all_declared("udp", "07", declared, &found) ||
        !all_declared("udp6", "07", declared, &found) || !apart("net", host))
        return false;
    return seen(found == wanted, "only loopback, where every address is; %d of %d declared sockets", found,
                wanted);
}

/* Abstract names belong to the network namespace; the host's socket files would be below /run. */
bool no_host_sockets(const char *value) {
    (void) value;
    char names[4096];
    if (!slurp("/proc/net/unix", names, sizeof names)) return seen(false, "too many sockets, or not known");
    const char *first = strchr(names, '\n');
    if (first != NULL && first[1] != '\0') return seen(false, "/proc/net/unix lists sockets");
    DIR *run = opendir("/run");
    if (run == NULL) return seen(false, "not known");
    char found[64] = "";
    for (struct dirent *entry; (entry = readdir(run)) != NULL;) {
        struct stat file;
        if (fstatat(dirfd(run), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(file.st_mode)) {
            snprintf(found, sizeof found, "%.63s", entry->d_name);
        }
    }
    closedir(run);
    return found[0] ? seen(false, "/run/%s is a socket", found) : seen(true, "none by name, none by file");
}
