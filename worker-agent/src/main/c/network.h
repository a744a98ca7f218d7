/* Shared by the parts of brig-launcher for the network of a wall with egress; see launcher-network.c. */
#ifndef BRIG_NETWORK_H
#define BRIG_NETWORK_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SOCKETS_MAX = 64, BOUNDS_MAX = 16, BOUND_NAME_MAX = 31 };

struct wanted_socket {
    int type; /* SOCK_STREAM or SOCK_DGRAM */
    struct sockaddr_in address;
};

/* A per-user limit of a wall: a file of /proc/sys/user, and its maximum value. */
struct bound {
    char name[BOUND_NAME_MAX + 1];
    unsigned most;
};

/* The child's task in the wall's namespaces. */
struct network_order {
    enum {
        BOUND,
        SET_UP,
        LISTEN,
        DIAL
    } verb; /* SET_UP also makes every address local to the wall; BOUND creates no socket */
    size_t count;
    struct wanted_socket sockets[SOCKETS_MAX];
    size_t bound_count;
    struct bound bounds[BOUNDS_MAX];
};

/* The namespaces to enter, and the user to become: the one that created them has every right there, and none
 * elsewhere. */
struct network_place {
    int user_namespace, net_namespace;
    bool has_uid;
    uid_t uid;
    gid_t gid;
};

/* launcher-network-child.c: sends an errno over ANSWERS and, if it is 0, the sockets in order. */
__attribute__((noreturn)) void become_network_child(const struct network_place *place,
                                                    const struct network_order *order, int answers);

#endif
