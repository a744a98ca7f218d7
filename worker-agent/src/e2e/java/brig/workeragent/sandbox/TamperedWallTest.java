package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.spawn.WallKind;
import brig.seccomp.BpfProgram;
import brig.seccomp.SeccompFilter;
import brig.seccomp.Syscall;
import brig.workeragent.TestFolders;
import brig.workeragent.limits.RlimitsOnly;
import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each declared property is taken away from a real wall, from outside: process 1 must miss it, by its name, and
 * start nothing.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TamperedWallTest {
    private static final String SHARED_IPC = "--unshare-pid\\x00--unshare-net\\x00--unshare-uts\\x00--unshare-cgroup";
    private static final String SHARED_CGROUP = "--unshare-pid\\x00--unshare-net\\x00--unshare-uts\\x00--unshare-ipc";
    private static final String SHARED_UTS = "--unshare-pid\\x00--unshare-net\\x00--unshare-ipc\\x00--unshare-cgroup";
    private static final String SHARED_PID = "--unshare-net\\x00--unshare-uts\\x00--unshare-ipc\\x00--unshare-cgroup";
    /** No wall at all: what is to be process 1 runs on the host. */
    private static final String NO_WALL = """
            init=$(tr '\\0' '\\n' <&7 | grep /brig-init$ | head -n 1)
            while [ "$1" != -- ]; do shift; done
            printf '{"child-pid": %d}' $$ >&9
            exec "$init" "${@:3}" 7<&- 8<&- 9<&-
            """;

    private static final String NO_FILTER = """
            exec 8<&-
            for n in $(seq $#); do
                if [ "${!n}" = --seccomp ]; then set -- "${@:1:n-1}" "${@:n+2}"; break; fi
            done
            """;
    private static final String FURTHER_LISTENER = """
            'import os, socket, sys
            further = socket.create_server(("127.0.0.1", 9999))
            further.set_inheritable(True)
            os.execv(sys.argv[1], sys.argv[1:])'""";
    private static final String ON_A_TERMINAL = """
            printf -v line '%q ' /usr/bin/bwrap "$@"
            exec script -qec "$line" /dev/null
            """;

    /**
     * How bubblewrap is started instead.
     *
     * @param edit a program for {@code sed -z}, one option per line, for what the worker-agent asked for
     * @param further options that come after these
     * @param before what a shell does first; its arguments are those of bubblewrap, 7 to 9 its descriptors for
     *     options, filter and information
     * @param ofRoot whether the wall is built by root of the host
     */
    private record Tampering(String property, String edit, String further, String before, boolean ofRoot) {
        Tampering(String property, String edit, String further, String before) {
            this(property, edit, further, before, false);
        }

        @Override
        public String toString() {
            return property;
        }
    }

    private static Tampering edited(String property, String edit) {
        return new Tampering(property, edit, "", "");
    }

    private static Tampering further(String property, String options) {
        return new Tampering(property, "", options, "");
    }

    private static Tampering before(String property, String shell) {
        return new Tampering(property, "", "", shell);
    }

    /** One more filter, which makes a call succeed that does nothing. */
    private static Tampering filtered(String property, String file) {
        return before(
                property,
                "exec 11<${0%/*}/" + file + "; set -- \"${@:1:6}\" --add-seccomp-fd 8 --add-seccomp-fd 11 \"${@:9}\"");
    }

    /** Something that process 1 is executed by, which sees to the rest of its command line. */
    private static Tampering inside(String property, String edit, String command) {
        return new Tampering(property, edit, "", """
                n=1; while [ "${!n}" != -- ]; do n=$((n + 1)); done
                set -- "${@:1:n}" %s "${@:n+1}"
                """.formatted(command));
    }

    private static String unshare(String kinds) {
        return "s/^--unshare-all$/" + kinds + "/";
    }

    static Stream<Tampering> tamperings() {
        return Stream.of(
                further("no-capabilities", "--cap-add CAP_NET_ADMIN"),
                before("no-new-privs", NO_WALL),
                before("inotify-bounded", NO_WALL),
                before("seccomp-filter", NO_FILTER),
                before("own-user-namespace", NO_WALL),
                new Tampering(
                        "own-user-namespace",
                        unshare(SHARED_UTS + "\\x00--unshare-uts")
                                + ";/^--\\(unshare-user\\|disable-userns\\)$/d;/^--[ug]id$/{N;d}",
                        "",
                        "",
                        true),
                edited("own-pid-namespace", unshare(SHARED_PID) + ";/^--as-pid-1$/d;s:^--proc$:--ro-bind\\x00/proc:"),
                further("own-network", "--share-net"),
                new Tampering(
                        "egress-network",
                        "/^--disable-userns$/d",
                        "",
                        NO_FILTER + inside("", "", "/usr/bin/unshare --user --net --map-current-user").before),
                inside("egress-network", "", "/usr/bin/python3 -c " + FURTHER_LISTENER),
                edited("own-ipc", unshare(SHARED_IPC)),
                edited("own-cgroup", unshare(SHARED_CGROUP)),
                edited("own-uts", unshare(SHARED_UTS) + ";/^--hostname$/{N;d}"),
                before("own-mounts", NO_WALL),
                edited("no-host-sockets", "s:^--proc$:--ro-bind\\x00FOLDER/host.sock\\x00/run/host.sock\\x00--proc:"),
                new Tampering("no-terminal", "/^--new-session$/d", "", ON_A_TERMINAL),
                further("root-read-only", "--tmpfs /etc"),
                edited("root-read-only", "/^--remount-ro$/{N;d}"),
                further("root-read-only", "--bind /var/tmp /home"),
                further("root-read-only", "--ro-bind /usr/share /usr/share --tmpfs /usr/share"),
                edited("proc-sys-read-only", "s:^--ro-bind$:--bind:"),
                further("workspace", "--tmpfs /workspace --remount-ro /workspace"),
                further("workspace-mounts", "--ro-bind /usr/share /workspace/shown"),
                further("tmp-sized", "--tmpfs /tmp"),
                further("home-sized", "--size 1073741824 --tmpfs /home/worker"),
                further("shm-sized", "--tmpfs /dev/shm"),
                further("environment-empty", "--setenv LEAKED x"),
                before("descriptors", "exec 20</etc/passwd"),
                filtered("init-sealed", "keeps-dumpable.bpf"),
                filtered("limits", "keeps-limits.bpf"),
                new Tampering("uid-not-root", "", "", "", true));
    }

    private Path folder;
    private ServerSocketChannel host;

    @BeforeEach
    void prepare() throws IOException {
        folder = TestFolders.create("brig-tampered");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        host = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        host.bind(UnixDomainSocketAddress.of(folder.resolve("host.sock")));
        boolean x86 = Syscall.Machine.ofHost() == Syscall.Machine.X86_64;
        int succeed = 0x00050000; // SECCOMP_RET_ERRNO without an error
        int setDumpable = 4;
        var prctl =
                new BpfProgram().load(16).answerWhenEqual(setDumpable, succeed).answer(SeccompFilter.ALLOW);
        // Its third argument is the new limit, none where it only asks.
        var prlimit = new BpfProgram()
                .load(32)
                .answerWhenEqual(0, SeccompFilter.ALLOW)
                .answer(succeed);
        Files.write(
                folder.resolve("keeps-dumpable.bpf"),
                new BpfProgram()
                        .load(0)
                        .whenEqual(x86 ? 157 : 167, prctl)
                        .answer(SeccompFilter.ALLOW)
                        .toBytes());
        Files.write(
                folder.resolve("keeps-limits.bpf"),
                new BpfProgram()
                        .load(0)
                        .whenEqual(x86 ? 302 : 261, prlimit)
                        .answer(SeccompFilter.ALLOW)
                        .toBytes());
    }

    @AfterEach
    void remove() throws IOException {
        host.close();
        TestFolders.delete(folder);
    }

    private Path script(Tampering how) throws IOException {
        Path script = Files.writeString(folder.resolve("tampered"), """
                #!/bin/bash
                exec 7< <(/usr/bin/sed -z '%s' <&7)
                %s
                shift 2
                exec /usr/bin/bwrap --args 7 %s "$@"
                """.formatted(
                        how.edit.replace("FOLDER", folder.toString()), how.before, how.further));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        return script;
    }

    @ParameterizedTest
    @MethodSource("tamperings")
    void shouldRefuseThePayloadWhenAPropertyIsMissing(Tampering how) throws Exception {
        WorkerIdentity usual = WorkerIdentity.ofHost(WorkerIdentity.DEFAULT_UID);
        assumeTrue(!how.ofRoot || usual.switched(), "needs root");
        WorkerIdentity identity = how.ofRoot ? new WorkerIdentity(0, 0, false) : usual;
        try (var wall =
                new WallFixture(new RlimitsOnly(), script(how), WallFixture.nativeFolder(), identity, WallKind.BWRAP)) {
            NetworkPlan network = how.property.equals("egress-network") ? WalledNetworkTest.PLAN : NetworkPlan.NONE;
            SandboxException failure = wall.failure(WalledNetworkTest.withNetwork(
                    wall, network, false, "/bin/sh", "-c", "touch /workspace/ran; sleep 1000.125"));
            assertEquals(Code.POSTURE_NOT_ENFORCED, failure.code(), failure.getMessage());
            assertTrue(failure.getMessage().contains(" " + how.property + " ("), failure.getMessage());
            assertFalse(Files.exists(wall.workspace.resolve("ran")));
            assertEquals(List.of(), WallFixture.processesWith("1000.125"));
        }
    }

    @Test
    void shouldNotMindAWritableMountThatAnotherCovers() throws IOException {
        // Scenario: below /proc/sys of a host with systemd there are two mounts on one place.
        Path script = script(further("root-read-only", "--tmpfs /usr/share --ro-bind /usr/share /usr/share"));
        try (var wall = new WallFixture(new RlimitsOnly(), script)) {
            assertEquals(0, wall.run("true").exit().code());
        }
    }

    @Test
    void shouldTakeAwayEveryPropertyThatAWallDeclares() {
        var declared = new TreeSet<>(PostureTest.NAMES);
        declared.addAll(PostureTest.NAMES_WITH_EGRESS);
        assertEquals(
                List.copyOf(declared),
                List.copyOf(new TreeSet<>(tamperings().map(Tampering::property).toList())));
    }
}
