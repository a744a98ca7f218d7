package brig.protocol.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonRpcTest {
    private record Params(String name) {}

    private final List<String> lines = new ArrayList<>();
    private boolean open = true;

    private final JsonRpc<String> rpc = new JsonRpc<>(this::write, true);

    private boolean write(byte[] line) {
        lines.add(new String(line, UTF_8));
        return open;
    }

    @Test
    void shouldWriteEachMessageOnALineOfItsOwn() {
        rpc.request("ask", new Params("a"), "me");
        rpc.notify("tell", new Params("b"));
        rpc.notify("tell", null);
        rpc.answer("seven", JsonObject.EMPTY);
        rpc.fail(null, new RpcError(RpcError.PARSE_ERROR, "no JSON", null));
        rpc.fail(3L, new RpcError(-1, "no", JsonObject.EMPTY.with("code", "INTERNAL")));
        assertEquals(List.of("""
                {"jsonrpc":"2.0","id":1,"method":"ask","params":{"name":"a"}}
                """, """
                {"jsonrpc":"2.0","method":"tell","params":{"name":"b"}}
                """, """
                {"jsonrpc":"2.0","method":"tell"}
                """, """
                {"jsonrpc":"2.0","id":"seven","result":{}}
                """, """
                {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}
                """, """
                {"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"no","data":{"code":"INTERNAL"}}}
                """), lines);
    }

    @Test
    void shouldLeaveOutTheVersionForWhoDoesNotWantIt() {
        new JsonRpc<String>(this::write, false).notify("tell", new Params("b"));
        assertEquals("{\"method\":\"tell\",\"params\":{\"name\":\"b\"}}\n", lines.getFirst());
    }

    @Test
    void shouldFindWhoWaitsForAnAnswerOnce() {
        long first = rpc.request("ask", new Params("a"), "first");
        long second = rpc.request("ask", new Params("a"), "second");
        assertEquals("second", rpc.answered(second));
        assertEquals("first", rpc.answered(first));
        assertNull(rpc.answered(first), "it has its answer");
        assertNull(rpc.answered("1"), "ids of ours are numbers");
        assertNull(rpc.answered(null));
    }

    @Test
    void shouldNotWaitForTheAnswerToWhatWasNotWritten() {
        open = false;
        assertEquals(0, rpc.request("ask", new Params("a"), "me"));
        assertNull(rpc.answered(1L));
    }
}
