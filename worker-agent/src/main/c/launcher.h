/* Shared by the parts of brig-launcher. brig-launcher.c describes the protocol. */
#ifndef BRIG_LAUNCHER_H
#define BRIG_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct network_order;

enum {
    HEADER_MAX = 128,
    BODY_MAX = 256 * 1024,
    ID_MAX = 64,
    WALLS_MAX = 1024,
    ARGS_MAX = 2048,
    CGROUPS_MAX = 8,
    BEFORE_MAX = 4,
    COMPLAINT_MAX = 500,
    STATUS_MAX = 255,
    INFO_MAX = 511,
    /* Descriptors of process 1 (see brig-init.c), then those that only bwrap reads. */
    PAYLOAD_STDIN = 3,
    PAYLOAD_STDOUT,
    PAYLOAD_STDERR,
    STATUS,
    ARGS,
    SECCOMP,
    INFO,
    /*
     * Read by the child before it becomes bwrap: a byte, then the body of "launch". With a network, bwrap
     * waits on GO once more.
     */
    GO,
    BODY,
    FIRST_FREE
};

enum source { FROM_STDIN, FROM_SIGNALS, FROM_STATUS, FROM_INFO, FROM_COMPLAINT, FROM_INIT, FROM_NETWORK };

/* Everything needed before the fork. */
struct preparation {
    uid_t uid;
    gid_t gid;
    bool has_uid, has_gid;
    const char *cgroups[CGROUPS_MAX];
    size_t cgroup_count;
};

struct request {
    bool stdin_pipe, waits_for_network;
    const char *seccomp;
    char *before[BEFORE_MAX + ARGS_MAX + 16]; /* a program that becomes bwrap, up to bwrap's path */
    size_t before_count;
    char *exec[ARGS_MAX + 16]; /* bwrap's whole command line */
    size_t exec_count;
    size_t args_bytes;
    char args[BODY_MAX]; /* bwrap's options, NUL-ended; last, as it is not cleared */
};

/* brig-launcher.c */
extern const char *bwrap_path;
const char *errno_name(int error);
__attribute__((format(printf, 1, 2))) void reply(const char *format, ...);
void send_replies(void);
void watch(int fd, enum source source, size_t index);
void drop(int *fd);

/* launcher-requests.c */
void handle_input(void);
/* Fills REQUEST from the body of "launch"; false if anything in it is unknown, out of bounds or malformed. */
bool parse_launch(struct request *request, char *body, size_t bytes);

/* launcher-walls.c; a wall is named by its id in orders, and by its index in events */
void do_prepare(const char *id, const struct preparation *preparation);
void do_launch(const char *id, const char *body, size_t bytes);
/* Refuses a launch: ends the process prepared for it. */
void do_refuse(const char *id, const char *error);
void do_opened(const char *id);
void do_kill(const char *id);
void do_signal(const char *id, int signal_number);
void do_network(const char *id, const struct network_order *order, const char *socket_path);
void do_bounds(const char *id, const struct network_order *order);
/* Creates a further socket; its number is above 0 and identifies it in the reply. */
void do_socket(const char *id, unsigned number, const struct network_order *order);
void handle_wall_event(enum source source, size_t index);
void reap(void);
const char *wall_id(size_t index);
/* The network that the launch waits for is ready, or failed with that errno. */
void handle_network_made(size_t index, int error);

/* launcher-network.c; a wall is named by its index */
void want_bounds(size_t wall, const struct preparation *preparation, const struct network_order *order);
bool want_network(size_t wall, const struct preparation *preparation, const struct network_order *order,
                  const char *socket_path);
bool has_network(size_t wall);
/* Begins to create the wanted sockets, in the namespaces of a process that its pidfd shows to exist. */
void enter_network(size_t wall, pid_t first_process, int pidfd);
/* Opens the namespaces of a wall that was not entered yet, for connections to servers in it. */
void find_network(size_t wall, pid_t first_process, int pidfd);
void order_socket(size_t wall, unsigned number, const struct network_order *order);
void release_network(size_t wall);
bool is_network_child(pid_t pid);
void forget_network_child(pid_t pid);
void handle_network_answer(size_t index);

/* launcher-child.c; sources[n] is the descriptor that becomes n, or -1 */
__attribute__((noreturn)) void become_child(const struct preparation *preparation, int sources[FIRST_FREE],
                                            pid_t launcher);

#endif
