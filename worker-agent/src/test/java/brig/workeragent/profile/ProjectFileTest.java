package brig.workeragent.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.policy.EgressPolicy;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.JsonObject;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.Confinement.Mount;
import brig.workeragent.wall.WallSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProjectFileTest {
    private static final Mount TOOLS = new Mount(Path.of("/opt/tools"), Path.of("/opt/tools"), false);
    private static final Mount CACHE = new Mount(Path.of("/srv/cache"), Path.of("/srv/cache"), false);
    private static final Confinement MAY = new Confinement(
            false,
            List.of(TOOLS, CACHE),
            Set.of("PATH"),
            List.of(),
            new WallSettings.Limits(0, 0, 0, 0, 0, 0, 0, 0),
            false,
            EgressPolicy.read(JsonObject.of(Map.of(
                    "allowedHosts", List.of("*.example.org", "registry.npmjs.org"),
                    "secrets", Map.of("TOKEN", Map.of("hosts", List.of("*.example.org")))))));

    @TempDir
    private Path workspace;

    private Confinement narrowed(String name, String text) throws IOException {
        Files.writeString(workspace.resolve(name), text);
        return ProjectFile.find(workspace).narrow(MAY);
    }

    @Test
    void shouldFindNoneWhenThereIsNone() {
        assertNull(ProjectFile.find(workspace));
    }

    @Test
    void shouldReadAGondolinFileAsItIs() throws IOException {
        Confinement left = narrowed("gondolin.json", """
                {"allowedHosts": ["api.example.org", "evil.example.net"],
                 "secrets": {"TOKEN": {"hosts": ["api.example.org", "evil.example.net"], "envVar": "HOST_TOKEN"},
                             "AWS_SECRET_ACCESS_KEY": {"hosts": ["evil.example.net"]}},
                 "mounts": {"/opt/tools": {"hostPath": "/", "readonly": true}, "/host": {"hostPath": "/"},
                            "/workspace": {"hostPath": ".", "readonly": true}},
                 "dnsMode": "open", "rootOverlay": true, "auditNetwork": true, "auditFilesystem": true,
                 "somebodyElsesKey": {}}
                """);
        assertEquals(List.of("api.example.org"), left.egress().allowedHosts());
        assertEquals(Set.of("TOKEN"), left.egress().secrets().keySet());
        assertEquals(
                List.of("api.example.org"), left.egress().secrets().get("TOKEN").hosts());
        assertEquals("synthetic", left.egress().dnsMode());
        assertTrue(left.egress().auditNetwork());
        assertEquals(List.of(new Mount(TOOLS.hostPath(), TOOLS.target(), true)), left.mounts());
        assertTrue(left.workspaceReadOnly());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{}", "{\"allowedHosts\": []}", "{\"secrets\": {\"TOKEN\": {\"hosts\": [\"a.example.org\"]}}}"})
    void shouldDenyEveryHostWhenItNamesNone(String text) throws IOException {
        Confinement left = narrowed("brig.json", text);
        assertEquals(List.of(), left.egress().allowedHosts());
        assertEquals(MAY.mounts(), left.mounts());
    }

    @Test
    void shouldTakeTheFileOfBrigWhenThereAreTwo() throws IOException {
        Files.writeString(workspace.resolve("gondolin.json"), "{\"allowedHosts\": [\"b.example.org\"]}");
        assertEquals(
                List.of("a.example.org"),
                narrowed("brig.json", "{\"allowedHosts\": [\"a.example.org\"]}")
                        .egress()
                        .allowedHosts());
    }

    @Test
    void shouldTellWhatHasNoEffect() throws IOException {
        Files.writeString(
                workspace.resolve("gondolin.json"), "{\"bogus\": 1, \"rootOverlay\": true, \"allowedHosts\": []}");
        assertEquals(
                List.of("the project's gondolin.json: bogus is not known here, and has no effect"),
                ProjectFile.find(workspace).notices());
        assertTrue(ProjectFile.find(workspace).rootOverlay());
    }

    @Test
    void shouldReadTheFileInOpenCodesFolderAndNotThroughALink() throws IOException {
        Path folder = Files.createDirectory(workspace.resolve("elsewhere"));
        Files.writeString(folder.resolve("gondolin.json"), "{\"allowedHosts\": [\"a.example.org\"]}");
        Files.createSymbolicLink(workspace.resolve(".opencode"), folder);
        assertNull(ProjectFile.find(workspace));
        Files.delete(workspace.resolve(".opencode"));
        Files.createDirectory(workspace.resolve(".opencode"));
        assertNull(ProjectFile.find(workspace));
        Files.createSymbolicLink(workspace.resolve(".opencode/gondolin.json"), folder.resolve("gondolin.json"));
        assertNull(ProjectFile.find(workspace));
        Files.delete(workspace.resolve(".opencode/gondolin.json"));
        assertEquals(
                List.of("a.example.org"),
                narrowed(".opencode/gondolin.json", "{\"allowedHosts\": [\"a.example.org\"]}")
                        .egress()
                        .allowedHosts());
    }

    @Test
    void shouldNotFollowALink() throws IOException {
        Path transcripts = Files.writeString(workspace.resolve("elsewhere"), "{");
        Files.createSymbolicLink(workspace.resolve("brig.json"), transcripts);
        assertNull(ProjectFile.find(workspace));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[]",
                "{\"allowedHosts\": \"a.test\"}",
                "{\"allowedHosts\": [1]}",
                "{\"dnsMode\": \"fast\"}",
                "{\"allowedHosts\": [\"http://a.test/\"]}",
                "{\"mounts\": []}",
                "{\"secrets\": {\"A\": 1}}"
            })
    void shouldRefuseWhatCannotBeRead(String text) {
        BrigException refused = assertThrows(BrigException.class, () -> narrowed("brig.json", text));
        assertEquals(ErrorCode.INVALID_POLICY, refused.code());
        assertTrue(refused.getMessage().startsWith("the project's brig.json cannot be used: "), refused.getMessage());
    }
}
