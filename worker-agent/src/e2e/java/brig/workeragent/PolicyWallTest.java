package brig.workeragent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.wire.FrameType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a policy says, seen from inside the real wall. */
@Timeout(90)
class PolicyWallTest {
    private AgentFixture fixture;
    private TestGateway control;

    @BeforeEach
    void open() throws IOException {
        fixture = new AgentFixture().open();
        control = fixture.control();
    }

    @AfterEach
    void close() throws IOException {
        control.close();
        fixture.close();
    }

    /** What the shell said, both pipes, and its done. */
    private String run(String policy, String script) throws IOException {
        String id = Ids.newSpawnId(System.currentTimeMillis());
        Map<String, Object> answer = fixture.askForShell(control, id, policy, script);
        assertTrue(answer.containsKey("ok"), answer.toString());
        StringBuilder said = new StringBuilder();
        try (TestGateway frames = fixture.frames(id, 1)) {
            frames.read(frame -> {
                if (frame.type() == FrameType.CHUNK) {
                    said.append(frame.text("content"));
                }
                if (frame.type() == FrameType.DONE) {
                    said.append("done ").append(frame.text("exit_code"));
                }
                return frame.type() != FrameType.DONE;
            });
        }
        return said.toString();
    }

    private String code(String policy) throws IOException {
        String id = Ids.newSpawnId(System.currentTimeMillis());
        return String.valueOf(fixture.askForShell(control, id, policy, "true"));
    }

    @Test
    void shouldListAgentsWithTheirPolicyAndThePoliciesThatCanBeChosen() throws Exception {
        fixture.writePolicy("hidden", Map.of());
        String ok = control.ask("{\"id\":1,\"op\":\"hello\"}").get("ok").toString();
        assertTrue(ok.contains("policy=build"), ok);
        assertTrue(ok.contains("name=review"), ok);
        assertFalse(ok.contains("hidden"), ok);
    }

    @Test
    void shouldOnlyReadTheWorkspaceWhenPolicyIsReview() throws Exception {
        assertEquals("done 0", run("build", "touch x"));
        assertTrue(run("review", "touch x").endsWith("Read-only file system\ndone 1"));
    }

    @Test
    void shouldSeeMountsAndNoOtherVariablesWhenPolicySaysSo() throws Exception {
        Path tools = Files.createDirectory(fixture.root.resolve("tools"));
        Files.writeString(tools.resolve("t"), "tool\n");
        Path cache = Files.createDirectory(fixture.root.resolve("workspaces/cache"));
        Files.setAttribute(cache, "unix:mode", 0777);
        fixture.writePolicy(
                "test",
                Map.of(
                        "environment",
                        List.of("PATH", "HOME"),
                        "mounts",
                        Map.of(
                                "/workspace", Map.of("hostPath", ".", "readonly", false),
                                "/opt/tools", Map.of("hostPath", tools.toString(), "readonly", true),
                                "/srv/cache", Map.of("hostPath", cache.toString(), "readonly", false))));
        assertEquals(
                "tool\nHOME\nPATH\nPWD\ndone 0",
                run("test", "cat /opt/tools/t; env -u SHLVL -u _ | cut -d= -f1 | sort"));
        assertTrue(run("test", "echo x > /opt/tools/u").endsWith("Read-only file system\ndone 1"));
        assertEquals("done 0", run("test", "echo x > /srv/cache/u"));
        assertEquals("x\n", Files.readString(cache.resolve("u")));
    }

    @Test
    void shouldRefuseSpawnWhenPolicyIsUnknownOrCannotBeUsed() throws Exception {
        fixture.writePolicy("closed", Map.of());
        fixture.writePolicy("test", Map.of("colour", 1));
        assertTrue(code("nobody").contains("code=UNKNOWN_POLICY"));
        assertTrue(code("closed").contains("code=UNKNOWN_POLICY"));
        String invalid = code("test");
        assertTrue(invalid.contains("code=INVALID_POLICY"), invalid);
        assertTrue(invalid.contains("test.json: field 'colour' is not known here"), invalid);
        assertEquals("done 0", run("build", "true"));
    }

    @Test
    void shouldMakeNamespacesOnlyWhenPolicyIsNested() throws Exception {
        String inner = "bwrap --unshare-user --unshare-pid --ro-bind / / --proc /proc --dev /dev echo nested";
        assertEquals("nested\ndone 0", run("nested", inner));
        assertTrue(run("build", inner).endsWith("done 1"));
    }

    @Test
    @Tag("slow")
    void shouldBuildSoftwareWhenPolicyIsBuild() throws Exception {
        String script = """
                set -e
                git init -q . && echo x > f && git add f
                git -c user.name=a -c user.email=a@example.org commit -qm first && git log --format=%s
                python3 -c 'print("python")'
                echo 'class A { public static void main(String[] a) { System.out.println("java"); } }' > A.java
                javac A.java && java A
                mkdir pkg app && cd pkg
                echo '{"name": "pkg", "version": "1.0.0"}' > package.json
                echo 'module.exports = "node and npm"' > index.js
                npm pack --silent > /dev/null
                cd ../app && echo '{"name": "app", "version": "1.0.0"}' > package.json
                npm install --silent --offline --cache /workspace/cache ../pkg/pkg-1.0.0.tgz
                node -e 'console.log(require("pkg"))'
                """;
        assertEquals("first\npython\njava\nnode and npm\ndone 0", run("build", script));
    }
}
