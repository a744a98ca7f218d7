package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.workeragent.TestFolders;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code ./gradlew dist} makes, unpacked by a user without rights, with a home of their own: archive and apt repository. */
@Timeout(OwnPackageTest.SECONDS_MAX)
class OwnPackageTest {
    /** It takes a minute where nobody else works. */
    static final long SECONDS_MAX = 400;

    private static final String PERSON = "12346";
    private static final String ARCHIVES = "--without-archives";

    private static Path folder;
    private static Path archive;

    @BeforeAll
    static void find() throws IOException {
        boolean decompresses = Files.isExecutable(Path.of("/usr/bin/zstd"));
        Path made = Path.of(System.getProperty(decompresses ? "brig.archive" : "brig.tar", "none"));
        Assumptions.assumeTrue(Files.exists(made), "there is no archive");
        folder = Files.createTempDirectory("brig-own-");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        // A build's folder may be closed to others.
        archive = Files.copy(made, folder.resolve(made.getFileName()));
    }

    @AfterAll
    static void remove() throws IOException {
        if (folder != null) {
            TestFolders.delete(folder);
        }
    }

    /** A user's home, and what the user runs there. */
    private record Home(Path path) {
        static Home make(String name) throws IOException {
            Path home = Files.createDirectory(folder.resolve(name));
            for (Path own : List.of(home, Files.createDirectory(home.resolve("run")))) {
                Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwx------"));
                if (Product.isRoot()) {
                    Files.setAttribute(own, "unix:uid", Integer.valueOf(PERSON));
                }
            }
            return new Home(home);
        }

        List<String> command(String script) throws IOException {
            List<String> command = new ArrayList<>();
            if (Product.isRoot()) {
                command.addAll(List.of("setpriv", "--reuid", PERSON, "--regid", PERSON, "--clear-groups", "--"));
            }
            command.addAll(List.of(
                    "env",
                    "-i",
                    "HOME=" + path,
                    "XDG_RUNTIME_DIR=" + path.resolve("run"),
                    "PATH=" + path.resolve(".local/bin") + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                    "sh",
                    "-euc",
                    "cd && " + script));
            return command;
        }

        Run run(String script) throws IOException {
            return Run.of(command(script), "", folder, SECONDS_MAX);
        }

        /** Runs it, and returns what it prints. */
        String does(String script) throws IOException {
            Run run = run(script);
            assertEquals(0, run.exitCode(), () -> script + "\n" + run.out() + run.err());
            return run.out();
        }

        List<ProcessHandle> workerAgents() {
            return Processes.with("--runtime-dir", path.resolve("run/brig").toString());
        }

        boolean has(String file) {
            return Files.exists(path.resolve(file), LinkOption.NOFOLLOW_LINKS);
        }
    }

    @Test
    void shouldSetUpRunAndLeaveNothingBehind() throws IOException {
        Home home = Home.make("a");
        home.does("tar -xf " + archive);
        home.run("brig/bin/brig setup");
        assertTrue(home.does("brig --version").startsWith("brig "));
        home.does("BRIG_JAVA_OPTS='-XX:AOTMode=on -Xlog:aot' brig --version");
        assertEquals(
                "hi\nwalled\n",
                home.does("brig run shell -- 'echo hi; cat ~/.local/bin/brig 2>/dev/null || echo walled'"));
        home.does("brig run mock '#scenario:subagent'");
        String setting = home.does("brig mcp install claude --dry-run");
        assertTrue(setting.contains("\"" + home.path().resolve("brig/bin/brig") + "\""), setting);
        home.does("brig/current/lib/host/payload version");
        assertTrue(
                home.has(".local/share/man/man1/brig.1") && home.has(".local/state") == home.has(".local/state/brig"));

        Run unasked = home.run("brig uninstall");
        assertEquals(2, unasked.exitCode(), unasked::err);
        Run removed = home.run("touch brig/mine && brig uninstall --yes");
        assertEquals("brig: " + home.path().resolve("brig") + " has other files, and stays\n", removed.err());
        assertTrue(home.has(".local/share/brig") && home.has("brig/mine") && !home.has("brig/versions"));
        assertFalse(home.has(".local/bin/brig") || home.has(".local/share/man/man1/brig.1"));

        home.does("rm -r brig && tar -xf " + archive + " && git init -q -b main shop && git -C shop -c user.name=t"
                + " -c user.email=t@example.org commit -q --allow-empty -m first"
                + " && brig/bin/brig run shell -r shop -- 'echo z >z'");
        assertTrue(home.does("git -C shop branch").contains("brig/"), "its changes are kept");
        home.does("brig/bin/brig uninstall --yes --purge");
        assertFalse(home.has("brig") || home.has(".local/share/brig"));
        assertEquals("* main\n", home.does("git -C shop branch"));
        assertEquals(1, home.does("git -C shop worktree list --porcelain").split("worktree ", -1).length - 1);
    }

    /** Scenario: a gateway runs with a worker; a newer version comes; the worker is asked through it; both are ended. */
    @Test
    void shouldUpgradeUnderALivingWorker() throws IOException {
        Home home = Home.make("b");
        home.does("tar -xf " + archive);
        String name = home.does("readlink brig/current").strip().replace("versions/", "");
        home.does("mkdir -p .config/brig && echo '{\"http\": {\"port\": 0}}' >.config/brig/brig.json");
        Process serve = new ProcessBuilder(home.command("exec brig/bin/brig serve"))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("serve.log").toFile())
                .start();
        try {
            Await.until("it is up", () -> home.run("brig/bin/brig status").exitCode() == 0);
            home.does(
                    "brig/bin/brig spawn --once --task-id stays shell -- 'until [ -e go ]; do sleep 0.1; done; echo went on'");
            assertRefused(home, "printf x >broken.tar", "broken.tar", "cannot be unpacked");
            String newer = newer(home, name);
            assertRefused(
                    home,
                    "mkdir o && cp " + newer + " o/ && printf '%064d  " + newer + "\\n' 0 >o/SHA256SUMS",
                    "o/" + newer,
                    "SHA256SUMS");
            assertTrue(home.run("brig/bin/brig uninstall --yes").err().contains("ALREADY_RUNNING"));

            String said = home.does("brig/bin/brig upgrade " + ARCHIVES + " " + newer);
            assertTrue(said.contains("the gateway is the new version") && said.contains("1 workers go on"), said);
            String current = home.does("readlink -f brig/current").strip();
            assertFalse(current.endsWith(name), current);
            assertTrue(serve.isAlive(), "it has the same pid");
            assertEquals(
                    Path.of(current, "runtime/bin/java"),
                    Files.readSymbolicLink(Path.of("/proc/" + serve.pid() + "/exe")));
            home.does("brig/bin/brig exec stays touch go");
            assertEquals("went on\n", home.does("brig/bin/brig logs -f stays"));
            assertTrue(home.has("brig/versions/" + name), "the worker-agent runs from it");
            serve.destroy();
            Await.until(
                    "it has ended",
                    () -> !serve.isAlive() && home.workerAgents().isEmpty());
        } finally {
            serve.destroyForcibly();
            home.workerAgents().forEach(ProcessHandle::destroyForcibly);
        }
        home.does("brig/bin/brig uninstall --yes");
        assertFalse(home.has("brig"));
    }

    private static void assertRefused(Home home, String make, String file, String why) throws IOException {
        home.does(make);
        Run run = home.run("brig/bin/brig upgrade " + ARCHIVES + " " + file);
        assertEquals(125, run.exitCode(), run::out);
        assertTrue(run.err().contains(why), run::err);
    }

    /** Makes an archive of another version; and two that differ from their lists, which are refused. */
    private static String newer(Home home, String name) throws IOException {
        String pack =
                "; sum=$(sha256sum SHA256SUMS | cut -c1-12); cd ../..; mv brig/new brig/versions/9-$sum; tar -cf ";
        home.does("mkdir -p new/brig/versions && cp -a brig/versions/" + name + " new/brig/new && cd new/brig/new"
                + " && rm -f lib/*.aot && echo newer >>NOTICE && sed -i \"s#.*  NOTICE\\$#$(sha256sum NOTICE | cut -c1-64)  NOTICE#\""
                + " SHA256SUMS" + pack + "../newer.tar brig");
        for (String damage :
                List.of("echo more >>brig/versions/*/NOTICE", "ln -s /etc/passwd brig/versions/*/config/more")) {
            String version = "new/brig/versions/*";
            assertRefused(
                    home,
                    "cp -a new worse && cd worse && for v in brig/versions/*; do (cd $v && "
                            + damage.replace("brig/versions/*/", "")
                            + "); done && tar -cf ../worse.tar brig && cd && rm -r worse && ls -d "
                            + version,
                    "worse.tar",
                    "damaged");
        }
        return "newer.tar";
    }

    @Test
    void shouldInstallFromTheAptRepository() throws IOException {
        Path made = Path.of(System.getProperty("brig.apt", "none"));
        Assumptions.assumeTrue(
                Files.exists(made) && Files.isExecutable(Path.of("/usr/bin/apt-get")), "there is no apt");
        Home home = Home.make("c");
        Path repository = folder.resolve("apt");
        boolean signs = Files.isExecutable(Path.of("/usr/bin/gpg"));
        String deb;
        try (Stream<Path> debs = Files.walk(made)) {
            deb = debs.filter(file -> file.toString().endsWith(".deb"))
                    .findFirst()
                    .orElseThrow()
                    .toString();
        }
        String tool = System.getProperty("brig.aptRepository") + " " + deb + " " + repository + " 1700000000";
        String key = "export GNUPGHOME=" + folder + "/key; mkdir -m 700 $GNUPGHOME; "
                + "gpg --batch --quiet --passphrase '' --quick-generate-key 'Test <test@example.org>' ed25519 sign; "
                + tool + " test@example.org; gpgconf --kill all";
        Run signed = Run.of(List.of("sh", "-euc", signs ? key : tool), "", folder, SECONDS_MAX);
        assertEquals(0, signed.exitCode(), signed::err);
        home.does(
                "mkdir -p e/apt.conf.d e/preferences.d e/trusted.gpg.d s/lists/partial c/archives/partial; touch status; "
                        + "echo 'deb [" + (signs ? "signed-by=" + repository + "/brig.gpg" : "trusted=yes") + "] file:"
                        + repository
                        + " stable main' >e/sources.list");
        String apt =
                "apt-get -q -o Dir::Etc=$HOME/e -o Dir::State=$HOME/s -o Dir::State::status=$HOME/status -o Dir::Cache=$HOME/c ";
        home.does(apt + "update");
        home.does(apt + "download brig && dpkg-deb -x brig_*.deb root");
        assertEquals("hi\n", home.does("root/usr/bin/brig run shell -- 'echo hi'"));
    }

    @Test
    void shouldListItsComponentsAsTheStandardSays() throws IOException {
        Path list = Path.of(System.getProperty("brig.sbom", "none"));
        Assumptions.assumeTrue(Files.exists(list), "there is no list of components");
        String standard = "http://cyclonedx.org/schema/";
        JsonSchema schema = JsonSchemaFactory.getInstance(
                        SpecVersion.VersionFlag.V7,
                        builder -> builder.schemaMappers(mappers -> mappers.mapPrefix(standard, "classpath:")))
                .getSchema(SchemaLocation.of(standard + "bom-1.6.schema.json"));
        assertEquals(
                Set.of(),
                schema.validate(
                        Files.readString(list),
                        InputFormat.JSON,
                        context -> context.getExecutionConfig().setFormatAssertionsEnabled(true)));
    }
}
