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
    PAYLOAD_STDIN = 3, PAYLOAD_STDOUT, PAYLOAD_STDERR, STATUS, ARGS, SECCOMP, INFO,
    /* What the child waits for before it becomes bwrap: a byte, and then the body of "launch". */
    GO, BODY, FIRST_FREE
};

enum source { FROM_STDIN, FROM_SIGNALS, FROM_STATUS, FROM_INFO, FROM_COMPLAINT, FROM_INIT };

/* What has to be known before the fork. */
struct preparation {
    uid_t uid;
    gid_t gid;
    bool has_uid, has_gid;
    const char *cgroups[CGROUPS_MAX];
    size_t cgroup_count;
};

struct request {
    bool stdin_pipe;
    const char *seccomp;
    char *exec[ARGS_MAX + 16];          /* bwrap's whole command line */
    size_t exec_count;
    size_t args_bytes;
    char args[BODY_MAX];                /* bwrap's options, NUL-ended; last, as it is not cleared */
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
/* A launch that cannot be: ends what was prepared for it. */
void do_refuse(const char *id, const char *error);
void do_opened(const char *id);
void do_kill(const char *id);
void do_signal(const char *id, int signal_number);
void handle_wall_event(enum source source, size_t index);
void reap(void);

/* launcher-child.c; sources[n] is the descriptor that becomes n, or -1 */
__attribute__((noreturn))
void become_child(const struct preparation *preparation, int sources[FIRST_FREE], pid_t launcher);

#endif
