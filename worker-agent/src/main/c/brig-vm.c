/*
 * brig-vm: runs a worker in a virtual machine behind the wall of bubblewrap, as the payload of its process 1
 * (brig-init.c).
 *
 *   brig-vm run --tmp BYTES --home BYTES --shm BYTES --memory BYTES [--network claimed]
 *               [--writable PLACE | --read-only PLACE]... -- COMMAND ARGUMENT...
 *   brig-vm make QEMU FOLDER MEBIBYTES PROCESSORS tcg|kvm
 *
 * "make" boots FOLDER/vmlinux with FOLDER/initrd (brig-guest.c) until it waits for an order, and leaves that
 * machine in FOLDER: its memory ("ram"), its devices ("state") and what it is made of ("machine"). "run"
 * continues a machine from there with an order. So each worker has a machine of its own, which nobody had
 * before, and none has to boot. The memory is mapped privately: what machines do not change they share.
 *
 * QEMU has no network. It sees the programs of the host, the image, and the files of the wall, each as the
 * wall has it; it runs as the worker's user, without capabilities, below its own filter of system calls: what
 * breaks out of the machine stands before bubblewrap. All else goes over the link (vm-link.h): the worker's
 * streams, and its connections, which are made again here, in the wall's network.
 *
 * Descriptors 3 to 6 are the worker's stdio and the status pipe (brig-init.c). SIGTERM, SIGINT and SIGHUP go
 * to COMMAND.
 */
#define _GNU_SOURCE
#include "own-namespace.h"
#include "vm-link.h"
#include "vm-ports.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the wall has for it: "usr" of the host, "image", "ram.so". */
#define GIVEN "/run/brig-vm"
/* A folder for files that nobody else sees. */
#define STAGE "/run/brig-vm-stage"
#define ROOT STAGE "/root"
#define QEMU "/usr/bin/qemu-system-x86_64"

enum {
    PLACES_MAX = 512,
    STDIO_FIRST = 3,
    STATUS = 6,
    /* QEMU's descriptors */
    LINK = 3,
    MONITOR = 4,
    STATE = 5,
    FREE = 64,
    WORDS_MAX = 64,
    RANDOM_BYTES = 32,
    /* More than all pipes and windows on the way hold. */
    PIPE_BYTES = 512 * 1024,
    /* Of its memory, for its kernel and brig-guest. */
    GUEST_MEBIBYTES = 96
};

struct machine {
    unsigned mebibytes, processors;
    char accelerator[8];
};

struct order {
    const char *tmp, *home, *shm, *network;
    unsigned long long memory;
    struct {
        const char *path;
        bool writable;
    } places[PLACES_MAX];
    size_t place_count;
    char **command;
};

static pid_t machine_process;

__attribute__((noreturn)) static void give_up(const char *what) {
    fprintf(stderr, "brig-vm: %s: %s\n", what, strerror(errno));
    _exit(1);
}

__attribute__((noreturn)) static void refuse_arguments(void) {
    errno = EINVAL;
    give_up("arguments");
}

/* --- the machine --- */

static char *format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
static char *format(const char *pattern, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, pattern);
    if (vasprintf(&text, pattern, arguments) < 0) give_up("memory");
    va_end(arguments);
    return text;
}

/*
 * What must be alike where an image is made and where it is continued. Debian's kernels have no timer in a
 * "microvm" without KVM (no PIT in its ACPI, no clock that is known) and no virtio-mmio without ACPI; so it
 * is a q35 with all left out that can be.
 */
static size_t put_machine(char **words, const char *qemu, const struct machine *machine, const char *ram,
                          bool shared, const char *wall, const char *places) {
    bool kvm = strcmp(machine->accelerator, "kvm") == 0;
    char *all[] = {
        (char *) qemu,
        "-nodefaults",
        "-no-user-config",
        "-no-reboot",
        "-display",
        "none",
        "-machine",
        "q35,usb=off,sata=off,smbus=off,memory-backend=ram",
        "-accel",
        kvm ? "kvm" : "tcg,tb-size=256",
        "-cpu",
        kvm ? "host" : "max",
        "-smp",
        format("%u", machine->processors),
        "-m",
        format("%uM", machine->mebibytes),
        "-object",
        format("memory-backend-file,id=ram,size=%uM,mem-path=%s,share=%s", machine->mebibytes, ram,
               shared ? "on" : "off"),
        "-chardev",
        format("socket,id=monitor,fd=%d", MONITOR),
        "-mon",
        "chardev=monitor,mode=readline",
        "-device",
        "virtio-serial-pci,max_ports=2",
        "-chardev",
        format("socket,id=link,fd=%d", LINK),
        "-device",
        "virtserialport,chardev=link,name=brig",
        "-fsdev",
        format("local,id=wall,path=%s,security_model=none,readonly=on,multidevs=remap", wall),
        "-device",
        "virtio-9p-pci,fsdev=wall,mount_tag=wall",
        "-fsdev",
        format("local,id=places,path=%s,security_model=none,multidevs=remap", places),
        "-device",
        "virtio-9p-pci,fsdev=places,mount_tag=places",
    };
    memcpy(words, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* What stays in "ram" is not in "state" too. QEMU has no option for it. */
#define IGNORE_SHARED "migrate_set_capability x-ignore-shared on\n"

static void order_machine(int monitor, const char *commands) {
    if (write(monitor, commands, strlen(commands)) < 0) give_up("monitor");
}

/* --- make --- */

static void await_text(int fd, const char *text) {
    char all[65536];
    size_t length = 0;
    ssize_t count;
    while (length < sizeof all - 1 && (count = read(fd, all + length, sizeof all - 1 - length)) > 0) {
        length += (size_t) count;
        all[length] = '\0';
        if (memmem(all, length, text, strlen(text)) != NULL) return;
    }
    fprintf(stderr, "brig-vm: the machine ended before it said %s\n", text);
    _exit(1);
}

static void pair(int both[2]) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) give_up("sockets");
}

static int make(char **arguments) {
    const char *qemu = arguments[0], *folder = arguments[1];
    struct machine machine = {.mebibytes = (unsigned) atoi(arguments[2]),
                              .processors = (unsigned) atoi(arguments[3])};
    snprintf(machine.accelerator, sizeof machine.accelerator, "%s", arguments[4]);
    int link[2], monitor[2];
    pair(link);
    pair(monitor);
    char *words[WORDS_MAX] = {NULL};
    size_t count = put_machine(words, qemu, &machine, format("%s/ram", folder), true, folder, folder);
    char *more[] = {"-kernel", format("%s/vmlinux", folder),
                    "-initrd", format("%s/initrd", folder),
                    "-append", "console=ttyS0 quiet panic=-1 reboot=t",
                    "-serial", format("file:%s/console", folder)};
    memcpy(words + count, more, sizeof more);
    if ((machine_process = fork()) == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int ends[] = {fcntl(link[1], F_DUPFD, FREE), fcntl(monitor[1], F_DUPFD, FREE)};
        if (dup2(ends[0], LINK) < 0 || dup2(ends[1], MONITOR) < 0) give_up("descriptors");
        close_range(MONITOR + 1, ~0U, 0);
        execv(qemu, words);
        give_up(qemu);
    }
    close(link[1]);
    close(monitor[1]);
    await_text(link[0], "up");
    order_machine(monitor[0], format(IGNORE_SHARED "migrate \"exec:cat > '%s/state'\"\nquit\n", folder));
    while (read(monitor[0], words, 1) > 0) continue;
    int status;
    struct stat state;
    if (waitpid(machine_process, &status, 0) < 0 || status != 0 ||
        stat(format("%s/state", folder), &state) != 0 || state.st_size == 0) {
        fprintf(stderr, "brig-vm: QEMU could not keep the machine\n");
        return 1;
    }
    /* The worker's user reads them, and nobody changes them. */
    if (chmod(format("%s/ram", folder), 0444) != 0 || chmod(format("%s/state", folder), 0444) != 0)
        give_up(folder);
    FILE *into = fopen(format("%s/machine", folder), "we");
    if (into == NULL) give_up(folder);
    fprintf(into, "%u %u %s\n", machine.mebibytes, machine.processors, machine.accelerator);
    if (fclose(into) != 0) give_up(folder);
    return 0;
}

/* --- run --- */

static void read_option(struct order *order, const char *option, const char *value) {
    if (strcmp(option, "--tmp") == 0) order->tmp = value;
    else if (strcmp(option, "--home") == 0) order->home = value;
    else if (strcmp(option, "--shm") == 0) order->shm = value;
    else if (strcmp(option, "--memory") == 0) order->memory = strtoull(value, NULL, 10);
    else if (strcmp(option, "--network") == 0) order->network = value;
    else if (order->place_count < PLACES_MAX &&
             (strcmp(option, "--writable") == 0 || strcmp(option, "--read-only") == 0)) {
        order->places[order->place_count].path = value;
        order->places[order->place_count++].writable = strcmp(option, "--writable") == 0;
    } else refuse_arguments();
}

static void read_arguments(struct order *order, char **at) {
    for (; at[0] != NULL && strcmp(at[0], "--") != 0; at += 2) {
        if (at[1] == NULL) refuse_arguments();
        read_option(order, at[0], at[1]);
    }
    if (at[0] == NULL || at[1] == NULL || !order->tmp || !order->home || !order->shm || order->memory == 0)
        refuse_arguments();
    order->command = at + 1;
}

static void show(const char *from, const char *to, bool folder) {
    if (folder ? mkdir(to, 0755) != 0 : mknod(to, S_IFREG | 0644, 0) != 0) give_up(to);
    if (mount(from, to, NULL, MS_BIND | MS_REC, NULL) != 0) give_up(from);
}

/* QEMU's files. The wall is shown without what it has for QEMU. */
static void lay_out_files(const struct order *order) {
    static const char *links[][2] = {
        {"usr/lib", ROOT "/lib"}, {"usr/lib64", ROOT "/lib64"}, {"usr/bin", ROOT "/bin"}};
    if (mount("tmpfs", STAGE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700,size=1m") != 0) give_up(STAGE);
    if (mount(NULL, STAGE, NULL, MS_UNBINDABLE, NULL) != 0 || mkdir(ROOT, 0755) != 0) give_up(STAGE);
    show(GIVEN "/usr", ROOT "/usr", true);
    show(GIVEN "/image", ROOT "/image", true);
    show(GIVEN "/ram.so", ROOT "/ram.so", false);
    show("/proc", ROOT "/proc", true);
    show("/dev", ROOT "/dev", true);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        if (symlink(links[i][0], links[i][1]) != 0) give_up(links[i][1]);
    }
    if (mkdir(ROOT "/places", 0755) != 0) give_up(ROOT);
    for (size_t i = 0; i < order->place_count; i++) {
        struct stat kind;
        if (stat(order->places[i].path, &kind) != 0) give_up(order->places[i].path);
        show(order->places[i].path, format(ROOT "/places/%zu", i), S_ISDIR(kind.st_mode));
    }
    if (mount("tmpfs", GIVEN, "tmpfs", MS_RDONLY, "mode=0755,size=4k") != 0) give_up(GIVEN);
    show("/", ROOT "/wall", true);
}

static void read_machine(struct machine *machine) {
    FILE *from = fopen(GIVEN "/image/machine", "re");
    if (from == NULL ||
        fscanf(from, "%u %u %7s", &machine->mebibytes, &machine->processors, machine->accelerator) != 3)
        give_up("the image");
    fclose(from);
}

static void lose_capabilities(void) {
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    for (int capability = 0; prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0; capability++) continue;
    if (syscall(SYS_capset, &head, none) != 0) give_up("capabilities");
}

__attribute__((noreturn)) static void become_machine(const struct machine *machine, int link, int monitor,
                                                     int state) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char *words[WORDS_MAX] = {NULL};
    size_t count = put_machine(words, QEMU, machine, "/image/ram", false, "/wall", "/places");
    char *more[] = {"-incoming", "defer",
                    "-serial",   "null",
                    "-sandbox",  "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"};
    memcpy(words + count, more, sizeof more);
    char *environment[] = {"LD_PRELOAD=/ram.so", NULL};
    int ends[] = {fcntl(link, F_DUPFD, FREE), fcntl(monitor, F_DUPFD, FREE), fcntl(state, F_DUPFD, FREE)};
    if (dup2(ends[0], LINK) < 0 || dup2(ends[1], MONITOR) < 0 || dup2(ends[2], STATE) < 0 ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        give_up("descriptors");
    if (close_range(STATE + 1, ~0U, 0) != 0) give_up("descriptors");
    if (chroot(ROOT) != 0 || chdir("/") != 0) give_up("files");
    lose_capabilities();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(QEMU, words, environment);
    give_up(QEMU);
}

static void put_word(FILE *into, const char *option, const char *value) {
    fprintf(into, "%s%c%s%c", option, 0, value, 0);
}

static void put_numbers(FILE *into, const struct order *order, const struct machine *machine) {
    unsigned char random[RANDOM_BYTES];
    char text[2 * RANDOM_BYTES + 1];
    struct timespec now;
    unsigned long long most = (machine->mebibytes - GUEST_MEBIBYTES) * 1024ULL * 1024;
    if (getrandom(random, sizeof random, 0) != (ssize_t) sizeof random) give_up("random numbers");
    for (size_t i = 0; i < sizeof random; i++) snprintf(text + 2 * i, 3, "%02x", random[i]);
    put_word(into, "--random", text);
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(text, sizeof text, "%lld", now.tv_sec * 1000000000LL + now.tv_nsec);
    put_word(into, "--time", text);
    snprintf(text, sizeof text, "%llu", order->memory < most ? order->memory : most);
    put_word(into, "--memory", text);
}

/* Returns a file of the words that brig-guest.c describes. */
static int write_order(const struct order *order, const struct machine *machine) {
    char hostname[65] = "", directory[4096];
    int fd = memfd_create("order", MFD_CLOEXEC);
    FILE *into = fd < 0 ? NULL : fdopen(fcntl(fd, F_DUPFD_CLOEXEC, FREE), "w");
    if (into == NULL || gethostname(hostname, sizeof hostname - 1) != 0 ||
        getcwd(directory, sizeof directory) == NULL)
        give_up("order");
    put_numbers(into, order, machine);
    put_word(into, "--hostname", hostname);
    put_word(into, "--tmp", order->tmp);
    put_word(into, "--home", order->home);
    put_word(into, "--shm", order->shm);
    put_word(into, "--directory", directory);
    if (order->network != NULL) put_word(into, "--network", order->network);
    for (size_t i = 0; i < order->place_count; i++)
        put_word(into, order->places[i].writable ? "--writable" : "--read-only", order->places[i].path);
    for (char **variable = environ; *variable != NULL; variable++) put_word(into, "--environment", *variable);
    fprintf(into, "--%c", 0);
    for (char **word = order->command; *word != NULL; word++) fprintf(into, "%s%c", *word, 0);
    if (ferror(into) != 0 || fclose(into) != 0 || lseek(fd, 0, SEEK_SET) != 0) give_up("order");
    return fd;
}

/* What came is still given to those who read it. */
__attribute__((noreturn)) static void end(int code) {
    static struct pollfd polled[LINK_POLLED_MAX];
    kill(machine_process, SIGKILL);
    link_end_all();
    for (size_t count; (count = link_prepare(polled, 0)) > 0; link_handle()) poll(polled, (nfds_t) count, -1);
    _exit(code);
}

void link_lost(const char *why) {
    fprintf(stderr, "brig-vm: the machine: %s\n", why);
    end(1);
}

/* As with a pipe, what the worker wrote last waits for its reader, and the wall does not. */
static void take_all_that_is_left(void) {
    for (int fd = STDIO_FIRST + 1; fd < STATUS; fd++) fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
}

static struct order order;
/* Since the loop began anew: a look costs a millisecond. */
static bool looked;

void handle_note(const char *text) {
    char what[64], error[32];
    if (ports_note(text)) return;
    if (strcmp(text, "ended") == 0) take_all_that_is_left();
    if (strcmp(text, "done") == 0) end(0);
    if (sscanf(text, "fault %63s %31[A-Z0-9]", what, error) == 2) {
        fprintf(stderr, "brig-vm: in the machine: %s: %s\n", what, error);
        end(1);
    }
}

/* Who is told "it listens" finds the port in the machine. */
void handle_read(void) {
    if (order.network != NULL) ports_look(true);
    looked = true;
}

void handle_datagram(in_port_t asker, const struct sockaddr_in *server, const char *bytes, size_t length) {
    ports_ask(asker, server, bytes, length);
}

void handle_end(unsigned stream) {
    (void) stream;
}

static void take_signals(int signals) {
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD) {
            if (waitpid(machine_process, NULL, WNOHANG) == machine_process) link_lost("QEMU has ended");
        } else link_note("signal %u", info.ssi_signo);
    }
}

static int run(char **arguments) {
    static struct pollfd polled[LINK_POLLED_MAX + PORTS_POLLED_MAX + 1];
    struct machine machine = {0};
    int link[2], monitor[2];
    read_arguments(&order, arguments);
    read_machine(&machine);
    /* The user stays who he is. */
    if (!enter_own_namespace(getuid(), getgid())) give_up("a user namespace of its own");
    int state = open(GIVEN "/image/state", O_RDONLY | O_CLOEXEC);
    if (state < 0) give_up("the image");
    lay_out_files(&order);
    pair(link);
    pair(monitor);
    order_machine(monitor[0], format(IGNORE_SHARED "migrate_incoming fd:%d\n", STATE));
    signal(SIGPIPE, SIG_IGN);
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int *at = (int[]){SIGCHLD, SIGTERM, SIGINT, SIGHUP, 0}; *at != 0; at++)
        sigaddset(&wanted, *at);
    sigprocmask(SIG_SETMASK, &wanted, NULL);
    if ((machine_process = fork()) == 0) become_machine(&machine, link[1], monitor[1], state);
    if (machine_process < 0) give_up("fork");
    close(link[1]);
    close(monitor[1]);
    close(state);
    lose_capabilities();
    int signals = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0) give_up("signals");
    link_start(link[0], false);
    ports_look(true);
    link_stream(STREAM_ORDER, write_order(&order, &machine), -1);
    link_stream(STREAM_STDIN, STDIO_FIRST, -1);
    link_stream(STREAM_STDOUT, -1, STDIO_FIRST + 1);
    link_stream(STREAM_STDERR, -1, STDIO_FIRST + 2);
    link_stream(STREAM_STATUS, -1, STATUS);
    for (;;) {
        link_handle();
        polled[0] = (struct pollfd){.fd = signals, .events = POLLIN};
        size_t count = ports_prepare(polled, link_prepare(polled, 1));
        if (poll(polled, (nfds_t) count, order.network != NULL ? PORTS_LOOK_MS : -1) < 0 && errno != EINTR)
            give_up("poll");
        take_signals(signals);
        ports_handle();
        if (order.network != NULL && !looked) ports_look(true);
        looked = false;
    }
}

int main(int count, char **arguments) {
    if (count == 7 && strcmp(arguments[1], "make") == 0) return make(arguments + 2);
    if (count > 3 && strcmp(arguments[1], "run") == 0) return run(arguments + 2);
    refuse_arguments();
}
