package brig.acp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.acp.message.CallFields;
import brig.acp.message.PermissionRequest;
import brig.captain.RpcException;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EditorRpcTest {
    private final EditorLines editor = new EditorLines();
    private final EditorRpc rpc = new EditorRpc(editor, sentence -> {});
    private final List<String> chosen = new ArrayList<>();

    private long ask() {
        return rpc.request(
                new PermissionRequest("s", CallFields.status("c", CallFields.Status.PENDING), List.of()),
                answer -> chosen.add(answer.chosen()));
    }

    private static JsonObject answer(long id, String result) {
        return JsonObject.read(("{\"id\":" + id + "," + result + "}").getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldHandAnAnswerToWhoAsked() {
        long first = ask();
        long second = ask();
        rpc.handleAnswer(answer(second, "\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"b\"}}"));
        rpc.handleAnswer(answer(first, "\"error\":{}"));
        rpc.handleAnswer(answer(first, "\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"a\"}}"));
        assertEquals(2, chosen.size());
        assertEquals("b", chosen.getFirst());
        assertEquals(null, chosen.getLast());
    }

    @Test
    void shouldWithdrawAQuestionOnce() {
        long id = ask();
        rpc.withdraw(id);
        rpc.withdraw(id);
        assertEquals(List.of("session/request_permission", "$/cancel_request"), editor.methods());
    }

    @Test
    void shouldTellTheEditorTheCodeAndTheHintsOfARefusal() {
        rpc.fail(
                "seven",
                RpcException.of(new BrigException(ErrorCode.MAX_WORKERS, "full", 4).about("spn_1", "running")));
        JsonObject line = editor.lines().getFirst();
        assertEquals("seven", line.text("id"));
        JsonObject error = line.object("error");
        assertEquals("full", error.text("message"));
        assertEquals(
                JsonObject.EMPTY
                        .with("code", "MAX_WORKERS")
                        .with("retry_after_seconds", 4)
                        .with("state", "running")
                        .with("spawn_id", "spn_1"),
                JsonObject.EMPTY
                        .with("code", error.object("data").text("code"))
                        .with("retry_after_seconds", (int) error.object("data").number("retry_after_seconds", 0))
                        .with("state", error.object("data").text("state"))
                        .with("spawn_id", error.object("data").text("spawn_id")));
    }
}
