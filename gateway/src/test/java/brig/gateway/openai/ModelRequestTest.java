package brig.gateway.openai;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelRequestTest {
    private static Fields body(String json) {
        return new Fields(Json.parseObject(json.replace('\'', '"').getBytes(UTF_8)));
    }

    @Test
    void shouldTakeWhatTheUserSaidLastAsTheMessage() {
        ModelRequest chat = ModelRequest.ofChat(body("""
                {'model': 'claude', 'stream': true, 'stream_options': {'include_usage': true}, 'temperature': 0.3,
                 'n': 1, 'tool_choice': 'auto', 'response_format': {'type': 'text'}, 'logprobs': false, 'modalities': ['text'],
                 'tools': [{'type': 'function'}], 'messages': [
                  {'role': 'system', 'content': 'Be brief.'}, {'role': 'developer', 'content': [{'type': 'text', 'text': 'No jokes.'}]},
                  {'role': 'user', 'content': 'one'}, {'role': 'assistant', 'content': null, 'tool_calls': []},
                  {'role': 'tool', 'content': 'found'}, {'role': 'user', 'content': 'two'},
                  {'role': 'user', 'content': [{'type': 'text', 'text': 'th'}, {'type': 'input_text', 'text': 'ree'}]}]}"""));
        assertEquals("claude", chat.agent());
        assertEquals("Be brief.\n\nNo jokes.", chat.system());
        assertEquals("two\n\nthree", chat.prompt());
        assertTrue(chat.stream() && chat.usage());
        assertEquals("Our talk so far:\n\nUser: one\n\nYou: \n\nYou: found\n\nNow:\ntwo\n\nthree", chat.wholeTalk());
    }

    @Test
    void shouldReadAResponseRequestOfATextAndOfItems() {
        ModelRequest text = ModelRequest.ofResponses(body(
                "{'model': 'shell', 'input': 'hi', 'previous_response_id': 'resp_1', 'instructions': 'Be brief.'}"));
        assertEquals("hi", text.wholeTalk());
        assertEquals("resp_1", text.previous());
        assertEquals("Be brief.", text.system());
        ModelRequest items = ModelRequest.ofResponses(body("""
                {'model': 'shell', 'input': [{'type': 'message', 'role': 'user', 'content': 'a'}, {'type': 'reasoning', 'summary': []},
                 {'role': 'assistant', 'content': [{'type': 'output_text', 'text': 'b'}]},
                 {'role': 'user', 'content': [{'type': 'input_text', 'text': 'c'}]}]}"""));
        assertEquals("Our talk so far:\n\nUser: a\n\nYou: b\n\nNow:\nc", items.wholeTalk());
        assertNull(items.previous());
        assertNull(items.system());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'model': 'x'}",
                "{'model': 'x', 'messages': []}",
                "{'model': 'x', 'messages': 'hi'}",
                "{'model': 'x', 'messages': [{'content': 'no role'}]}",
                "{'model': 'x', 'messages': [{'role': 'king', 'content': 'x'}]}",
                "{'model': 'x', 'messages': [{'role': 'user', 'content': 'x'}, {'role': 'assistant', 'content': 'y'}]}",
                "{'messages': [{'role': 'user', 'content': 'x'}]}",
                "{'model': 7, 'messages': [{'role': 'user', 'content': 'x'}]}",
                "{'model': 'x', 'stream': 1, 'messages': [{'role': 'user', 'content': 'x'}]}",
                "{'model': 'x', 'messages': [{'role': 'user', 'content': [{'type': 'image_url', 'image_url': {}}]}]}",
                "{'model': 'x', 'messages': [{'role': 'user', 'content': 7}]}",
                "{'model': 'x', 'n': 2, 'messages': [{'role': 'user', 'content': 'x'}]}",
                "{'model': 'x', 'n': 'two', 'messages': [{'role': 'user', 'content': 'x'}]}",
                "{'model': 'x', 'tool_choice': 'required', 'messages': [{'role': 'user', 'content': 'x'}]}",
                "{'model': 'x', 'tool_choice': {'type': 'function'}, 'messages': [{'role': 'user', 'content': 'x'}]}",
                "{'model': 'x', 'response_format': {'type': 'json_schema'}, 'messages': [{'role': 'user', 'content': 'x'}]}",
                "{'model': 'x', 'response_format': 'json', 'messages': [{'role': 'user', 'content': 'x'}]}",
                "{'model': 'x', 'logprobs': true, 'messages': [{'role': 'user', 'content': 'x'}]}",
                "{'model': 'x', 'modalities': ['text', 'audio'], 'messages': [{'role': 'user', 'content': 'x'}]}"
            })
    void shouldRefuseWhatIsNoChat(String json) {
        assertEquals(
                ErrorCode.INVALID_FIELD,
                assertThrows(BrigException.class, () -> ModelRequest.ofChat(body(json)))
                        .code());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'model': 'x'}",
                "{'model': 'x', 'input': 7}",
                "{'model': 'x', 'input': []}",
                "{'input': 'x'}",
                "{'model': 'x', 'input': [{'role': 'assistant', 'content': 'y'}]}",
                "{'model': 'x', 'input': [{'role': 'user', 'content': [{'type': 'input_image'}]}]}",
                "{'model': 'x', 'input': 'x', 'text': {'format': {'type': 'json_schema'}}}",
                "{'model': 'x', 'input': 'x', 'background': true}",
                "{'model': 'x', 'input': 'x', 'tool_choice': 'required'}"
            })
    void shouldRefuseWhatIsNoResponseRequest(String json) {
        assertEquals(
                ErrorCode.INVALID_FIELD,
                assertThrows(BrigException.class, () -> ModelRequest.ofResponses(body(json)))
                        .code());
    }
}
