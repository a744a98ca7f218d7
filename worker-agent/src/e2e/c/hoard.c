/*
 * Takes what a limit should hold, each in a way that some counter of the kernel does not see, and keeps it.
 *
 *   hoard WHAT MOST          says "holds N" once it has MOST (MiB, files or pieces) or gets no more, and
 * stays hoard well               says "well N" again and again while an ordinary program finds what it needs
 *
 * MOST bounds it where the limit does not. Whoever started it ends it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MIB = 1 << 20, WORD = 64 * 1024, WELL_BYTES = 8 * MIB, PASSED_MAX = 250, PROCESSES_MAX = 30 };

static char word[WORD];

static const char *reason(void) {
    const char *name = strerrorname_np(errno);
    return name != NULL ? name : "nothing";
}

/* In pieces of one MiB, so that it never has much more than it may. Returns what it got. */
static long touch(char *memory, long mib) {
    for (long i = 0; i < mib; i++) memset(memory + i * MIB, 'x', MIB);
    return mib;
}

static long in_memfd(long most) {
    int fd = memfd_create("hoard", 0);
    for (long i = 0; i < most * (MIB / WORD); i++) {
        if (write(fd, word, sizeof word) != sizeof word) return i / (MIB / WORD);
    }
    return most;
}

static long in_sysv(long most) {
    int id = shmget(IPC_PRIVATE, (size_t) most * MIB, IPC_CREAT | 0600);
    char *memory = id < 0 ? (void *) -1 : shmat(id, NULL, 0);
    if (memory == (void *) -1) return 0;
    long got = touch(memory, most);
    shmdt(memory); /* the segment stays */
    return got;
}

static long in_messages(long most) {
    long got = 0;
    struct {
        long type;
        char text[4096];
    } message = {.type = 1};
    while (got < most * MIB) {
        int id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
        if (id < 0) break;
        while (msgsnd(id, &message, sizeof message.text, IPC_NOWAIT) == 0) got += (long) sizeof message.text;
    }
    return got / MIB;
}

/* One takes at least 64 bytes. */
static long in_semaphores(long most) {
    long got = 0;
    while (got < most * MIB && semget(IPC_PRIVATE, 1000, IPC_CREAT | 0600) >= 0) got += 64 * 1000;
    return got / MIB;
}

static long shared(int fd, int flags, long most) {
    char *memory = mmap(NULL, (size_t) most * MIB, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, 0);
    if (memory == MAP_FAILED) return 0;
    long got = touch(memory, most);
    /* It stays in memory, and no process has it mapped any more: the next touch would bring it back. */
    madvise(memory, (size_t) most * MIB, MADV_DONTNEED);
    return got;
}

static long in_shared_memory(long most) {
    return shared(-1, MAP_ANONYMOUS, most);
}
static long in_zero_device(long most) {
    return shared(open("/dev/zero", O_RDWR), 0, most);
}

/* A piece stays whole as long as any page of it is mapped, and only that page shows. */
static long in_hidden_memory(long most) {
    enum { PIECE = 4 * MIB, PAGE = 4096 };
    for (long got = 0; got < most; got += PIECE / MIB) {
        char *memory = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return got;
        touch(memory, PIECE / MIB);
        munmap(memory + PAGE, PIECE - PAGE);
    }
    return most;
}

/* 4 KiB of tables for each page of zeros that lies 2 MiB from the next; the page itself is the kernel's. */
static long in_page_tables(long most) {
    size_t span = 2 * MIB, bytes = (size_t) most * 256 * span;
    char *memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return 0;
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < bytes; at += span) *(volatile char *) (memory + at);
    return most;
}

/* Writes to a socket until it takes no more, or the bound is reached. */
static long stuff(int fd, long bytes_max) {
    long got = 0;
    while (got < bytes_max) {
        ssize_t count = send(fd, word, sizeof word, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count <= 0) break;
        got += count;
    }
    return got;
}

static long in_tcp(long most) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *) &at, length) != 0 || listen(listener, 100) != 0 ||
        getsockname(listener, (struct sockaddr *) &at, &length) != 0)
        return 0;
    long got = 0;
    for (int i = 0; i < 120 && got < most * MIB; i++) {
        int one = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(one, (struct sockaddr *) &at, length) != 0) break;
        int other = accept(listener, NULL, NULL);
        got += stuff(one, most * MIB - got);
        got += stuff(other, most * MIB - got);
    }
    return got / MIB;
}

static bool pass(int to, int fd, int count) {
    union {
        char bytes[CMSG_SPACE(PASSED_MAX * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec byte = {.iov_base = word, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &byte,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = CMSG_SPACE((size_t) count * sizeof(int)),
    };
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN((size_t) count * sizeof(int));
    for (int i = 0; i < count; i++) memcpy(CMSG_DATA(head) + (size_t) i * sizeof fd, &fd, sizeof fd);
    return sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

static long in_unix_sockets(long most) {
    long got = 0;
    int both[2];
    while (got < most * MIB && socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0) {
        long piece = stuff(both[0], most * MIB - got) + stuff(both[1], most * MIB - got);
        if (piece == 0) break;
        got += piece;
    }
    return got / MIB;
}

/* Full sockets that no process has open: they are on their way through others. */
static long in_passed_sockets(long most) {
    long got = 0;
    int way[2], both[2];
    while (got < most * MIB && socketpair(AF_UNIX, SOCK_STREAM, 0, way) == 0) {
        for (int i = 0; i < 100 && got < most * MIB && socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0; i++) {
            got += stuff(both[0], most * MIB - got) + stuff(both[1], most * MIB - got);
            bool gone = pass(way[0], both[0], 1) && pass(way[0], both[1], 1);
            close(both[0]);
            close(both[1]);
            if (!gone) return got / MIB;
        }
    }
    return got / MIB;
}

static long piped(long bytes_max) {
    long got = 0;
    int both[2];
    while (got < bytes_max && pipe2(both, O_NONBLOCK) == 0) {
        for (ssize_t count; got < bytes_max && (count = write(both[1], word, 4096)) > 0;) got += count;
    }
    return got;
}

/* Several processes, since one has no more than so many descriptors. */
static long in_pipes(long most) {
    long got = 0;
    for (int i = 0; i < PROCESSES_MAX && got < most * MIB; i++) {
        int answer[2];
        if (pipe(answer) != 0) break;
        pid_t child = fork();
        if (child < 0) break;
        if (child == 0) {
            long part = piped(most * MIB - got);
            if (write(answer[1], &part, sizeof part) != sizeof part) _exit(1);
            for (;;) pause();
        }
        long part = 0;
        close(answer[1]);
        if (read(answer[0], &part, sizeof part) != sizeof part) part = 0;
        close(answer[0]);
        got += part;
    }
    return got / MIB;
}

static long files(const char *folder, long most) {
    char path[64];
    for (long i = 0; i < most; i++) {
        snprintf(path, sizeof path, "%s/%ld", folder, i);
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0) return i;
        close(fd);
    }
    return most;
}

static long files_in_tmp(long most) {
    return files("/tmp", most);
}
static long files_in_shm(long most) {
    return files("/dev/shm", most);
}

static long inotify_instances(long most) {
    long got = 0;
    while (got < most && inotify_init1(0) >= 0) got++;
    return got;
}

/* Of as many descriptors as it may have, each in several messages. */
static long descriptors_in_flight(long most) {
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    long got = 0;
    int both[2];
    while (got < most && socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0) {
        int i = 0;
        while (i < 4 && got < most && pass(both[0], 0, PASSED_MAX)) i++, got += PASSED_MAX;
        if (i < 4) break;
    }
    return got;
}

/* What an ordinary program asks for; the name of what it does not get, or NULL. */
static const char *missed(void) {
    int instance = inotify_init1(IN_CLOEXEC), both[2];
    if (instance < 0) return "inotify";
    close(instance);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, both) != 0) return "socketpair";
    bool passed = pass(both[0], 0, 1);
    int error = errno;
    close(both[0]);
    close(both[1]);
    errno = error;
    if (!passed) return "passing";
    char *memory = mmap(NULL, WELL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return "memory";
    memset(memory, 'x', WELL_BYTES);
    munmap(memory, WELL_BYTES);
    return NULL;
}

static void be_well(void) {
    const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    for (long i = 1;; i++) {
        const char *what = missed();
        if (what == NULL) printf("well %ld\n", i);
        else printf("misses %s %s\n", what, reason());
        nanosleep(&pause, NULL);
    }
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        long (*take)(long most);
    } ways[] = {
        {"memfd", in_memfd},
        {"sysv", in_sysv},
        {"messages", in_messages},
        {"semaphores", in_semaphores},
        {"shared", in_shared_memory},
        {"zero", in_zero_device},
        {"hidden", in_hidden_memory},
        {"tables", in_page_tables},
        {"tcp", in_tcp},
        {"unix", in_unix_sockets},
        {"passed", in_passed_sockets},
        {"pipes", in_pipes},
        {"tmp", files_in_tmp},
        {"shm", files_in_shm},
        {"inotify", inotify_instances},
        {"flight", descriptors_in_flight},
    };
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count == 2 && strcmp(arguments[1], "well") == 0) be_well();
    for (size_t i = 0; count == 3 && i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(arguments[1], ways[i].name) != 0) continue;
        errno = 0;
        long got = ways[i].take(atol(arguments[2]));
        printf("holds %ld %s\n", got, reason());
        for (;;) pause();
    }
    fprintf(stderr, "usage: hoard WHAT MOST | hoard well\n");
    return 2;
}
