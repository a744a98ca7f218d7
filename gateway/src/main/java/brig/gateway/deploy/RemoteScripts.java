package brig.gateway.deploy;

/**
 * What runs on a host before anything of Brig is there, for any POSIX shell: one line each, since csh takes no other as a
 * word. The first argument is the name of the payload, the second one that nobody else uses.
 */
final class RemoteScripts {
    /** Says what the host is. Each line begins with {@code brig-}; login shells may write others. */
    static final String PREFLIGHT = String.join(
            "; ",
            "LC_ALL=C",
            "export LC_ALL",
            "cd || exit 1",
            "echo \"brig-home $(pwd -P)\"",
            "echo \"brig-system $(uname -s)\"",
            "echo \"brig-machine $(uname -m)\"",
            "echo \"brig-libc $(getconf GNU_LIBC_VERSION 2>/dev/null)\"",
            "df -Pk . 2>/dev/null | { read -r head; read -r device size used free rest; echo \"brig-free-kib $free\"; }",
            "[ -x \".brig/versions/$1/bin/brig-host\" ] && echo \"brig-payload $1\"",
            "echo brig-end");

    /**
     * Unpacks standard input to a folder of its own, gives it its name when all of it is there, and has it check the host.
     */
    static final String DEPLOY = String.join(
            "; ",
            "umask 022",
            "cd || exit 1",
            "mkdir -p .brig/versions && chmod 700 .brig || exit 1",
            "new=.brig/versions/.new-$1-$2",
            "rm -rf \"$new\" && mkdir \"$new\" || exit 1",
            "if gzip -dc | tar -xf - -C \"$new\" --no-same-owner && [ -x \"$new/$1/bin/brig-host\" ]"
                    + " && [ -s \"$new/$1/lib/requires\" ]; then"
                    + " [ -x \".brig/versions/$1/bin/brig-host\" ] || rm -rf \".brig/versions/$1\";"
                    + " mv -T \"$new/$1\" \".brig/versions/$1\" 2>/dev/null; fi",
            "rm -rf \"$new\"",
            "[ -x \".brig/versions/$1/bin/brig-host\" ] && echo \"brig-deployed $1\" && exec \".brig/versions/$1/bin/brig-host\" check");

    private RemoteScripts() {}
}
