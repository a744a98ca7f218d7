/* The one route of loopback.h. */
#define _GNU_SOURCE
#include "loopback.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LOOPBACK = 1 };

bool claim_all_addresses(void) {
    struct {
        struct nlmsghdr head;
        struct rtmsg route;
        struct rtattr name;
        int interface;
    } request = {
        .head = {.nlmsg_len = sizeof request,
                 .nlmsg_type = RTM_NEWROUTE,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE},
        .route = {.rtm_family = AF_INET,
                  .rtm_table = RT_TABLE_LOCAL,
                  .rtm_protocol = RTPROT_BOOT,
                  .rtm_scope = RT_SCOPE_HOST,
                  .rtm_type = RTN_LOCAL},
        .name = {.rta_len = RTA_LENGTH(sizeof(int)), .rta_type = RTA_OIF},
        .interface = LOOPBACK,
    };
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
        char rest[512];
    } reply;
    int link = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (link < 0) return false;
    ssize_t length = send(link, &request, sizeof request, 0);
    if (length >= 0) length = recv(link, &reply, sizeof reply, 0);
    if (length >= 0) errno = reply.head.nlmsg_type == NLMSG_ERROR ? -reply.error.error : EPROTO;
    int error = errno;
    close(link);
    errno = error;
    return length >= 0 && error == 0;
}
