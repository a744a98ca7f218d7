package brig.workeragent.tunnel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Commands that read a private file of the other machine. Where it hides the files, none does; where only the text of
 * commands is checked, the test prints which do, as docs/security.md lists them.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class PrivateFileAttacksTest {
    private static final List<String> PRIVATE = List.of(".env", "*.pem", "id_ed25519", "conf/{db,mail}.secret");
    /** In no command, and in each private file. */
    private static final String CONTENT = "the-content-of-a-private-file";

    /** Ends the processes that pgrep finds and that have this machine's home. All others are none of the test's. */
    private static final String END_OWN = "end_own() { for p in $(pgrep \"$@\"); do"
            + " grep -qsz \"^HOME=$HOME\\$\" /proc/$p/environ && kill $p && echo ended; done; }; ";

    /** By name; HOME and OUTSIDE are replaced by the home, and a process of the same user outside of the masks. */
    private static final Map<String, String> ATTACKS = attacks();

    private static Map<String, String> attacks() {
        Map<String, String> attacks = new TreeMap<>();
        attacks.put("absolute path", "cat HOME/project/.env");
        attacks.put("bare name", "cat .env");
        attacks.put("cd, then bare name", "cd / && cd HOME && cd project && cat .env");
        attacks.put("symbolic link", "cat innocent");
        attacks.put("symbolic link made now", "ln -s .env fresh; cat fresh");
        attacks.put("symbolic link to the folder", "ln -s . here; cat here/.env");
        attacks.put("hard link", "cat old-link");
        attacks.put("hard link in the home", "cat ~/link-in-home");
        attacks.put("hard link made now", "ln .env new-link; cat new-link");
        attacks.put("glob", "cat .e*");
        attacks.put("glob of all", "cat .[!.]*; cat *");
        attacks.put("brace expansion", "cat .e{n,x}v");
        attacks.put("quotes", "cat .e\"n\"v");
        attacks.put("variable", "a=en; cat .${a}v");
        attacks.put("base64", "cat $(echo LmVudg== | base64 -d)");
        attacks.put("here-document", "bash <<'END'\nx=nv\ncat .e$x\nEND");
        attacks.put("script file", "printf 'cat .%s' env >s.sh; bash s.sh");
        attacks.put("read of the shell", "x=env; read -r l <.$x; echo $l");
        attacks.put("grep -r", "grep -r content- .");
        attacks.put("find -exec", "find . -type f -exec cat {} +");
        attacks.put("tar", "tar -cf - . | tar -xOf -");
        attacks.put("cp -r", "cp -r . ~/copy; cat ~/copy/.e?v ~/copy/*");
        attacks.put("mv", "mv .env moved; cat moved");
        attacks.put("mv of the folder", "cd ..; mv project other; cat other/.e*; mv other project");
        attacks.put("rm and undelete", "rm -f .env; cat .env");
        attacks.put("dd of a descriptor", "x=env; exec 9<.$x; dd if=/proc/self/fd/9 status=none");
        attacks.put("/proc/self/cwd", "cat /proc/self/cwd/.e*");
        attacks.put("/proc/self/root", "cat /proc/self/root/HOME/project/.e*");
        attacks.put("/proc/PID/root", "cat /proc/OUTSIDE/root/HOME/project/.e*");
        attacks.put("/proc/PID/cwd", "cat /proc/OUTSIDE/cwd/project/.e*");
        attacks.put("/proc/PPID/cwd", "for p in /proc/[0-9]*; do cat $p/cwd/.e* $p/root/HOME/project/.e*; done");
        attacks.put("/proc/PID/fd", "cat /proc/OUTSIDE/fd/9");
        attacks.put("umount", "umount .e* ; cat .e*");
        attacks.put("own namespaces", "unshare -Urm sh -c 'umount .e*; cat .e*'");
        attacks.put("bind of the folder", "unshare -Urm sh -c 'mkdir m; mount --bind . m; cat m/.e*'");
        attacks.put("overlay", "mkdir m; unshare -Urm sh -c 'mount -t overlay -o lowerdir=.:/etc none m; cat m/.e*'");
        attacks.put(
                "nsenter", "nsenter -t OUTSIDE -m cat HOME/project/.e*; nsenter -t OUTSIDE -U -m cat HOME/project/.e*");
        attacks.put("ptrace", "gdb -p OUTSIDE -batch; head -c 9 /proc/OUTSIDE/mem");
        attacks.put("editor swap file", "cat .env.swp; vim -es -c 'w! swap' -c q .e*; cat swap");
        attacks.put("git", "git init -q .; git add -A; git grep --cached content-; git show :.env");
        attacks.put("another glob", "cat keys/*.pem");
        attacks.put("glob with a path", "cat conf/d*");
        attacks.put("key of the home", "cat ~/.ssh/id*");
        attacks.put("login file of the next command", "echo 'cat ~/project/.e* >~/out' >>~/.bashrc");
        attacks.put(
                "program of the next command",
                "mkdir -p ~/bin; printf '#!/bin/sh\\ncat HOME/project/.e*' >~/bin/nsenter;"
                        + " chmod +x ~/bin/nsenter; PATH=~/bin:$PATH nsenter");
        attacks.put("end of what holds the masks", END_OWN + "end_own -x sleep; end_own -f kill.-0; cat .e*");
        return attacks;
    }

    private FarSide prepare() throws IOException {
        FarSide far = new FarSide();
        far.write(".env", CONTENT);
        far.write("readme", "public");
        far.write("keys/server.pem", CONTENT);
        far.write("conf/db.secret", CONTENT);
        Files.createLink(far.project.resolve("old-link"), far.project.resolve(".env"));
        Files.createLink(far.home.resolve("link-in-home"), far.project.resolve(".env"));
        Files.createSymbolicLink(far.project.resolve("innocent"), Path.of(".env"));
        Files.writeString(far.home.resolve(".ssh/id_ed25519"), CONTENT);
        far.give();
        return far;
    }

    /** The names of the attacks that showed the content, each tried on a machine of its own. */
    private Map<String, String> leaks(boolean masks) throws IOException, InterruptedException {
        Map<String, String> leaks = new TreeMap<>();
        for (var attack : ATTACKS.entrySet()) {
            try (FarSide far = prepare()) {
                if (!masks) Files.delete(far.home.resolve(".bashrc"));
                Process outside = new ProcessBuilder(
                                far.root.resolve("client").toString(),
                                "-T",
                                "x",
                                "--",
                                "exec 9<project/.env; exec sleep 100")
                        .start();
                try (TunnelCommands tunnel = far.open(PRIVATE)) {
                    assertEquals(masks, tunnel.posture().enforced(), tunnel.posture()::reason);
                    String command = attack.getValue()
                            .replace("/HOME", far.home.toString())
                            .replace("HOME", far.home.toString())
                            .replace("OUTSIDE", String.valueOf(outside.pid()));
                    String shown = run(far, command) + run(far, "cat readme ~/out");
                    if (shown.contains(CONTENT)) leaks.put(attack.getKey(), attack.getValue());
                } finally {
                    outside.destroyForcibly();
                }
            }
        }
        return leaks;
    }

    private static String run(FarSide far, String command) throws IOException {
        try (ShellCaller caller = far.bash("exec 2>&1; " + command)) {
            caller.end();
            return caller.outputText() + caller.errorText();
        }
    }

    @Test
    void shouldShowNothingWhereTheMachineHidesPrivateFiles() throws IOException, InterruptedException {
        assumeTrue(allowsMasks(), "this machine allows no user namespaces to ordinary users");
        assertTrue(ATTACKS.size() >= 30);
        assertEquals(Map.of(), leaks(true));
    }

    /** Scenario: a command takes a private file away from the next search, and another one brings it back after it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "mkdir -p ~/a/b/c/d; mv keys ~/a/b/c/d/away",
                "chmod 0 keys",
                "mkdir -p ~/a/b/c/d; cd ~; mv project a/b/c/d/away",
                "mv keys .keys; chmod 0 .keys",
                END_OWN + "end_own -f 'sleep 5'; end_own -x sh; true"
            })
    void shouldShowNothingAfterAnotherSearch(String command) throws IOException, InterruptedException {
        assumeTrue(allowsMasks(), "this machine allows no user namespaces to ordinary users");
        AtomicLong nanos = new AtomicLong();
        try (FarSide far = prepare();
                TunnelCommands tunnel = far.open(PRIVATE, nanos::get)) {
            long before = tunnel.masks().holder();
            String shown = run(far, command);
            assertEquals(command.startsWith(END_OWN), shown.contains("ended"), shown);
            nanos.addAndGet(11_000_000_000L);
            try (ShellCaller caller = new ShellCaller(far.socket(), "/", Map.of(), "bash", "-c", "true")) {
                caller.end();
            }
            TunnelCommandsTest.await(() -> tunnel.masks().holder() != before);
            String back = "cd %s; chmod 700 project/keys project/.keys; cat project/*keys/* project/.keys/*;"
                    + " cat a/b/c/d/away/* a/b/c/d/away/*/*";
            back = back.formatted(far.home);
            try (ShellCaller caller = new ShellCaller(far.socket(), "/", Map.of(), "bash", "-c", back)) {
                caller.end();
                assertFalse(caller.outputText().contains(CONTENT), caller::outputText);
            }
        }
    }

    @Test
    void shouldMissOnlyWhatTheSecurityPageListsWhereCommandsAreChecked() throws IOException, InterruptedException {
        var missed = new TreeSet<>(leaks(false).keySet());
        String page = Files.readString(Path.of("..", "docs", "security.md"));
        for (String attack : missed) assertTrue(page.contains("`" + attack + "`"), "not on the page: " + missed);
        for (String caught : List.of("absolute path", "bare name", "cd, then bare name", "glob", "quotes")) {
            assertFalse(missed.contains(caught), caught);
        }
    }

    private boolean allowsMasks() throws IOException, InterruptedException {
        try (FarSide far = prepare();
                TunnelCommands tunnel = far.open(PRIVATE)) {
            return tunnel.posture().enforced() || !tunnel.posture().reason().contains("allows no user namespaces");
        }
    }
}
