/* Attempts on files: reading what is not ours, writing what is the system's, links, device nodes. */
#define _GNU_SOURCE
#include "escape.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static bool reads(const char *path) {
    char byte;
    int fd = path != NULL ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd < 0) return done(fd);
    ssize_t count = read(fd, &byte, 1);
    close(fd);
    return count > 0 ? tell(true, "read %s", path) : tell(false, "nothing in it");
}

static bool opens(const char *path, int flags) {
    int fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd >= 0) close(fd);
    return done(fd);
}

static bool makes(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        close(fd);
        unlink(path);
    }
    return done(fd);
}

/* Writes into a kernel setting what it has already. */
static bool rewrites(const char *path) {
    char text[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0) close(fd);
    if (length < 0) return done(-1);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return done(-1);
    ssize_t count = write(fd, text, (size_t) length);
    close(fd);
    return done(count);
}

static bool read_shadow(void) {
    return reads("/etc/shadow");
}
static bool read_secret(void) {
    return reads(host.secret);
}
static bool read_shared_memory(void) {
    return reads(host.shared_memory);
}
static bool read_kcore(void) {
    return reads("/proc/kcore");
}
static bool read_kmsg(void) {
    return opens("/proc/kmsg", O_RDONLY);
}
static bool read_root_folder(void) {
    DIR *folder = opendir("/root");
    return done(folder == NULL ? -1 : 0);
}
static bool read_above_root(void) {
    return reads("/../../../../etc/shadow");
}
static bool read_init_root(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/root/etc/shadow", host.init);
    return reads(path);
}

/* Homes of others than the worker; without a wall /home may be empty, but has the host's name for it then
 * too. */
static bool see_homes(void) {
    DIR *folder = opendir("/home");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "worker") != 0)
            return tell(true, "%s", entry->d_name);
    }
    return tell(false, "only our own");
}

static bool write_root(void) {
    return makes("/.brig-escape");
}
static bool write_usr(void) {
    return makes("/usr/bin/.brig-escape");
}
static bool write_etc(void) {
    return makes("/etc/.brig-escape");
}
static bool write_lib(void) {
    return makes("/lib/.brig-escape");
}
static bool write_var(void) {
    return makes("/var/tmp/.brig-escape");
}
static bool write_run(void) {
    return makes("/run/.brig-escape");
}
static bool write_home(void) {
    return makes("/home/.brig-escape");
}
static bool write_dev(void) {
    return makes("/dev/.brig-escape");
}
static bool open_passwd(void) {
    return opens("/etc/passwd", O_WRONLY | O_APPEND);
}
static bool open_ld_cache(void) {
    return opens("/etc/ld.so.cache", O_WRONLY | O_APPEND);
}
static bool change_mode(void) {
    struct stat file;
    return stat("/usr/bin/env", &file) == 0 && done(chmod("/usr/bin/env", file.st_mode & 07777));
}

static bool core_pattern(void) {
    return rewrites("/proc/sys/kernel/core_pattern");
}
static bool modprobe_path(void) {
    return rewrites("/proc/sys/kernel/modprobe");
}
static bool sysctl_vm(void) {
    return rewrites("/proc/sys/vm/overcommit_memory");
}
static bool sysctl_host_name(void) {
    return rewrites("/proc/sys/kernel/hostname");
}
static bool sysrq(void) {
    return opens("/proc/sysrq-trigger", O_WRONLY);
}
static bool binfmt(void) {
    return opens("/proc/sys/fs/binfmt_misc/register", O_WRONLY);
}
static bool uevent_helper(void) {
    return opens("/sys/kernel/uevent_helper", O_WRONLY);
}
static bool sys_writable(void) {
    return opens("/sys/kernel/mm/transparent_hugepage/enabled", O_WRONLY);
}
static bool cgroup_files(void) {
    static const char *const files[] = {"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/cgroup.procs",
                                        "/sys/fs/cgroup/unified/cgroup.procs"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (opens(files[i], O_WRONLY)) return true;
    }
    return false;
}

static int writable_settings;
static int look_at_setting(const char *path, const struct stat *file, int type, struct FTW *walk) {
    (void) file, (void) walk;
    int fd = type == FTW_F ? open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd >= 0) {
        close(fd);
        writable_settings++;
    }
    return 0;
}
static bool any_sysctl(void) {
    nftw("/proc/sys", look_at_setting, 16, FTW_PHYS);
    return tell(writable_settings > 0, "%d open for writing", writable_settings);
}

static bool hard_link(void) {
    bool made = done(link("/usr/bin/env", "brig-escape-link"));
    unlink("brig-escape-link");
    return made;
}
static bool link_out(void) {
    if (host.secret == NULL || symlink(host.secret, "brig-escape-symlink") != 0) return done(-1);
    bool read_it = reads("brig-escape-symlink");
    unlink("brig-escape-symlink");
    return read_it;
}
static bool file_handle(void) {
    struct {
        struct file_handle head;
        char rest[128];
    } handle = {.head.handle_bytes = 128};
    int mount;
    return done(name_to_handle_at(AT_FDCWD, "/usr", &handle.head, &mount, 0));
}
static bool open_handle(void) {
    struct {
        struct file_handle head;
        char rest[128];
    } handle = {.head = {.handle_bytes = 8, .handle_type = 1}};
    int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return permitted(open_by_handle_at(folder, &handle.head, O_RDONLY));
}

/* By each call that gives a file its mode, on a file of our own: on the host it may be the file of a person.
 */
static const char owned[] = "brig-escape-setuid";
static bool gave_bit(long result) {
    struct stat file;
    bool given = result >= 0 && stat(owned, &file) == 0 && (file.st_mode & S_ISUID) != 0;
    unlink(owned);
    return given;
}
static long make_owned(void) {
    return open(owned, O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
}
static bool set_user_id(void) {
    struct {
        unsigned long long flags, mode, resolve;
    } how = {O_CREAT | O_WRONLY, 04755, 0};
    struct stat file;
    int nameless = open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 04755);
    bool made = gave_bit(mknod(owned, S_IFREG | 04755, 0)) || gave_bit(creat(owned, 04755)) ||
                gave_bit(open(owned, O_CREAT | O_WRONLY | O_CLOEXEC, 04755)) ||
                gave_bit(syscall(SYS_openat2, AT_FDCWD, owned, &how, sizeof how)) ||
                (nameless >= 0 && fstat(nameless, &file) == 0 && (file.st_mode & S_ISUID) != 0);
    bool changed = (make_owned() >= 0 && gave_bit(chmod(owned, 04755))) ||
                   (make_owned() >= 0 && gave_bit(fchmodat(AT_FDCWD, owned, 04755, 0))) ||
                   (make_owned() >= 0 && gave_bit(syscall(452 /* fchmodat2 */, AT_FDCWD, owned, 04755, 0))) ||
                   gave_bit(fchmod((int) make_owned(), 04755));
    return tell(made || changed, "%s",
                made      ? "made with the bit"
                : changed ? "changed to it"
                          : "no file has the bit");
}

static bool make_device(void) {
    struct stat disk;
    dev_t number = stat("/", &disk) == 0 && major(disk.st_dev) != 0 ? disk.st_dev : makedev(254, 0);
    bool made = mknod("/tmp/.brig-escape-disk", S_IFBLK | 0600, number) == 0;
    bool opened = done(made ? open("/tmp/.brig-escape-disk", O_RDONLY | O_CLOEXEC) : -1);
    unlink("/tmp/.brig-escape-disk");
    return opened;
}
static bool dev_mem(void) {
    return opens("/dev/mem", O_RDONLY);
}
static bool dev_kmsg(void) {
    return opens("/dev/kmsg", O_RDONLY);
}
static bool dev_kvm(void) {
    return opens("/dev/kvm", O_RDWR);
}
static bool dev_fuse(void) {
    return opens("/dev/fuse", O_RDWR);
}
static bool dev_tun(void) {
    return opens("/dev/net/tun", O_RDWR);
}
static bool dev_loop(void) {
    return opens("/dev/loop-control", O_RDWR);
}
static bool dev_disk(void) {
    return opens("/dev/vda", O_RDONLY);
}

const struct probe file_probes[] = {
    {"read-etc-shadow", read_shadow},
    {"read-root-home", read_root_folder},
    {"read-other-workspace", read_secret},
    {"read-host-shared-memory", read_shared_memory},
    {"read-above-root", read_above_root},
    {"read-root-of-init", read_init_root},
    {"read-kcore", read_kcore},
    {"read-proc-kmsg", read_kmsg},
    {"see-other-homes", see_homes},
    {"write-root", write_root},
    {"write-usr", write_usr},
    {"write-etc", write_etc},
    {"write-lib", write_lib},
    {"write-var", write_var},
    {"write-run", write_run},
    {"write-home", write_home},
    {"write-dev", write_dev},
    {"open-passwd-for-writing", open_passwd},
    {"open-ld-cache-for-writing", open_ld_cache},
    {"chmod-of-system-file", change_mode},
    {"sysctl-core-pattern", core_pattern},
    {"sysctl-modprobe", modprobe_path},
    {"sysctl-vm", sysctl_vm},
    {"sysctl-hostname", sysctl_host_name},
    {"sysctl-any-writable", any_sysctl},
    {"sysrq-trigger", sysrq},
    {"binfmt-register", binfmt},
    {"sys-uevent-helper", uevent_helper},
    {"sys-writable", sys_writable},
    {"cgroup-files-writable", cgroup_files},
    {"hard-link-of-system-file", hard_link},
    {"symlink-out-of-workspace", link_out},
    {"name-to-handle-at", file_handle},
    {"open-by-handle-at", open_handle},
    {"set-user-id-file", set_user_id},
    {"mknod-of-disk", make_device},
    {"dev-mem", dev_mem},
    {"dev-kmsg", dev_kmsg},
    {"dev-kvm", dev_kvm},
    {"dev-fuse", dev_fuse},
    {"dev-net-tun", dev_tun},
    {"dev-loop-control", dev_loop},
    {"dev-disk", dev_disk},
    {NULL, NULL},
};
