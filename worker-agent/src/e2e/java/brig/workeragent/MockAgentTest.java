package brig.workeragent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.wire.FrameType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The mock agent behind the whole wall, from its profile to the frames. */
@Timeout(120)
class MockAgentTest {
    private AgentFixture fixture;

    @BeforeEach
    void open() throws Exception {
        fixture = new AgentFixture();
        Path mock = Path.of(System.getProperty("brig.mock"), "lib/mock");
        // The profile finds it below the folder of Brig, which has none here.
        Files.writeString(
                fixture.root.resolve("agents/mock.json"),
                Files.readString(fixture.home.resolve("config/agents/mock.json"))
                        .replace("lib/mock/brig-mock", "mock/brig-mock")
                        .replace("\"npm\": \"\"", "\"npm\": \"mock@1\""));
        fixture.open(Map.of("NODE_PATH", mock.getParent().toString()));
    }

    @AfterEach
    void close() throws Exception {
        fixture.close();
    }

    @Test
    void shouldTakeMessagesOneAfterTheOtherAndObeyACancel() throws Exception {
        try (Walled worker = new Walled(fixture, "mock", Map.of())) {
            worker.say("#scenario:text:3");
            worker.say("#scenario:hang");
            assertEquals("0", worker.untilDone().text("exit_code"));
            assertEquals("tok0 tok1 tok2", worker.said(null));
            worker.until(frame -> frame.text("content").equals("Waiting."));
            worker.cancel();
            assertEquals("cancelled", worker.untilDone().text("reason"));
            worker.say("#scenario:shell:echo $((6 * 7))");
            worker.untilDone();
            assertEquals("42\n", worker.all(FrameType.TOOL).getLast().text("output"));
            worker.terminate();
        }
    }

    @Test
    void shouldTellItsSubAgentsWhenTheyNestAndWorkInTheBackground() throws Exception {
        try (Walled worker = new Walled(fixture, "mock", Map.of("prompt", "#scenario:subagent-nested"))) {
            worker.untilDone();
            assertEquals("agentOuter", worker.subAgents().get("agentInner").text("parent_id"));
            assertEquals("2", worker.subAgents().get("agentInner").text("depth"));
            worker.say("#scenario:subagent-bg");
            worker.untilDone();
            assertEquals("completed", worker.subAgents().get("agentBG").text("status"));
            worker.say("#scenario:subagent-err");
            worker.untilDone();
            assertEquals("failed", worker.subAgents().get("agentF").text("status"));
        }
    }

    @Test
    void shouldEndByTheLadderWhenTheAgentIsDeaf() throws Exception {
        try (Walled worker = new Walled(fixture, "mock", Map.of("prompt", "#scenario:deaf"))) {
            worker.until(frame -> frame.text("content").equals("Waiting."));
            worker.cancel();
            assertEquals("cancelled", worker.untilDone().text("reason"));
            worker.until(frame -> frame.text("state").equals("terminated"));
        }
    }

    @Test
    void shouldPassALineOfSixMegabytesAndAFloodWhole() throws Exception {
        try (Walled worker = new Walled(fixture, "mock", Map.of("prompt", "#scenario:bigline:6000000"))) {
            worker.untilDone();
            int length = worker.all(FrameType.TOOL).stream()
                    .filter(frame -> frame.fields().containsKey("output"))
                    .mapToInt(frame -> frame.text("output").length())
                    .sum();
            assertEquals(6_000_000, length);
            worker.seen.clear();
            worker.say("#scenario:flood:3000000");
            worker.untilDone();
            assertEquals(3_000_320, worker.said(null).length(), 1024);
        }
    }

    @Test
    void shouldGoOnWhenItWritesNoiseAndSayWhyItFails() throws Exception {
        try (Walled worker = new Walled(fixture, "mock", Map.of("once", true, "prompt", "#scenario:noise"))) {
            worker.untilDone();
            assertEquals(
                    List.of("true", "null", "true"),
                    worker.all(FrameType.RAW).stream()
                            .map(frame -> frame.text("malformed"))
                            .toList());
            worker.until(frame -> frame.text("state").equals("terminated"));
        }
        try (Walled worker = new Walled(fixture, "mock", Map.of("prompt", "#scenario:error:401"))) {
            assertEquals("failed", worker.untilDone().text("reason"));
            assertTrue(worker.all(FrameType.ERROR).getFirst().text("error").contains("401"));
            worker.say("#scenario:permission");
            worker.untilDone();
            assertEquals("The answer was allow.", worker.said(null));
            worker.say("#scenario:exit:3");
            assertEquals("3", worker.untilDone().text("exit_code"));
        }
    }

    @Test
    void shouldPlayWhatWasRecordedFrameByFrame() throws Exception {
        Files.writeString(
                fixture.root.resolve("agents/replay.json"),
                Files.readString(fixture.home.resolve("config/agents/replay.json"))
                        .replace("lib/mock/brig-mock", "mock/brig-mock")
                        .replace("\"npm\": \"\"", "\"npm\": \"mock@1\""));
        Map<String, ?> request = Map.of("once", true, "prompt", "#scenario:subagent-nested", "record", true);
        List<Object> recorded;
        try (Walled worker = new Walled(fixture, "mock", Map.of(), request)) {
            worker.until(frame -> frame.text("state").equals("terminated"));
            recorded = worker.withoutTime();
            assertTrue(recorded.size() > 20);
            Map<String, ?> play = Map.of("model", worker.id(), "tools", List.of("0"));
            try (Walled again =
                    new Walled(fixture, "replay", play, Map.of("once", true, "prompt", "#scenario:subagent-nested"))) {
                again.until(frame -> frame.text("state").equals("terminated"));
                assertEquals(recorded, again.withoutTime());
            }
        }
    }
}
