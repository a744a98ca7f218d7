/* Attempts against the network of a wall with egress: past its sockets, and to change what leads to them. */
#define _GNU_SOURCE
#include "escape.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { NO_INTERFACE = 0x7FFFFFF0, MPTCP = 262 };

static struct sockaddr_in address_of(const char *text, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short) port)};
    inet_pton(AF_INET, text, &address.sin_addr);
    return address;
}

/*
 * Whoever is connected to an address of its own network has it on both ends. A connection that was taken
 * there went nowhere else, though it looks as if it had.
 */
static bool left(int fd, const struct sockaddr_in *to) {
    struct sockaddr_in from = {0};
    socklen_t length = sizeof from;
    struct timeval patience = {.tv_sec = 1};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (fd < 0 || connect(fd, (const struct sockaddr *) to, sizeof *to) != 0) return done(-1);
    if (getsockname(fd, (struct sockaddr *) &from, &length) != 0) return done(-1);
    return tell(from.sin_addr.s_addr != to->sin_addr.s_addr, "from %s", inet_ntoa(from.sin_addr));
}

static bool tcp_to(const char *text, int port, int protocol) {
    struct sockaddr_in to = address_of(text, port);
    return left(socket(AF_INET, SOCK_STREAM, protocol), &to);
}
static bool tcp_raw_port(void) {
    return tcp_to("192.0.2.1", 9, 0);
}
static bool tcp_address_literal(void) {
    return tcp_to("192.0.2.1", 443, 0);
}
static bool tcp_metadata(void) {
    return tcp_to("169.254.169.254", 80, 0);
}
static bool tcp_many_paths(void) {
    return tcp_to("192.0.2.1", 443, MPTCP);
}
static bool tcp_host_address(void) {
    return host.address == NULL ? tell(false, "not told") : tcp_to(host.address, host.port, 0);
}

/* Whether both ends of a connection are the same socket: the kernel may choose the very port that it leads
 * to. */
static bool is_own(int fd, const struct sockaddr_in *to) {
    struct sockaddr_in from = {0};
    socklen_t length = sizeof from;
    return getsockname(fd, (struct sockaddr *) &from, &length) == 0 && from.sin_port == to->sin_port &&
           from.sin_addr.s_addr == to->sin_addr.s_addr;
}

/* What is sent has to come back as refused by this very network: silence would mean that it went somewhere.
 */
static bool datagram(int fd, const char *text, int port) {
    struct sockaddr_in to = address_of(text, port);
    struct timeval patience = {.tv_usec = 200 * 1000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char answer[512];
    if (fd < 0 || connect(fd, (struct sockaddr *) &to, sizeof to) != 0) return done(-1);
    if (send(fd, "brig", 4, 0) < 0 || recv(fd, answer, sizeof answer, 0) < 0) {
        return tell(errno == EAGAIN, "%s", strerrorname_np(errno));
    }
    return is_own(fd, &to) ? tell(false, "by itself") : tell(true, "was answered");
}
static bool datagram_to(const char *text, int port) {
    return datagram(socket(AF_INET, SOCK_DGRAM, 0), text, port);
}
/* From a port to the same port: whoever takes that for an answer believes in escapes that are none. */
static bool udp_to_itself(void) {
    struct sockaddr_in own = address_of("127.0.0.1", 0);
    socklen_t length = sizeof own;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(fd, (struct sockaddr *) &own, length) != 0 ||
        getsockname(fd, (struct sockaddr *) &own, &length) != 0) {
        return done(-1);
    }
    return datagram(fd, "127.0.0.1", ntohs(own.sin_port));
}
static bool udp_outside(void) {
    return datagram_to("192.0.2.1", 9);
}
static bool dns_outside(void) {
    return datagram_to("8.8.8.8", 53);
}
static bool udp_host_loopback(void) {
    return datagram_to("127.0.0.1", host.udp_port);
}
static bool udp_host_address(void) {
    return host.address == NULL ? tell(false, "not told") : datagram_to(host.address, host.udp_port);
}

static bool connect6(const char *text, int type, int port) {
    struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons((unsigned short) port)};
    inet_pton(AF_INET6, text, &to.sin6_addr);
    int fd = socket(AF_INET6, type, 0);
    return done(fd < 0 ? -1 : connect(fd, (struct sockaddr *) &to, sizeof to));
}
static bool ipv6_outside(void) {
    return connect6("2001:db8::1", SOCK_DGRAM, 9);
}
static bool ipv6_host_loopback(void) {
    return connect6("::1", SOCK_STREAM, host.port);
}
static bool ipv4_in_ipv6(void) {
    return connect6("::ffff:127.0.0.1", SOCK_STREAM, host.port);
}

/* Takes a port with each option that lets two have one, on every address and on one that leads to it. */
static bool take(int type, const char *address, int port) {
    const char *const addresses[] = {"0.0.0.0", address};
    static const int options[] = {SO_REUSEADDR, SO_REUSEPORT};
    for (size_t i = 0; i < 2 * sizeof addresses / sizeof *addresses; i++) {
        struct sockaddr_in at = address_of(addresses[i / 2], port);
        int one = 1, fd = socket(AF_INET, type, 0);
        setsockopt(fd, SOL_SOCKET, options[i % 2], &one, sizeof one);
        bool bound = bind(fd, (struct sockaddr *) &at, sizeof at) == 0;
        if (bound && (type == SOCK_DGRAM || listen(fd, 1) == 0)) return tell(true, "%s", addresses[i / 2]);
        close(fd);
    }
    return tell(false, "%s", strerrorname_np(errno));
}
static bool take_dns(void) {
    return take(SOCK_DGRAM, "127.0.0.1", 53);
}
static bool take_dns_tcp(void) {
    return take(SOCK_STREAM, "127.0.0.1", 53);
}
static bool take_https(void) {
    return take(SOCK_STREAM, "198.18.0.1", 443);
}
/* Only where the wall has it: without egress it is anybody's. */
static bool take_proxy(void) {
    return host.egress ? take(SOCK_STREAM, "127.0.0.1", 3128) : tell(false, "no egress");
}

/* Asks the kernel for what only the owner of a network may; each is malformed, so that the right is all that
 * counts. */
static bool ask(void *request, unsigned short type, size_t length) {
    struct nlmsghdr *head = request;
    head->nlmsg_len = (unsigned) length;
    head->nlmsg_type = type;
    head->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
        char rest[512];
    } answer;
    int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    if (fd < 0 || send(fd, request, length, 0) < 0) return done(-1);
    if (recv(fd, &answer, sizeof answer, 0) < 0 || answer.head.nlmsg_type != NLMSG_ERROR)
        return tell(false, "no answer");
    errno = -answer.error.error;
    return permitted(answer.error.error);
}
static bool route(unsigned short type) {
    struct {
        struct nlmsghdr head;
        struct rtmsg route;
    } request = {
        .route = {.rtm_family = AF_INET,
                  .rtm_table = RT_TABLE_LOCAL,
                  .rtm_dst_len = 33,
                  .rtm_type = RTN_LOCAL},
    };
    return ask(&request, type, sizeof request);
}
static bool route_removed(void) {
    return route(RTM_DELROUTE);
}
static bool route_added(void) {
    return route(RTM_NEWROUTE);
}
static bool address_added(void) {
    struct {
        struct nlmsghdr head;
        struct ifaddrmsg address;
    } request = {
        .address = {.ifa_family = AF_INET, .ifa_index = NO_INTERFACE},
    };
    return ask(&request, RTM_NEWADDR, sizeof request);
}
static bool interface_down(void) {
    struct {
        struct nlmsghdr head;
        struct ifinfomsg interface;
    } request = {
        .interface = {.ifi_index = NO_INTERFACE, .ifi_change = IFF_UP},
    };
    return ask(&request, RTM_NEWLINK, sizeof request);
}
static bool rule_added(void) {
    struct {
        struct nlmsghdr head;
        struct fib_rule_hdr rule;
    } request = {
        .rule = {.family = AF_INET, .dst_len = 33, .action = FR_ACT_TO_TBL},
    };
    return ask(&request, RTM_NEWRULE, sizeof request);
}

static bool socket_option(int level, int option) {
    int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    return done(setsockopt(fd, level, option, &one, sizeof one));
}
static bool transparent_socket(void) {
    return socket_option(IPPROTO_IP, IP_TRANSPARENT);
}
static bool marked_socket(void) {
    return socket_option(SOL_SOCKET, SO_MARK);
}
static bool setting(const char *path) {
    return done(open(path, O_WRONLY));
}
static bool low_ports(void) {
    return setting("/proc/sys/net/ipv4/ip_unprivileged_port_start");
}
static bool forwarding(void) {
    return setting("/proc/sys/net/ipv4/ip_forward");
}

const struct probe egress_probes[] = {
    {"tcp-raw-port", tcp_raw_port},
    {"tcp-address-literal", tcp_address_literal},
    {"tcp-metadata", tcp_metadata},
    {"tcp-many-paths", tcp_many_paths},
    {"tcp-host-address", tcp_host_address},
    {"udp-outside", udp_outside},
    {"dns-outside", dns_outside},
    {"udp-to-itself", udp_to_itself},
    {"udp-host-loopback", udp_host_loopback},
    {"udp-host-address", udp_host_address},
    {"ipv6-outside", ipv6_outside},
    {"ipv6-host-loopback", ipv6_host_loopback},
    {"ipv4-in-ipv6", ipv4_in_ipv6},
    {"take-dns", take_dns},
    {"take-dns-tcp", take_dns_tcp},
    {"take-https", take_https},
    {"take-proxy", take_proxy},
    {"route-removed", route_removed},
    {"route-added", route_added},
    {"address-added", address_added},
    {"interface-down", interface_down},
    {"rule-added", rule_added},
    {"transparent-socket", transparent_socket},
    {"marked-socket", marked_socket},
    {"low-ports", low_ports},
    {"forwarding", forwarding},
    {NULL, NULL},
};
