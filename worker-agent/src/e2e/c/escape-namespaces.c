/* Attempts on the wall's own bricks: namespaces and mounts. */
#define _GNU_SOURCE
#include "escape.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool unshare_user(void) {
    return done(unshare(CLONE_NEWUSER));
}
static bool unshare_mounts(void) {
    return done(unshare(CLONE_NEWNS));
}
static bool unshare_network(void) {
    return done(unshare(CLONE_NEWNET));
}
static bool unshare_ipc(void) {
    return done(unshare(CLONE_NEWIPC));
}
static bool unshare_uts(void) {
    return done(unshare(CLONE_NEWUTS));
}
static bool unshare_pids(void) {
    return done(unshare(CLONE_NEWPID));
}
static bool unshare_cgroup(void) {
    return done(unshare(CLONE_NEWCGROUP));
}
static bool unshare_time(void) {
    return done(unshare(0x80 /* CLONE_NEWTIME */));
}

static bool born(long pid) {
    if (pid == 0) _exit(0);
    bool escaped = done(pid);
    if (pid > 0) waitpid((pid_t) pid, NULL, __WALL);
    return escaped;
}
static bool clone_user(void) {
    return born(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL));
}
static bool clone3_user(void) {
    struct clone_args arguments = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
    return born(syscall(SYS_clone3, &arguments, sizeof arguments));
}

static bool join(const char *kind) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/ns/%s", host.init, kind);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
        fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    return done(fd < 0 ? -1 : setns(fd, 0));
}
static bool join_network(void) {
    return join("net");
}
static bool join_uts(void) {
    return join("uts");
}
static bool join_ipc(void) {
    return join("ipc");
}
static bool join_cgroup(void) {
    return join("cgroup");
}
static bool join_pids(void) {
    return join("pid_for_children");
}

/* Where nothing holds it back, what follows happens in a mount namespace that goes with this process. */
static void take_own_mounts(void) {
    if (unshare(CLONE_NEWNS) == 0) mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static bool mount_over(const char *type, const char *source, unsigned long flags) {
    take_own_mounts();
    long result = mount(source, "/tmp", type, flags, NULL);
    bool mounted = done(result);
    if (result == 0) umount2("/tmp", MNT_DETACH);
    return mounted;
}
static bool mount_tmpfs(void) {
    return mount_over("tmpfs", "brig", 0);
}
static bool mount_proc(void) {
    return mount_over("proc", "brig", 0);
}
static bool mount_sysfs(void) {
    return mount_over("sysfs", "brig", 0);
}
static bool mount_bind(void) {
    return mount_over(NULL, "/usr", MS_BIND);
}
static bool remount_root(void) {
    take_own_mounts();
    return done(mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL));
}
static bool unmount_masks(void) {
    take_own_mounts();
    mount("/proc/sys", "/proc/sys", NULL, MS_BIND, NULL);
    return done(umount2("/proc/sys", MNT_DETACH));
}
static bool change_root(void) {
    return done(chroot("/tmp"));
}
static bool pivot(void) {
    take_own_mounts();
    mount("/tmp", "/tmp", NULL, MS_BIND, NULL);
    return done(chdir("/tmp") != 0 ? -1 : syscall(SYS_pivot_root, ".", "."));
}
static bool open_mount_tree(void) {
    return done(syscall(SYS_open_tree, AT_FDCWD, "/", 1 /* OPEN_TREE_CLONE */));
}
static bool open_file_system(void) {
    return done(syscall(SYS_fsopen, "tmpfs", 0));
}
static bool set_mount_attributes(void) {
    struct mount_attr attributes = {.attr_clr = MOUNT_ATTR_RDONLY};
    take_own_mounts();
    return done(syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attributes, sizeof attributes));
}

const struct probe namespace_probes[] = {
    {"unshare-user", unshare_user},
    {"unshare-mounts", unshare_mounts},
    {"unshare-network", unshare_network},
    {"unshare-ipc", unshare_ipc},
    {"unshare-uts", unshare_uts},
    {"unshare-pids", unshare_pids},
    {"unshare-cgroup", unshare_cgroup},
    {"unshare-time", unshare_time},
    {"clone-user", clone_user},
    {"clone3-user", clone3_user},
    {"setns-network", join_network},
    {"setns-uts", join_uts},
    {"setns-ipc", join_ipc},
    {"setns-cgroup", join_cgroup},
    {"setns-pids", join_pids},
    {"mount-tmpfs", mount_tmpfs},
    {"mount-proc", mount_proc},
    {"mount-sysfs", mount_sysfs},
    {"mount-bind", mount_bind},
    {"remount-root", remount_root},
    {"unmount-proc-sys", unmount_masks},
    {"chroot", change_root},
    {"pivot-root", pivot},
    {"open-tree", open_mount_tree},
    {"fsopen", open_file_system},
    {"mount-setattr", set_mount_attributes},
    {NULL, NULL},
};
