package brig.acp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.acp.message.EditorRequest;
import brig.acp.view.PathMapping;
import brig.captain.RpcException;
import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PromptTextTest {
    private final PathMapping places = new PathMapping(Path.of("/home/me/shop"), Path.of("/w"));

    private String text(String blocks) {
        JsonObject params = JsonObject.read(
                ("{\"sessionId\":\"s\",\"prompt\":[" + blocks.replace('\'', '"') + "]}").getBytes(UTF_8));
        return PromptText.of(params.as(EditorRequest.Prompt.class).prompt(), places);
    }

    @Test
    void shouldPutLinksInTheirPlaceAndFilesBehind() {
        assertEquals(
                "Look at [@a](file:///workspace/a) and [@b.py](file:///x/b.py)\n\n"
                        + "<context ref=\"file:///x/b.py\">\npass\n</context>",
                text("{'type':'text','text':'Look at '},"
                        + "{'type':'resource_link','name':'a','uri':'file:///home/me/shop/a'},"
                        + "{'type':'text','text':' and ','annotations':{}},"
                        + "{'type':'resource','resource':{'uri':'file:///x/b.py','text':'pass'}}"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {'type':'image','data':''}                       | a block of the type image
            {'type':'audio'}                                 | a block of the type audio
            {'type':'resource','resource':{'uri':'file:///x'}} | an embedded file that is no text
            """)
    void shouldRefuseWhatWasNotOffered(String block, String what) {
        assertEquals(
                "a prompt may have text, resource_link and embedded text, and has " + what,
                assertThrows(RpcException.class, () -> text(block)).getMessage());
    }

    @Test
    void shouldRefuseWhatIsNoBlock() {
        assertEquals(
                "field 'uri' is missing",
                assertThrows(BrigException.class, () -> text("{'type':'resource_link','uri':''}"))
                        .getMessage());
        assertEquals(
                "field 'type' is missing",
                assertThrows(BrigException.class, () -> text("{}")).getMessage());
    }
}
