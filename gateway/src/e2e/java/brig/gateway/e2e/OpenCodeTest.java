package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The real OpenCode as a captain, set up by {@code brig opencode init}; its sub-agent is the mock agent behind the wall. */
@Timeout(180)
@Order(5)
class OpenCodeTest {
    private Product product;
    private OpenCode captain;

    @BeforeEach
    void open() throws IOException {
        product = Product.start().offering("mock");
        captain = OpenCode.open(product);
        Run init = init();
        assertEquals(0, init.exitCode(), init::err);
    }

    @AfterEach
    void close() throws IOException {
        if (captain != null) {
            captain.close();
        }
        product.close();
    }

    private Run init(String... more) throws IOException {
        List<String> words =
                new ArrayList<>(List.of("opencode", "init", "--agent", "reviewer=mock", "--url", product.url()));
        words.addAll(List.of(more));
        words.add(captain.project().toString());
        return captain.brig(words.toArray(String[]::new));
    }

    private static String delegate(String scenario) {
        return "#scenario:delegate:reviewer:" + scenario;
    }

    private List<JsonObject> running() {
        try {
            return product.web().get("/api/v1/sessions").json().objects("sessions");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldDelegateAndBringTheEditBackAsAPatchThatIsAppliedByHand() throws IOException {
        Run run = captain.run("@reviewer please " + delegate("write:made.txt"));
        assertEquals(0, run.exitCode(), run::toString);
        assertTrue(
                run.out().contains("diff --git a/made.txt b/made.txt")
                        && run.out().contains("brig apply spn_"),
                run::out);
        assertFalse(Files.exists(captain.project().resolve("made.txt")), "the host is untouched until then");
        String spawnId = run.out().replaceFirst("(?s).*brig apply (spn_[0-9a-z]{24}).*", "$1");
        Run applied = captain.brig("apply", spawnId);
        assertEquals(0, applied.exitCode(), applied::err);
        assertTrue(Files.exists(captain.project().resolve("made.txt")));
    }

    @Test
    @Tag("slow")
    void shouldRefuseTheSubAgentWherePermissionsDenyIt() throws IOException {
        Path config = captain.project().resolve("opencode.json");
        Files.writeString(
                config,
                Files.readString(config)
                        .replace(
                                "\"permission\":{\"*\":\"allow\"}",
                                "\"permission\":{\"*\":\"allow\",\"task\":{\"reviewer\":\"deny\"}}"));
        Run run = captain.run(delegate("write:made.txt"));
        assertTrue(run.out().contains("The user has specified a rule which prevents you"), run::toString);
        assertTrue(product.web().get("/api/v1/spawns").json().objects("spawns").isEmpty(), "no worker was started");
    }

    /** Scenario: the sub-agent speaks, its text is seen in its own session; the captain is aborted, and the worker is told. */
    @Test
    @Tag("slow")
    void shouldShowLiveTextInTheChildSessionAndStopTheWorkerOnAbort() throws IOException {
        OpenCode.Server server = captain.serve();
        try (Events events = server.events()) {
            String session = server.say(delegate("text:3000:20"));
            StringBuilder live = new StringBuilder();
            while (live.indexOf("tok3") < 0) {
                JsonObject properties = OpenCode.Server.event(events).object("properties");
                String delta = properties.text("delta", "");
                if (!properties.text("sessionID", session).equals(session)) {
                    live.append(delta);
                }
            }
            assertEquals(1, running().size());
            String spawnId = running().getFirst().text("spawn_id", "");
            server.abort(session);
            try (Wire reader = product.dial()) {
                reader.send("{\"action\":\"attach\",\"id\":\"" + spawnId + "\",\"role\":\"watcher\"}");
                assertEquals(
                        "cancelled",
                        new Frames().readUntilType(reader, "done").last().text("reason"));
            }
            Await.until("the worker is ended", () -> running().isEmpty());
        }
    }

    /** Scenario: a person looks into the child session while a tool runs behind the wall. */
    @Test
    @Tag("slow")
    void shouldShowCommandsAndWhatTheyWriteInTheChildSession() throws IOException {
        OpenCode.Server server = captain.serve();
        try (Events events = server.events()) {
            String session = server.say(delegate("shell:echo from-the-wall"));
            StringBuilder live = new StringBuilder();
            while (live.indexOf("The command finished.") < 0) {
                JsonObject properties = OpenCode.Server.event(events).object("properties");
                if (!properties.text("sessionID", session).equals(session)) {
                    live.append(properties.text("delta", ""));
                }
            }
            assertTrue(live.toString().contains("$ echo from-the-wall\nfrom-the-wall\n"), live::toString);
        }
    }

    /** Scenario: a captain that is killed says nothing; its worker may not stay. */
    @Test
    @Tag("slow")
    void shouldLeaveNoWorkerWhenTheCaptainIsKilled() throws IOException {
        OpenCode.Server server = captain.serve();
        server.say(delegate("text:3000:20"));
        Await.until("the worker runs", () -> !running().isEmpty());
        server.kill();
        Await.until("no worker is left", () -> running().isEmpty());
    }

    @Test
    @Tag("slow")
    void shouldShowWhatItWritesAndTakeItBack() throws IOException {
        Path config = captain.project().resolve("opencode.json");
        String written = Files.readString(config);
        assertTrue(written.contains("\"reviewer\"") && !written.contains(product.adminToken()));
        assertTrue(written.contains("{file:~/.config/brig/opencode.token}"), "no home of one person: " + written);
        Run again = init(
                "--remote-agents", "general,review*", "--local-agents", "reviewer", "--apply", "auto", "--dry-run");
        assertEquals(0, again.exitCode(), again::err);
        assertTrue(
                again.out().contains("+    \"general\": {") && again.out().contains("\"brig-apply\": \"auto\""),
                again::out);
        assertEquals(written, Files.readString(config), "a dry run writes nothing");
        assertEquals(
                125,
                captain.brig(
                                "opencode",
                                "init",
                                "--agent",
                                "nobody",
                                captain.project().toString())
                        .exitCode());
        Run undone = captain.brig("opencode", "undo", captain.project().toString());
        assertEquals(0, undone.exitCode(), undone::err);
        assertFalse(Files.readString(config).contains("brig"), () -> undone.out());
        assertTrue(Files.readString(config).contains("scripted/scripted"));
        assertFalse(
                Files.readString(product.config()).contains(captain.project().toString()));
    }
}
