/* Attempts by sockets: of the host, of every family, and out into the world. */
#define _GNU_SOURCE
#include "escape.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static bool connect_unix(const char *path, bool abstract) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path == NULL) return tell(false, "not told");
    snprintf(address.sun_path + abstract, sizeof address.sun_path - abstract, "%s", path);
    socklen_t length = (socklen_t) (offsetof(struct sockaddr_un, sun_path) + abstract + strlen(path));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return done(fd < 0 ? -1 : connect(fd, (struct sockaddr *) &address, length));
}
static bool host_socket(void) {
    return connect_unix(host.unix_socket, false);
}
static bool host_abstract_socket(void) {
    return connect_unix(host.abstract_name, true);
}
static bool docker_socket(void) {
    return connect_unix("/run/docker.sock", false);
}
static bool bus_socket(void) {
    return connect_unix("/run/dbus/system_bus_socket", false);
}

static bool connect_inet(const char *text, int type, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short) port)};
    inet_pton(AF_INET, text, &address.sin_addr);
    int fd = socket(AF_INET, type, 0);
    return done(fd < 0 ? -1 : connect(fd, (struct sockaddr *) &address, sizeof address));
}
static bool host_loopback(void) {
    return connect_inet("127.0.0.1", SOCK_STREAM, host.port);
}
/* A datagram socket that connects has found a route; nothing is sent. With egress it leads back: see
 * escape-egress.c. */
static bool route_out(void) {
    return host.egress ? tell(false, "egress") : connect_inet("192.0.2.1", SOCK_DGRAM, 9);
}
static bool metadata_service(void) {
    return host.egress ? tell(false, "egress") : connect_inet("169.254.169.254", SOCK_DGRAM, 80);
}

static bool family(int number, int type, int protocol) {
    return done(socket(number, type, protocol));
}
static bool vsock(void) {
    return family(AF_VSOCK, SOCK_STREAM, 0);
}
static bool packet(void) {
    return family(AF_PACKET, SOCK_RAW, 0);
}
static bool raw(void) {
    return family(AF_INET, SOCK_RAW, IPPROTO_ICMP);
}
static bool raw6(void) {
    return family(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6);
}
static bool crypto(void) {
    return family(AF_ALG, SOCK_SEQPACKET, 0);
}
static bool other_families(void) {
    for (int number = 3; number < 64; number++) {
        static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_RAW};
        if (number == AF_INET6 || number == AF_NETLINK) continue;
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            if (socket(number, types[i], 0) >= 0) return tell(true, "family %d", number);
        }
    }
    return tell(false, "none");
}
static bool vsock_pair(void) {
    int both[2];
    return done(socketpair(AF_VSOCK, SOCK_STREAM, 0, both));
}

/* Puts loopback up, which it is. */
static bool change_interface(void) {
    struct {
        struct nlmsghdr head;
        struct ifinfomsg interface;
    } request = {
        .head = {.nlmsg_len = sizeof request,
                 .nlmsg_type = RTM_NEWLINK,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
        .interface = {.ifi_index = 1, .ifi_flags = IFF_UP, .ifi_change = IFF_UP},
    };
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
        char rest[512];
    } answer;
    int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    if (fd < 0 || send(fd, &request, sizeof request, 0) < 0) return done(-1);
    ssize_t length = recv(fd, &answer, sizeof answer, 0);
    if (length < 0 || answer.head.nlmsg_type != NLMSG_ERROR) return tell(false, "no answer");
    errno = -answer.error.error;
    return done(answer.error.error);
}
static bool listen_to_devices(void) {
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 1};
    int fd = socket(AF_NETLINK, SOCK_DGRAM, NETLINK_AUDIT);
    return done(fd < 0 ? -1 : bind(fd, (struct sockaddr *) &address, sizeof address));
}

const struct probe network_probes[] = {
    {"host-socket", host_socket},
    {"host-abstract-socket", host_abstract_socket},
    {"docker-socket", docker_socket},
    {"dbus-socket", bus_socket},
    {"host-loopback", host_loopback},
    {"route-out", route_out},
    {"metadata-service", metadata_service},
    {"vsock", vsock},
    {"vsock-pair", vsock_pair},
    {"packet-socket", packet},
    {"raw-socket", raw},
    {"raw-socket-v6", raw6},
    {"crypto-socket", crypto},
    {"any-other-family", other_families},
    {"change-interface", change_interface},
    {"audit-multicast", listen_to_devices},
    {NULL, NULL},
};
