package brig.formats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.wire.FrameType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The place of a sub-agent, whichever is reported first: the sub-agent or the call that started it. */
class SubAgentPlaceTest {
    private static final String OUTER_THREAD = "01a20284-d787-7c51-b942-391d78cd6c95";
    private static final String INNER_THREAD = "01a20284-d8c4-7600-9016-6cd8516ae77c";

    /** The place in the newest frame of a sub-agent: parent, call and depth. */
    private static String place(ScriptedTalk talk, String agent) {
        Map<String, Object> newest = talk.frames(FrameType.SUBAGENT).stream()
                .filter(frame -> frame.text("agent_id").equals(agent))
                .toList()
                .getLast()
                .fields();
        return newest.get("parent_id") + " " + newest.get("parent_tool_id") + " " + newest.get("depth");
    }

    /** Moves the line that the first predicate finds ahead of the line that the second one finds. */
    private static Recording moved(Recording recording, Predicate<String> line, Predicate<String> inFrontOf) {
        List<String> lines = new ArrayList<>(recording.lines());
        String moving = lines.stream().filter(line).findFirst().orElseThrow();
        lines.remove(moving);
        int at = lines.indexOf(lines.stream().filter(inFrontOf).findFirst().orElseThrow());
        lines.add(at, moving);
        return new Recording(recording.adapter(), recording.name(), lines);
    }

    private static Predicate<String> has(String... words) {
        return line -> List.of(words).stream().allMatch(line::contains);
    }

    /** As written by Claude Code 2.1.197, which reports neither parent nor depth of a task. */
    private static Recording withoutParents() {
        Recording recording = Recording.of("claude", "subagent-nested-fg");
        return new Recording(
                "claude",
                recording.name(),
                recording.lines().stream()
                        .map(line -> line.replaceAll("\"(spawn_depth|parent_task_id)\":[^,]*,", ""))
                        .collect(Collectors.toCollection(ArrayList::new)));
    }

    @Test
    void shouldKnowTheParentOfATaskOfClaudeWhenItIsAnnouncedBeforeItsCall() {
        Recording early =
                moved(withoutParents(), has("task_started", "toolu_0042_0"), has("\"tool_use\"", "toolu_0042_0"));
        assertEquals("a7347bf2592fa4fcf toolu_0042_0 2", place(early.play(), "a7956dc612f953b50"));
        assertEquals("null toolu_0041_0 1", place(early.play(), "a7347bf2592fa4fcf"));
    }

    @Test
    void shouldKnowTheParentOfATaskOfClaudeWhenItIsAnnouncedAfterItsCall() {
        assertEquals("a7347bf2592fa4fcf toolu_0042_0 2", place(withoutParents().play(), "a7956dc612f953b50"));
    }

    @Test
    void shouldMoveAThreadOfCodexWhenTheAgentsOwnTurnEndsBeforeTheCallIsTold() {
        // Scenario: the outer agent's thread lags. The inner one speaks, the agent's own turn ends, and only then the
        // call of the outer one arrives.
        Recording late = moved(
                Recording.of("codex", "appserver-subagent-nested"),
                has("turn/completed", "Nested run over."),
                has("item/completed", "call_47_0"));
        late = moved(late, has("turn/started", INNER_THREAD), has("turn/completed", "Nested run over."));
        ScriptedTalk talk = late.play();
        assertEquals(OUTER_THREAD + " call_47_0 2", place(talk, INNER_THREAD));
        Map<String, Object> corrected = talk.frames(FrameType.SUBAGENT).stream()
                .map(ScriptedTalk.Frame::fields)
                .filter(fields -> fields.containsKey("parent_id"))
                .findFirst()
                .orElseThrow();
        assertEquals("running", corrected.get("status"));
        assertEquals("Sub-task INNER. #scenario:child:INNER:20", corrected.get("prompt"));
    }

    @Test
    void shouldPlaceASessionOfOpenCodeBelowOneThatHasSaidNothingYet() {
        ScriptedTalk talk = new ScriptedTalk("opencode");
        talk.dialogue.start();
        talk.says("{\"id\":1,\"result\":{}}");
        talk.says("{\"id\":2,\"result\":{\"sessionId\":\"ses_root\"}}");
        talk.says(event("session.created", "\"info\":{\"id\":\"ses_outer\",\"parentID\":\"ses_root\"}"));
        talk.says(event("session.created", "\"info\":{\"id\":\"ses_inner\",\"parentID\":\"ses_outer\"}"));
        talk.says(
                event("message.part.updated", "\"sessionID\":\"ses_inner\",\"part\":{\"id\":\"p\",\"type\":\"text\"}"));
        assertEquals("ses_outer null 2", place(talk, "ses_inner"));
        talk.says(task("ses_outer", "ses_inner", "call_2"));
        talk.says(task("ses_root", "ses_outer", "call_1"));
        assertEquals("ses_outer call_2 2", place(talk, "ses_inner"));
        assertEquals("null call_1 1", place(talk, "ses_outer"));
    }

    private static String event(String type, String properties) {
        return "{\"method\":\"opencode/event\",\"params\":{\"type\":\"" + type + "\",\"properties\":{" + properties
                + "}}}";
    }

    private static String task(String session, String child, String call) {
        return event(
                "message.part.updated",
                "\"sessionID\":\"" + session + "\",\"part\":{\"id\":\"t" + call
                        + "\",\"type\":\"tool\",\"tool\":\"task\",\"callID\":\"" + call
                        + "\",\"state\":{\"status\":\"running\",\"metadata\":{\"sessionId\":\"" + child + "\"}}}");
    }

    @Test
    void shouldNotClimbInACircleWhenTasksAreEachOthersParents() {
        ScriptedTalk talk = new ScriptedTalk("claude");
        for (String[] task : new String[][] {{"a", "b"}, {"b", "c"}, {"c", "a"}, {"d", "d"}}) {
            talk.says("{\"type\":\"system\",\"subtype\":\"task_started\",\"task_type\":\"local_agent\",\"task_id\":\""
                    + task[0] + "\",\"parent_task_id\":\"" + task[1] + "\"}");
        }
        assertEquals(
                List.of("b", "c", "null", "null"),
                talk.frames(FrameType.SUBAGENT).stream()
                        .map(frame -> String.valueOf(frame.fields().get("parent_id")))
                        .toList());
    }
}
