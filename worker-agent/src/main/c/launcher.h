/* What the parts of brig-launcher share. The protocol stands at the top of brig-launcher.c. */
#ifndef BRIG_LAUNCHER_H
#define BRIG_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    HEADER_MAX = 128, BODY_MAX = 256 * 1024, ID_MAX = 64, WALLS_MAX = 1024,
    ARGS_MAX = 2048, CGROUPS_MAX = 8, COMPLAINT_MAX = 500, STATUS_MAX = 255, INFO_MAX = 511,
    /* What process 1 of the wall finds open (see brig-init.c), then what only bwrap reads. */
    PAYLOAD_STDIN = 3, PAYLOAD_STDOUT, PAYLOAD_STDERR, STATUS, ARGS, SECCOMP, INFO, FIRST_FREE
};

enum source { FROM_STDIN, FROM_SIGNALS, FROM_STATUS, FROM_INFO, FROM_COMPLAINT, FROM_INIT };

struct request {
    uid_t uid;
    gid_t gid;
    bool has_uid, has_gid, stdin_pipe;
    const char *seccomp;
    const char *cgroups[CGROUPS_MAX];
    size_t cgroup_count;
    char *exec[ARGS_MAX + 16];          /* bwrap's whole command line */
    size_t exec_count;
    size_t args_bytes;
    char args[BODY_MAX];                /* bwrap's options, NUL-ended; last, as it is not cleared */
};

/* brig-launcher.c */
extern const char *bwrap_path;
const char *errno_name(int error);
__attribute__((format(printf, 1, 2))) void reply(const char *format, ...);
void watch(int fd, enum source source, size_t index);
void drop(int *fd);

/* launcher-requests.c */
void handle_input(void);

/* launcher-walls.c; a wall is named by its id in orders, and by its index in events */
void do_launch(const char *id, const struct request *request);
void do_opened(const char *id);
void do_kill(const char *id);
void do_signal(const char *id, int signal_number);
void handle_wall_event(enum source source, size_t index);
void reap(void);

/* launcher-child.c; sources[n] is the descriptor that becomes n in bwrap, or -1 */
__attribute__((noreturn))
void become_bwrap(const struct request *request, int sources[FIRST_FREE], pid_t launcher);

#endif
