/* Posture of what the payload can reach: interfaces, routes, sockets of the host. */
#define _GNU_SOURCE
#include "init.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
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

/* Sends nothing beyond this host: connecting a datagram socket only looks for a route. */
static bool is_refused(const char *address, int type, int wanted) {
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    if (fd < 0) return seen(false, "no socket");
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    inet_pton(AF_INET, address, &to.sin_addr);
    int error = connect(fd, (struct sockaddr *) &to, sizeof to) == 0 ? 0 : errno;
    close(fd);
    return error == wanted
        || seen(false, "connecting to %s answers %s", address, error == 0 ? "success" : strerrorname_np(error));
}

bool own_network(const char *host) {
    return only_loopback() && no_route() && is_refused("127.0.0.1", SOCK_STREAM, ECONNREFUSED)
        && is_refused("192.0.2.1", SOCK_DGRAM, ENETUNREACH) && apart("net", host);
}

/* Abstract names belong to the network namespace; sockets of the host that are files would be below /run. */
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
