/* The ports of vm-ports.h. */
#define _GNU_SOURCE
#include "vm-ports.h"

#include "vm-link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 128, TCP_LISTENS = 0x0A, UDP_UNCONNECTED = 0x07, TAKEN_AT_ONCE = 16 };

/* Where somebody waits: here for the other side, or somebody of this side of whom the other side was told. */
struct port {
    bool used, ours, udp, seen;
    struct sockaddr_in address;
    int fd;
};
static struct port ports[PORTS_MAX];

/* Who asked by UDP; who asked longest ago goes first. */
static struct asker {
    bool used;
    in_port_t port;
    struct sockaddr_in server;
    int fd;
    unsigned turn;
} askers[ASKERS_MAX];
static unsigned turns;

static bool same(const struct sockaddr_in *one, const struct sockaddr_in *other) {
    return one->sin_addr.s_addr == other->sin_addr.s_addr && one->sin_port == other->sin_port;
}

static struct port *find(bool udp, const struct sockaddr_in *address) {
    for (size_t i = 0; i < PORTS_MAX; i++) {
        if (ports[i].used && ports[i].udp == udp && same(&ports[i].address, address)) return &ports[i];
    }
    return NULL;
}

static struct port *take_free(void) {
    for (size_t i = 0; i < PORTS_MAX; i++) {
        if (!ports[i].used) return &ports[i];
    }
    return NULL;
}

static void serve(bool udp, const struct sockaddr_in *address) {
    struct port *port = take_free();
    if (port == NULL || find(udp, address) != NULL) return;
    int fd = socket(AF_INET, (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return;
    if (bind(fd, (const struct sockaddr *) address, sizeof *address) != 0 ||
        (!udp && listen(fd, BACKLOG) != 0)) {
        close(fd);
        return;
    }
    *port = (struct port){.used = true, .ours = true, .udp = udp, .address = *address, .fd = fd};
}

static void stop_serving(bool udp, const struct sockaddr_in *address) {
    struct port *port = find(udp, address);
    if (port == NULL || !port->ours) return;
    close(port->fd);
    port->used = false;
}

bool ports_note(const char *text) {
    bool stops = strncmp(text, "no ", 3) == 0;
    char kind[4];
    unsigned address, number;
    if (sscanf(stops ? text + 3 : text, "%3s %8x %4x", kind, &address, &number) != 3) return false;
    bool udp = strcmp(kind, "udp") == 0;
    if (!udp && strcmp(kind, "tcp") != 0) return false;
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t) number), .sin_addr = {address}};
    if (stops) stop_serving(udp, &at);
    else serve(udp, &at);
    return true;
}

static void tell(const struct port *port, const char *before) {
    link_note("%s%s %08X %04X", before, port->udp ? "udp" : "tcp", port->address.sin_addr.s_addr,
              ntohs(port->address.sin_port));
}

static void see(bool udp, const struct sockaddr_in *address) {
    struct port *port = find(udp, address);
    if (port == NULL && (port = take_free()) != NULL) {
        *port = (struct port){.used = true, .udp = udp, .address = *address, .fd = -1};
        tell(port, "");
    }
    if (port != NULL) port->seen = true;
}

/* The format: proc_net_tcp(5). An address of IPv6 counts if it is all of them, which takes IPv4 too. */
static void look_into(const char *file, bool udp, bool six) {
    FILE *from = fopen(file, "re");
    char line[512], address[33];
    unsigned number, state, asked;
    if (from == NULL) return;
    while (fgets(line, sizeof line, from) != NULL) {
        if (sscanf(line, "%*d: %32[0-9A-F]:%x %*[0-9A-F]:%x %x", address, &number, &asked, &state) != 4)
            continue;
        if (asked != 0 || state != (udp ? UDP_UNCONNECTED : TCP_LISTENS)) continue;
        if (six && strspn(address, "0") != strlen(address)) continue;
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t) number)};
        if (!six) sscanf(address, "%x", &at.sin_addr.s_addr);
        see(udp, &at);
    }
    fclose(from);
}

void ports_look(bool udp_too) {
    for (size_t i = 0; i < PORTS_MAX; i++) ports[i].seen = false;
    look_into("/proc/self/net/tcp", false, false);
    look_into("/proc/self/net/tcp6", false, true);
    if (udp_too) look_into("/proc/self/net/udp", true, false);
    for (size_t i = 0; i < PORTS_MAX; i++) {
        if (!ports[i].used || ports[i].ours || ports[i].seen) continue;
        tell(&ports[i], "no ");
        ports[i].used = false;
    }
}

size_t ports_prepare(struct pollfd *polled, size_t count) {
    for (size_t i = 0; i < PORTS_MAX; i++) {
        if (ports[i].used && ports[i].ours)
            polled[count++] = (struct pollfd){.fd = ports[i].fd, .events = POLLIN};
    }
    for (size_t i = 0; i < ASKERS_MAX; i++) {
        if (askers[i].used) polled[count++] = (struct pollfd){.fd = askers[i].fd, .events = POLLIN};
    }
    return count;
}

static void take_datagrams(const struct port *port) {
    char bytes[DATAGRAM_MAX];
    struct sockaddr_in from;
    for (int i = 0; i < TAKEN_AT_ONCE; i++) {
        socklen_t size = sizeof from;
        ssize_t count = recvfrom(port->fd, bytes, sizeof bytes, 0, (struct sockaddr *) &from, &size);
        if (count < 0) return;
        link_datagram(from.sin_port, &port->address, bytes, (size_t) count);
    }
}

static void take_answers(struct asker *asker) {
    char bytes[DATAGRAM_MAX];
    ssize_t count = recv(asker->fd, bytes, sizeof bytes, 0);
    if (count >= 0) link_datagram(asker->port, &asker->server, bytes, (size_t) count);
    else if (errno != EAGAIN && errno != EINTR) {
        close(asker->fd);
        asker->used = false;
    }
}

void ports_handle(void) {
    for (size_t i = 0; i < PORTS_MAX; i++) {
        if (!ports[i].used || !ports[i].ours) continue;
        if (ports[i].udp) {
            take_datagrams(&ports[i]);
            continue;
        }
        int accepted;
        for (int taken = 0;
             taken < TAKEN_AT_ONCE && (accepted = accept4(ports[i].fd, NULL, NULL, SOCK_CLOEXEC)) >= 0;
             taken++)
            link_connection(accepted);
    }
    for (size_t i = 0; i < ASKERS_MAX; i++) {
        if (askers[i].used) take_answers(&askers[i]);
    }
}

void ports_ask(in_port_t port, const struct sockaddr_in *server, const char *bytes, size_t length) {
    struct asker *asker = &askers[0];
    for (size_t i = 0; i < ASKERS_MAX; i++) {
        if (askers[i].used && askers[i].port == port && same(&askers[i].server, server)) {
            asker = &askers[i];
            break;
        }
        if (asker->used && (!askers[i].used || askers[i].turn < asker->turn)) asker = &askers[i];
    }
    if (!asker->used || asker->port != port || !same(&asker->server, server)) {
        if (asker->used) close(asker->fd);
        asker->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        asker->used =
            asker->fd >= 0 && connect(asker->fd, (const struct sockaddr *) server, sizeof *server) == 0;
        if (!asker->used) {
            if (asker->fd >= 0) close(asker->fd);
            return;
        }
        asker->port = port;
        asker->server = *server;
    }
    asker->turn = ++turns;
    if (send(asker->fd, bytes, length, 0) < 0) return; /* It is asked again, as what is lost on its way. */
}

void ports_answer(in_port_t asker, const struct sockaddr_in *server, const char *bytes, size_t length) {
    const struct port *port = find(true, server);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = asker, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (port != NULL && port->ours &&
        sendto(port->fd, bytes, length, 0, (struct sockaddr *) &to, sizeof to) < 0)
        return;
}
