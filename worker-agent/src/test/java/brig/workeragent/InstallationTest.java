package brig.workeragent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InstallationTest {
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();

    @TempDir
    Path folder;

    private Installation read(String text, boolean root) throws IOException {
        Path file = Files.writeString(folder.resolve("brig.json"), text);
        return Installation.read(
                new CommandLine(file, HOME, null, null, null, false, 30_000, JsonObject.EMPTY),
                Map.of("HOME", "/home/ann", "XDG_RUNTIME_DIR", "/run/user/7"),
                root);
    }

    private String fault(String text) {
        return assertThrows(BrigException.class, () -> read(text, false)).getMessage();
    }

    @Test
    void shouldTakeShippedDefaultsWhenFileSaysNothing() throws Exception {
        Installation user = read("{}", false);
        assertEquals(1 << 20, user.config().unackedBytesMax());
        assertEquals(
                List.of(HOME.resolve("config/agents"), Path.of("/home/ann/.config/brig/agents")), user.agentFolders());
        assertEquals(List.of(Path.of("/home/ann/.local/share/brig/workspaces")), user.workspaceBases());
        assertEquals(Path.of("/run/user/7/brig"), user.runtimeDir());
        Installation root = read("{}", true);
        assertEquals(List.of(Path.of("/var/lib/brig/workspaces")), root.workspaceBases());
        assertEquals(Path.of("/run/brig"), root.runtimeDir());
        assertEquals(List.of(HOME.resolve("config/agents"), Path.of("/etc/brig/agents")), root.agentFolders());
    }

    @Test
    void shouldSayWhichFoldersAreNotThere() throws Exception {
        Installation read = read(
                "{\"worker\": {\"agentDirs\": [\"\", \"/nope\"], \"policyDirs\": [\"" + folder + "\", \"/no\"]}}",
                false);
        assertEquals(
                List.of("worker.agentDirs: there is no folder /nope", "worker.policyDirs: there is no folder /no"),
                read.missingFolders());
        assertEquals(List.of(), read("{}", false).missingFolders());
    }

    @Test
    void shouldTakeValuesOfFileWhenItHasSome() throws Exception {
        Installation read = read("""
                {"runtimeDir": "/r", "worker": {"idleMs": 5000, "workspaceBases": ["/a", "/b"]}}
                """, true);
        assertEquals(5000, read.config().idleMs());
        assertEquals(512, read.config().pidsMax());
        assertEquals(Path.of("/r"), read.runtimeDir());
        assertEquals(List.of(Path.of("/a"), Path.of("/b")), read.workspaceBases());
    }

    @Test
    void shouldReadRepositoriesAnewWhenTheyAreAskedFor() throws Exception {
        Installation read = read("{}", false);
        assertEquals(List.of(), read.repositories());
        read("{\"worker\": {\"repositories\": [\"/home/ann/shop\"]}}", false);
        assertEquals(List.of(Path.of("/home/ann/shop")), read.repositories());
        assertThrows(BrigException.class, () -> read("{\"worker\": {\"repositories\": 7}}", false));
        assertThrows(BrigException.class, read::repositories);
    }

    @Test
    void shouldNameFileAndKeyWhenValueIsWrong() {
        assertTrue(fault("{\"worker\": {\"idleMs\": 1}}")
                .contains("brig.json: field 'worker.idleMs' must be from 1000 to"));
        assertTrue(fault("{\"worker\": {\"idleMs\": \"long\"}}").contains("'worker.idleMs'"));
        assertTrue(fault("{\"worker\": {\"colour\": 1}}").contains("field 'worker.colour' is not known"));
        assertTrue(fault("{\"colour\": 1}").contains("field 'colour' is not known"));
        assertTrue(fault("{\"worker\": {\"workspaceBases\": []}}").contains("worker.workspaceBases"));
        assertTrue(fault("{\"worker\": {\"pidsMax\": 2}}").contains("field 'worker.pidsMax' must be 0, or from 4"));
        assertTrue(fault("{\"worker\": 7}").contains("'worker' must be an object"));
        assertTrue(fault("{").contains("brig.json: malformed JSON"));
    }

    @Test
    void shouldRefuseWhenArgumentIsUnknownOrAlone() {
        assertThrows(BrigException.class, () -> CommandLine.parse("--colour"));
        assertThrows(BrigException.class, () -> CommandLine.parse("--config"));
        CommandLine options = CommandLine.parse(
                "--embedded",
                "--config",
                "/c",
                "--home",
                "/h",
                "--runtime-dir",
                "/r",
                "--state-dir",
                "/s",
                "--gateway-user",
                "ann",
                "--idle-exit-s",
                "60");
        assertEquals(
                new CommandLine(
                        Path.of("/c"),
                        Path.of("/h"),
                        Path.of("/r"),
                        Path.of("/s"),
                        "ann",
                        true,
                        60_000,
                        JsonObject.EMPTY),
                options);
    }

    @Test
    void shouldKeepStateOfItsOwnWhenItIsAService() throws Exception {
        Path file = Files.writeString(folder.resolve("brig.json"), "{\"runtimeDir\": \"/r\", \"stateDir\": \"/s\"}");
        Installation service = Installation.read(
                new CommandLine(
                        file, HOME, Path.of("/run/own"), Path.of("/var/own"), "ann", false, 30_000, JsonObject.EMPTY),
                Map.of(),
                true);
        assertEquals(Path.of("/run/own"), service.runtimeDir());
        assertEquals(Path.of("/var/own"), service.stateDir());
        assertEquals(List.of(Path.of("/var/own/workspaces")), service.workspaceBases());
        assertEquals("ann", service.gatewayUser());
    }

    @Test
    void shouldKeepWorkspacesInItsOwnStateFolderWhenOneIsNamed() throws Exception {
        Path file = Files.writeString(folder.resolve("brig.json"), "{}");
        Path state = Path.of("/home/ann/.brig/gateways/0123456789ab");
        JsonObject over = CommandLine.parse("--workers-max", "7", "--spill-bytes-max", "1073741824")
                .over();
        Installation ofGateway = Installation.read(
                new CommandLine(file, HOME, null, state, null, true, 30_000, over), Map.of("HOME", "/home/ann"), false);
        assertEquals(List.of(state.resolve("workspaces")), ofGateway.workspaceBases());
        assertEquals(7, ofGateway.config().workersMax());
        assertEquals(1L << 30, ofGateway.config().spillBytesMax());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--idle-exit-s 0", "--idle-exit-s 9999999999", "--workers-max many", "--spill-bytes-max"})
    void shouldRefuseNumbersThatAreNone(String words) {
        assertThrows(BrigException.class, () -> CommandLine.parse(words.split(" ")));
    }
}
