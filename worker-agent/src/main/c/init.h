/* Shared by the parts of brig-init. brig-init.c describes process 1. */
#ifndef BRIG_INIT_H
#define BRIG_INIT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

enum {
    PAYLOAD_STDIN = 3,
    STATUS = 6,
    FIRST_FREE = 7,
    TOKEN = 7,
    TOKEN_MAX = 32,
    PROPERTIES_MAX = 32,
    LIMITS = 4
};

/* The worker's user and group behind the wall. */
#define WORKER "1000"

/* brig-init.c: the command line; a limit counts only if it is set */
struct wanted_limit {
    const char *option;
    int resource;
    bool set;
    rlim_t most;
};
extern struct wanted_limit wanted_limits[LIMITS];

/* init-terminal.c */
bool parse_size(const char *text, struct winsize *into); /* COLUMNSxROWS */
bool open_terminal(const struct winsize *first);
/* In the payload's process, which gets the terminal as 0, 1 and 2. */
bool take_terminal(void);
/* Serves the terminal until the payload ends and all is written. Returns its wait status. */
int serve_terminal(pid_t of, const sigset_t *wanted);

/* init-follow.c. An order has a head of FOLLOW_HEAD bytes and a path, and is at most FOLLOW_MAX bytes long.
 */
enum { FOLLOW_HEAD = 3, FOLLOW_MAX = 4000 };
/* Begins at the file's end. */
enum { FOLLOW_END = 1 };
void follow(const unsigned char *order, size_t length);
/* The payload has ended. What is left in the files is still read, for a moment. */
void end_following(void);

/*
 * posture.c: measures properties NAME or NAME=VALUE and writes a line for each to the status pipe: the first
 * prefix stands before the line, the second before the name. Returns the name of the first that does not
 * hold, or NULL; an unknown property does not hold.
 */
const char *measure_posture(char *const declared[], size_t count, const char *before, const char *of);

/* For the checks: true if the property declared with VALUE (or NULL) holds; they record the observation. */
typedef bool check(const char *value);
__attribute__((format(printf, 2, 3))) bool seen(bool holds, const char *format, ...);
/* Reads a whole file, NUL-ended; false if it cannot be read or does not fit. */
bool slurp(const char *path, char *text, size_t size);
/* Whether our namespace of that kind differs from the one numbered HOST. */
bool apart(const char *kind, const char *host);

/* posture-process.c, posture-files.c, posture-network.c */
check uid_not_root, no_capabilities, no_new_privs, seccomp_filter, own_pid_namespace, own_user_namespace,
    init_sealed, no_terminal, environment_empty, limits, inotify_bounded, other_kernel;
check root_read_only, proc_sys_read_only, workspace, workspace_mounts, tmp_sized, home_sized, shm_sized,
    descriptors;
check own_network, egress_network, no_host_sockets;

#endif
