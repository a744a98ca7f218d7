/* Attempts on the kernel: wide interfaces, key rings, and the machine itself. */
#define _GNU_SOURCE
#include "escape.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <unistd.h>

enum { PROCESS_KEYRING = -2, GET_KEYRING_ID = 0, IO_URING_PARAMETERS = 120, SYSLOG_READ_ALL = 3 };

static bool bpf_map(void) {
    union bpf_attr map = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
    return done(syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map));
}
static bool io_uring(void) {
    char parameters[IO_URING_PARAMETERS] = {0};
    return done(syscall(SYS_io_uring_setup, 1, parameters));
}
static bool user_fault(void) {
    return done(syscall(SYS_userfaultfd, O_CLOEXEC));
}
static bool perf(void) {
    struct perf_event_attr event = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_CPU_CLOCK, .disabled = 1};
    return done(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
}
static bool fanotify(void) {
    return done(syscall(SYS_fanotify_init, 0, O_RDONLY));
}
static bool add_key(void) {
    return done(syscall(SYS_add_key, "user", "brig:escape", "x", 1, PROCESS_KEYRING));
}
static bool keyctl(void) {
    return done(syscall(SYS_keyctl, GET_KEYRING_ID, PROCESS_KEYRING, 1));
}
static bool request_key(void) {
    return permitted(syscall(SYS_request_key, "user", "brig:none", NULL, PROCESS_KEYRING));
}

/* More segments than there can be: refused as wrong, after the right was checked. */
static bool kexec(void) {
    return permitted(syscall(SYS_kexec_load, 0, 1000, NULL, 0));
}
static bool load_module(void) {
    return permitted(syscall(SYS_init_module, NULL, 0, ""));
}
static bool load_module_file(void) {
    return permitted(syscall(SYS_finit_module, -1, "", 0));
}
static bool unload_module(void) {
    return permitted(syscall(SYS_delete_module, "brig_no_such_module", O_NONBLOCK));
}
static bool reboot_machine(void) {
    return permitted(syscall(SYS_reboot, 0, 0, 0, NULL));
}
static bool swap_on(void) {
    return permitted(syscall(SYS_swapon, "/no/such/file", 0));
}
static bool swap_off(void) {
    return permitted(syscall(SYS_swapoff, "/no/such/file"));
}
static bool accounting(void) {
    return permitted(syscall(SYS_acct, "/no/such/file"));
}
static bool quota(void) {
    return permitted(syscall(SYS_quotactl, 0, "/no/such/file", 0, NULL));
}
static bool set_time(void) {
    return done(syscall(SYS_settimeofday, NULL, NULL));
}
static bool adjust_time(void) {
    struct timex now = {.modes = 0};
    if (adjtimex(&now) < 0) return done(-1);
    now.modes = ADJ_TICK; /* the same as it is */
    return done(adjtimex(&now));
}
static bool kernel_log(void) {
    char text[64];
    return done(syscall(SYS_syslog, SYSLOG_READ_ALL, text, (int) sizeof text));
}
static bool host_name(void) {
    char name[256] = "";
    return gethostname(name, sizeof name - 1) == 0 && done(sethostname(name, strlen(name)));
}
static bool domain_name(void) {
    char name[256] = "";
    return getdomainname(name, sizeof name - 1) == 0 && done(setdomainname(name, strlen(name)));
}
static bool change_personality(void) {
    return done(personality(ADDR_NO_RANDOMIZE));
}

#ifdef __x86_64__
static bool io_ports(void) {
    return done(syscall(SYS_iopl, 3));
}

/* Call 20 of the 32-bit interface, getpid, whose numbers a filter of the 64-bit one does not mean. */
static bool foreign_abi(void) {
    int answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
    return tell(answer > 0, "answers %d", answer);
}
#endif

const struct probe kernel_probes[] = {
    {"bpf", bpf_map},
    {"io-uring", io_uring},
    {"userfaultfd", user_fault},
    {"perf-event-open", perf},
    {"fanotify", fanotify},
    {"add-key", add_key},
    {"keyctl", keyctl},
    {"request-key", request_key},
    {"kexec-load", kexec},
    {"init-module", load_module},
    {"finit-module", load_module_file},
    {"delete-module", unload_module},
    {"reboot", reboot_machine},
    {"swapon", swap_on},
    {"swapoff", swap_off},
    {"acct", accounting},
    {"quotactl", quota},
    {"settimeofday", set_time},
    {"adjtimex", adjust_time},
    {"kernel-log", kernel_log},
    {"sethostname", host_name},
    {"setdomainname", domain_name},
    {"personality", change_personality},
#ifdef __x86_64__
    {"io-ports", io_ports},
    {"foreign-abi", foreign_abi},
#endif
    {NULL, NULL},
};
