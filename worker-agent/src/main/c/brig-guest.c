/*
 * brig-guest: process 1 of a virtual machine, in its first file system (an initramfs) beside brig-init and
 * the modules of its kernel, which the file "modules" names in their order.
 *
 * It loads the modules, opens the port to brig-vm.c outside and says "up". That is the state that an image of
 * a machine keeps: a machine goes on from there when it gets its order, which is one worker. The order is
 * words, each ended by NUL:
 *
 *   --time NANOSECONDS --random HEX --hostname NAME --tmp BYTES --home BYTES --shm BYTES --memory BYTES
 *   [--network claimed] [--writable PLACE | --read-only PLACE]... [--environment NAME=VALUE]... --directory
 * PLACE
 *   -- COMMAND OF BRIG-INIT
 *
 * The files of the wall outside are there twice by 9p: all of them, read-only and remembered here, and the
 * places, by number, which others may change meanwhile. brig-init is process 1 of the worker's own
 * namespaces, as the worker's user. Its streams go over the link, and so do connections.
 *
 * Notes to outside: "up"; "fault WHAT ERRNO" if the worker cannot be started; "ended" when it has, "done"
 * once all it wrote is sent too; and those of ports. From outside: "signal NUMBER" for brig-init, and those
 * of ports.
 */
#define _GNU_SOURCE
#include "loopback.h"
#include "vm-link.h"
#include "vm-ports.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/random.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROOT "/wall"
#define PLACES "/places"
#define GROUP "/group"
/* Where they are made, before there is a ROOT for them. */
#define DEVICES "/devices"
#define PROCESSES "/processes"
/* Big messages cost fewer exchanges. */
#define NINE_P "trans=virtio,version=9p2000.L,access=any,msize=524288,"

enum {
    WORKER = 1000,
    PLACES_MAX = 512,
    ORDER_MAX = 512 * 1024,
    WORDS_MAX = 8192,
    RANDOM_BYTES = 32,
    STATUS = 6,
    FREE = 64,
    X32_CALLS = 0x40000000
};

static int order_file;
/* What the worker's process 1 has as 3 to 6 (brig-init.c). */
static int worker_ends[STATUS + 1];
/* 0 in that process */
static pid_t worker = -1;
static int worker_go, worker_faults, init;

struct order {
    long long time;
    const char *random, *hostname, *tmp, *home, *shm, *memory, *directory;
    bool network;
    struct {
        const char *path;
        bool writable;
    } places[PLACES_MAX];
    size_t place_count;
    char *environment[WORDS_MAX + 1];
    size_t environment_count;
    char **command;
};

static void flush(void) {
    struct pollfd polled[LINK_POLLED_MAX];
    link_handle();
    while (!link_is_idle() && poll(polled, link_prepare(polled, 0), -1) >= 0) link_handle();
}

/* brig-vm ends the machine when it is told. */
__attribute__((noreturn)) static void give_up(const char *what) {
    char fault[NOTE_MAX];
    snprintf(fault, sizeof fault, "fault %.200s %s", what, strerrorname_np(errno));
    if (worker == 0) _exit(write(worker_faults, fault, strlen(fault)) < 0);
    link_note("%s", fault);
    flush();
    for (;;) pause();
}

void link_lost(const char *why) {
    fprintf(stderr, "brig-guest: the link: %s\n", why);
    reboot(RB_POWER_OFF);
    _exit(1);
}

/* --- before the image is made --- */

static void mount_or_end(const char *type, const char *place) {
    mkdir(place, 0755);
    if (mount(type, place, type, 0, NULL) != 0) link_lost(place);
}

static void load_modules(void) {
    char name[64];
    FILE *names = fopen("/modules", "re");
    if (names == NULL) link_lost("no modules");
    while (fscanf(names, "%63s", name) == 1) {
        int fd = open(name, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) != 0 && errno != EEXIST)) link_lost(name);
        close(fd);
    }
    fclose(names);
}

/* The port is there a moment after its driver. */
static int open_port(void) {
    for (;; usleep(1000)) {
        DIR *ports = opendir("/sys/class/virtio-ports");
        struct dirent *each = NULL;
        while (ports != NULL && (each = readdir(ports)) != NULL && each->d_name[0] == '.') continue;
        char path[300];
        if (each != NULL) snprintf(path, sizeof path, "/dev/%s", each->d_name);
        int fd = each == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
        if (ports != NULL) closedir(ports);
        if (fd >= 0) return fd;
    }
}

/* Above those that the worker's process 1 has. */
static int out_of_the_way(int fd) {
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, FREE);
    if (moved < 0) link_lost("descriptors");
    close(fd);
    return moved;
}

/* The other ends join the link. */
static void make_pipes(void) {
    static const unsigned outputs[] = {STREAM_STDOUT, STREAM_STDERR, STREAM_STATUS};
    int both[2];
    if (pipe2(both, O_CLOEXEC) != 0) link_lost("pipes");
    worker_ends[3] = out_of_the_way(both[0]);
    link_stream(STREAM_STDIN, -1, both[1]);
    for (int i = 0; i < 3; i++) {
        if (pipe2(both, O_CLOEXEC) != 0) link_lost("pipes");
        worker_ends[4 + i] = out_of_the_way(both[1]);
        /* It may open them again, by /dev/stdout. */
        if (fchown(worker_ends[4 + i], WORKER, WORKER) != 0) link_lost("pipes");
        link_stream(outputs[i], both[0], -1);
    }
}

/* --- the order --- */

static void read_word(struct order *order, const char *option, char *value) {
    if (strcmp(option, "--time") == 0) order->time = atoll(value);
    else if (strcmp(option, "--random") == 0) order->random = value;
    else if (strcmp(option, "--hostname") == 0) order->hostname = value;
    else if (strcmp(option, "--tmp") == 0) order->tmp = value;
    else if (strcmp(option, "--home") == 0) order->home = value;
    else if (strcmp(option, "--shm") == 0) order->shm = value;
    else if (strcmp(option, "--memory") == 0) order->memory = value;
    else if (strcmp(option, "--network") == 0) order->network = true;
    else if (strcmp(option, "--directory") == 0) order->directory = value;
    else if (strcmp(option, "--environment") == 0 && order->environment_count < WORDS_MAX)
        order->environment[order->environment_count++] = value;
    else if (order->place_count < PLACES_MAX &&
             (strcmp(option, "--writable") == 0 || strcmp(option, "--read-only") == 0)) {
        order->places[order->place_count].path = value;
        order->places[order->place_count++].writable = strcmp(option, "--writable") == 0;
    } else {
        errno = EINVAL;
        give_up("order");
    }
}

static void read_order(struct order *order) {
    static char text[ORDER_MAX + 1];
    static char *words[WORDS_MAX + 1];
    ssize_t length = pread(order_file, text, ORDER_MAX, 0);
    size_t count = 0;
    for (ssize_t at = 0; at < length && count < WORDS_MAX; at += (ssize_t) strlen(text + at) + 1)
        words[count++] = text + at;
    size_t i = 0;
    for (; i + 1 < count && strcmp(words[i], "--") != 0; i += 2) read_word(order, words[i], words[i + 1]);
    order->command = words + i + 1;
    bool whole = order->random && order->hostname && order->tmp && order->home && order->shm &&
                 order->memory && order->directory;
    if (!whole || i + 1 >= count) {
        errno = EINVAL;
        give_up("order");
    }
}

/* --- the worker's process, which waits in its own namespaces from before the image is made --- */

/* All machines of an image begin with the same clock and the same random numbers. */
static void renew(const struct order *order) {
    struct timespec now = {order->time / 1000000000, order->time % 1000000000};
    struct {
        struct rand_pool_info head;
        unsigned char bytes[RANDOM_BYTES];
    } random = {.head = {.entropy_count = RANDOM_BYTES * 8, .buf_size = RANDOM_BYTES}};
    for (size_t i = 0; i < RANDOM_BYTES; i++) {
        unsigned byte = 0;
        if (sscanf(order->random + 2 * i, "%2x", &byte) != 1) give_up("random numbers");
        random.bytes[i] = (unsigned char) byte;
    }
    int fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || ioctl(fd, RNDADDENTROPY, &random) != 0 || ioctl(fd, RNDRESEEDCRNG) != 0)
        give_up("random numbers");
    close(fd);
    if (clock_settime(CLOCK_REALTIME, &now) != 0) give_up("clock");
}

static void put(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t) strlen(text)) give_up(path);
    close(fd);
}

static void bring_up_loopback(void) {
    struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &loopback) != 0) link_lost("loopback");
    close(fd);
}

/* What the worker takes too much of is not this process's. */
static void make_group(void) {
    mount_or_end("cgroup2", GROUP);
    put(GROUP "/cgroup.subtree_control", "+memory");
    if (mkdir(GROUP "/worker", 0755) != 0) link_lost("group");
}

static void cover(const char *type, const char *path, unsigned long flags, const char *options) {
    if (mount(type, path, type, flags, options) != 0) give_up(path);
}

static void cover_with_memory(const char *path, const char *bytes, const char *mode) {
    char options[96];
    snprintf(options, sizeof options, "size=%s,mode=%s,uid=%d,gid=%d", bytes, mode, WORKER, WORKER);
    cover("tmpfs", path, MS_NOSUID | MS_NODEV, options);
}

static void make_devices(void) {
    static const struct {
        const char *path;
        unsigned major, minor;
    } devices[] = {{DEVICES "/null", 1, 3},   {DEVICES "/zero", 1, 5},    {DEVICES "/full", 1, 7},
                   {DEVICES "/random", 1, 8}, {DEVICES "/urandom", 1, 9}, {DEVICES "/tty", 5, 0}};
    static const char *links[][2] = {{"/proc/self/fd", DEVICES "/fd"},
                                     {"/proc/self/fd/0", DEVICES "/stdin"},
                                     {"/proc/self/fd/1", DEVICES "/stdout"},
                                     {"/proc/self/fd/2", DEVICES "/stderr"},
                                     {"pts/ptmx", DEVICES "/ptmx"}};
    mkdir(DEVICES, 0755);
    cover("tmpfs", DEVICES, MS_NOSUID, "size=64k,mode=0755");
    umask(0);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        if (mknod(devices[i].path, S_IFCHR | 0666, makedev(devices[i].major, devices[i].minor)) != 0)
            give_up(devices[i].path);
    }
    umask(022);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        if (symlink(links[i][0], links[i][1]) != 0) give_up(links[i][1]);
    }
    mkdir(DEVICES "/pts", 0755);
    mkdir(DEVICES "/shm", 0755);
    cover("devpts", DEVICES "/pts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620");
}

static void move(const char *from, const char *to) {
    if (mount(from, to, NULL, MS_MOVE, NULL) != 0) give_up(to);
}

static void lay_out_files(const struct order *order) {
    cover_with_memory(DEVICES "/shm", order->shm, "1777");
    if (mount(NULL, DEVICES, NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID, "size=64k,mode=0755") != 0)
        give_up(DEVICES);
    if (mount("wall", ROOT, "9p", MS_RDONLY | MS_NOSUID | MS_NODEV, NINE_P "cache=loose") != 0) give_up(ROOT);
    if (mount("places", PLACES, "9p", MS_NOSUID | MS_NODEV, NINE_P "cache=mmap") != 0) give_up(PLACES);
    move(DEVICES, ROOT "/dev");
    move(PROCESSES, ROOT "/proc");
    cover_with_memory(ROOT "/tmp", order->tmp, "1777");
    cover_with_memory(ROOT "/home/worker", order->home, "0700");
    for (size_t i = 0; i < order->place_count; i++) {
        char from[64], to[4096];
        snprintf(from, sizeof from, PLACES "/%zu", i);
        snprintf(to, sizeof to, ROOT "%s", order->places[i].path);
        unsigned long flags = order->places[i].writable ? 0 : MS_RDONLY;
        if (mount(from, to, NULL, MS_BIND, NULL) != 0 ||
            mount(NULL, to, NULL, MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV | flags, NULL) != 0)
            give_up(order->places[i].path);
    }
}

static void prepare_worker(void) {
    for (int i = 3; i <= STATUS; i++) {
        if (dup2(worker_ends[i], i) < 0) give_up("descriptors");
    }
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 3; i++) dup2(null, i);
    put(GROUP "/worker/cgroup.procs", "0");
    /* Behind that is the group of this namespace, which nobody of it may write to. */
    if (unshare(CLONE_NEWCGROUP) != 0) give_up("namespaces");
    if (mkdir(ROOT, 0755) != 0 || mkdir(PLACES, 0755) != 0 || mkdir(PROCESSES, 0755) != 0) give_up("folders");
    cover("proc", PROCESSES, MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    make_devices();
}

/*
 * Of this kernel the worker may use all but what pushes input into its own terminal, which is refused in
 * other walls too, and programs of another kind, whose calls have other numbers.
 */
static void filter_calls(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 7),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_CALLS, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TIOCSTI, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TIOCLINUX, 2, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) give_up("filter");
}

__attribute__((noreturn)) static void become_worker(const struct order *order) {
    if (sethostname(order->hostname, strlen(order->hostname)) != 0) give_up("hostname");
    lay_out_files(order);
    if (chdir(ROOT) != 0 || mount(".", "/", NULL, MS_MOVE, NULL) != 0 || chroot(".") != 0) give_up("root");
    if (chdir(order->directory) != 0) give_up(order->directory);
    for (int capability = 0; prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0; capability++) continue;
    if (setgroups(0, NULL) != 0 || setresgid(WORKER, WORKER, WORKER) != 0 ||
        setresuid(WORKER, WORKER, WORKER) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        give_up("user");
    filter_calls();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    syscall(SYS_execveat, init, "", order->command, order->environment, AT_EMPTY_PATH);
    give_up("brig-init");
}

/* As process 1 of its own namespaces. */
__attribute__((noreturn)) static void await_order(int go) {
    static struct order order;
    char byte;
    prepare_worker();
    if (read(go, &byte, 1) != 1) _exit(1);
    read_order(&order);
    become_worker(&order);
}

static void clone_worker(void) {
    int go[2], faults[2];
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(faults, O_CLOEXEC) != 0) link_lost("pipes");
    for (int i = 0; i < 2; i++) {
        go[i] = out_of_the_way(go[i]);
        faults[i] = out_of_the_way(faults[i]);
    }
    worker = (pid_t) syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | SIGCHLD,
                             NULL, NULL, NULL, NULL);
    if (worker < 0) link_lost("namespaces");
    worker_go = go[1];
    worker_faults = faults[worker == 0 ? 1 : 0];
    init = out_of_the_way(open("/brig-init", O_PATH | O_CLOEXEC));
    if (worker == 0) await_order(go[0]);
    close(go[0]);
    close(faults[1]);
    for (int i = 3; i <= STATUS; i++) close(worker_ends[i]);
}

static void start(void) {
    static struct order order;
    char fault[NOTE_MAX];
    read_order(&order);
    renew(&order);
    if (order.network && !claim_all_addresses()) give_up("network");
    put(GROUP "/worker/memory.max", order.memory);
    if (write(worker_go, "g", 1) != 1) give_up("worker");
    /* Ends when the worker's process 1 begins. */
    ssize_t length = read(worker_faults, fault, sizeof fault - 1);
    if (length <= 0) return;
    fault[length] = '\0';
    link_note("%s", fault);
    flush();
    for (;;) pause();
}

/* --- the loop --- */

static bool started;
/* Since the loop began anew: a look costs a millisecond. */
static bool looked;

void handle_end(unsigned stream) {
    if (stream != STREAM_ORDER) return;
    start();
    started = true;
}

void handle_note(const char *text) {
    int signal_number;
    if (ports_note(text)) return;
    if (sscanf(text, "signal %d", &signal_number) == 1 && started) kill(worker, signal_number);
}

/* Who reads "it listens" finds the port outside. */
void handle_read(void) {
    if (started) ports_look(false);
    looked = true;
}

void handle_datagram(in_port_t asker, const struct sockaddr_in *server, const char *bytes, size_t length) {
    ports_answer(asker, server, bytes, length);
}

/* Also of what is orphaned. */
static bool reap(void) {
    bool ended = false;
    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0;) ended |= pid == worker;
    return ended;
}

int main(void) {
    static struct pollfd polled[LINK_POLLED_MAX + PORTS_POLLED_MAX + 1];
    mount_or_end("devtmpfs", "/dev");
    mount_or_end("proc", "/proc");
    mount_or_end("sysfs", "/sys");
    int console = open("/dev/console", O_RDWR);
    for (int i = 0; i < 3; i++) dup2(console, i);
    signal(SIGPIPE, SIG_IGN);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_SETMASK, &children, NULL);
    int ended = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    load_modules();
    order_file = out_of_the_way(memfd_create("order", MFD_CLOEXEC));
    int orders = fcntl(order_file, F_DUPFD_CLOEXEC, FREE);
    if (ended < 0 || order_file < 0 || orders < 0) link_lost("descriptors");
    link_start(open_port(), true);
    link_stream(STREAM_ORDER, -1, orders);
    make_pipes();
    bring_up_loopback();
    put("/proc/sys/kernel/dmesg_restrict", "1");
    make_group();
    clone_worker();
    link_note("up");
    for (bool working = true; working;) {
        link_handle();
        polled[0] = (struct pollfd){.fd = ended, .events = POLLIN};
        size_t count = ports_prepare(polled, link_prepare(polled, 1));
        if (poll(polled, count, started ? PORTS_LOOK_MS : -1) < 0 && errno != EINTR) link_lost("poll");
        if (polled[1].revents & POLLHUP) usleep(1000); /* nobody holds the other end yet */
        struct signalfd_siginfo info;
        if (read(ended, &info, sizeof info) > 0 && reap()) working = false;
        ports_handle();
        if (started && !looked) ports_look(false);
        looked = false;
    }
    link_note("ended");
    flush();
    link_note("done");
    flush();
    for (;;) pause();
}
