package brig.gateway.openai;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.openai.message.ChatRequest;
import brig.gateway.openai.message.ResponseRequest;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.Frame;
import brig.protocol.json.Json;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelRequestTest {
    private static ModelRequest chat(String json) {
        return ModelRequest.of(read(json, ChatRequest.class));
    }

    private static ModelRequest response(String json) {
        return ModelRequest.of(read(json, ResponseRequest.class));
    }

    private static <T> T read(String json, Class<T> type) {
        return Json.read(json.replace('\'', '"').getBytes(UTF_8), type);
    }

    @Test
    void shouldTakeWhatTheUserSaidLastAsTheMessage() {
        ModelRequest chat = chat("""
                {'model': 'claude', 'stream': true, 'stream_options': {'include_usage': true}, 'temperature': 0.3,
                 'n': 1, 'tool_choice': 'auto', 'response_format': {'type': 'text'}, 'logprobs': false, 'modalities': ['text'],
                 'tools': [{'type': 'function'}], 'messages': [
                  {'role': 'system', 'content': 'Be brief.'}, {'role': 'developer', 'content': [{'type': 'text', 'text': 'No jokes.'}]},
                  {'role': 'user', 'content': 'one'}, {'role': 'assistant', 'content': null, 'tool_calls': []},
                  {'role': 'tool', 'content': 'found'}, {'role': 'user', 'content': 'two'},
                  {'role': 'user', 'content': [{'type': 'text', 'text': 'th'}, {'type': 'input_text', 'text': 'ree'}]}]}""");
        assertEquals("claude", chat.agent());
        assertEquals("Be brief.\n\nNo jokes.", chat.system());
        assertEquals("two\n\nthree", chat.prompt());
        assertTrue(chat.stream() && chat.usage());
        assertEquals("Our talk so far:\n\nUser: one\n\nYou: \n\nYou: found\n\nNow:\ntwo\n\nthree", chat.wholeTalk());
    }

    @Test
    void shouldReadAResponseRequestOfATextAndOfItems() {
        ModelRequest text = response(
                "{'model': 'shell', 'input': 'hi', 'previous_response_id': 'resp_1', 'instructions': 'Be brief.'}");
        assertEquals("hi", text.wholeTalk());
        assertEquals("resp_1", text.previous());
        assertEquals("Be brief.", text.system());
        ModelRequest items = response("""
                {'model': 'shell', 'input': [{'type': 'message', 'role': 'user', 'content': 'a'}, {'type': 'reasoning', 'summary': []},
                 {'role': 'assistant', 'content': [{'type': 'output_text', 'text': 'b'}]},
                 {'role': 'user', 'content': [{'type': 'input_text', 'text': 'c'}]}]}""");
        assertEquals("Our talk so far:\n\nUser: a\n\nYou: b\n\nNow:\nc", items.wholeTalk());
        assertNull(items.previous());
        assertNull(items.system());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | field 'messages' must end with a message of the user",
                "{'model': 'x'} | field 'messages' must end with a message of the user",
                "{'model': 'x', 'messages': []} | field 'messages' must end with a message of the user",
                "{'model': 'x', 'messages': 'hi'} | field 'messages' must be a list of objects",
                "{'model': 'x', 'messages': ['hi']} | field 'messages' must be a list of objects",
                "{'model': 'x', 'messages': [{'content': 'no role'}]} | field 'role' is missing",
                "{'model': 'x', 'messages': [{'role': '', 'content': 'no role'}]} | field 'role' is missing",
                "{'model': 'x', 'messages': [{'role': 7, 'content': 'no role'}]} | field 'role' must be a string",
                "{'model': 'x', 'messages': [{'role': 'king', 'content': 'x'}]} | field 'role' must be system, developer, user, assistant or tool",
                "{'model': 'x', 'messages': [{'role': 'user', 'content': 'x'}, {'role': 'assistant', 'content': 'y'}]} | field 'messages' must end with a message of the user",
                "{'messages': [{'role': 'user', 'content': 'x'}]} | field 'model' is missing",
                "{'model': '', 'messages': [{'role': 'user', 'content': 'x'}]} | field 'model' is missing",
                "{'model': 7, 'messages': [{'role': 'user', 'content': 'x'}]} | field 'model' must be a string",
                "{'model': 'x', 'stream': 1, 'messages': [{'role': 'user', 'content': 'x'}]} | field 'stream' must be true or false",
                "{'model': 'x', 'messages': [{'role': 'user', 'content': [{'type': 'image_url', 'image_url': {}}]}]} | field 'content' has a part of type 'image_url'; an agent takes text",
                "{'model': 'x', 'messages': [{'role': 'user', 'content': [7]}]} | field 'content' must be a list of objects",
                "{'model': 'x', 'messages': [{'role': 'user', 'content': [{'text': 7}]}]} | field 'text' must be a string",
                "{'model': 'x', 'messages': [{'role': 'user', 'content': 7}]} | field 'content' must be a list of objects",
                "{'model': 'x', 'messages': [{'role': 'user', 'content': {}}]} | field 'content' must be a list of objects",
                "{'model': 'x', 'n': 2, 'messages': [{'role': 'user', 'content': 'x'}]} | field 'n' must be 1: an agent answers once",
                "{'model': 'x', 'n': 5000000000, 'messages': [{'role': 'user', 'content': 'x'}]} | field 'n' must be from -2147483648 to 2147483647",
                "{'model': 'x', 'n': 'two', 'messages': [{'role': 'user', 'content': 'x'}]} | field 'n' must be a whole number",
                "{'model': 'x', 'tool_choice': 'required', 'messages': [{'role': 'user', 'content': 'x'}]} | field 'tool_choice' must be auto or none: an agent calls no tools of its client",
                "{'model': 'x', 'tool_choice': {'type': 'function'}, 'messages': [{'role': 'user', 'content': 'x'}]} | field 'tool_choice' must be auto or none: an agent calls no tools of its client",
                "{'model': 'x', 'response_format': {'type': 'json_schema'}, 'messages': [{'role': 'user', 'content': 'x'}]} | field 'response_format' must be of the type text: an agent answers in words of its own",
                "{'model': 'x', 'response_format': {'type': 7}, 'messages': [{'role': 'user', 'content': 'x'}]} | field 'type' must be a string",
                "{'model': 'x', 'response_format': 'json', 'messages': [{'role': 'user', 'content': 'x'}]} | field 'response_format' must be an object",
                "{'model': 'x', 'logprobs': true, 'messages': [{'role': 'user', 'content': 'x'}]} | field 'logprobs' are not known of an agent",
                "{'model': 'x', 'logprobs': 1, 'messages': [{'role': 'user', 'content': 'x'}]} | field 'logprobs' must be true or false",
                "{'model': 'x', 'modalities': ['text', 'audio'], 'messages': [{'role': 'user', 'content': 'x'}]} | field 'modalities' must be text",
                "{'model': 'x', 'modalities': [], 'messages': [{'role': 'user', 'content': 'x'}]} | field 'modalities' must be text",
                "{'model': 'x', 'modalities': [7], 'messages': [{'role': 'user', 'content': 'x'}]} | field 'modalities' must be a list of strings",
                "{'model': 'x', 'stream_options': 1, 'messages': [{'role': 'user', 'content': 'x'}]} | field 'stream_options' must be an object",
                "{'model': 'x', 'stream_options': {'include_usage':1}, 'messages': [{'role': 'user', 'content': 'x'}]} | field 'include_usage' must be true or false"
            })
    void shouldRefuseWhatIsNoChat(String json, String words) {
        assertRefused(words, () -> chat(json));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'model': 'x'} | field 'input' must end with a message of the user",
                "{'model': 'x', 'input': 7} | field 'input' must be a list of objects",
                "{'model': 'x', 'input': []} | field 'input' must end with a message of the user",
                "{'model': 'x', 'input': [7]} | field 'input' must be a list of objects",
                "{'model': 'x', 'input': {}} | field 'input' must be a list of objects",
                "{'model': 'x', 'input': [{'type': 7, 'role': 'user'}]} | field 'type' must be a string",
                "{'input': 'x'} | field 'model' is missing",
                "{'model': 'x', 'input': [{'role': 'assistant', 'content': 'y'}]} | field 'input' must end with a message of the user",
                "{'model': 'x', 'input': [{'role': 'user', 'content': [{'type': 'input_image'}]}]} | field 'content' has a part of type 'input_image'; an agent takes text",
                "{'model': 'x', 'input': 'x', 'text': {'format': {'type': 'json_schema'}}} | field 'text.format' must be of the type text: an agent answers in words of its own",
                "{'model': 'x', 'input': 'x', 'text': {'format': 7}} | field 'format' must be an object",
                "{'model': 'x', 'input': 'x', 'text': 7} | field 'text' must be an object",
                "{'model': 'x', 'input': 'x', 'background': true} | field 'background' must be false: the answer comes with the request",
                "{'model': 'x', 'input': 'x', 'previous_response_id': 8} | field 'previous_response_id' must be a string",
                "{'model': 'x', 'input': 'x', 'instructions': 8} | field 'instructions' must be a string",
                "{'model': 'x', 'input': 'x', 'tool_choice': 'required'} | field 'tool_choice' must be auto or none: an agent calls no tools of its client"
            })
    void shouldRefuseWhatIsNoResponseRequest(String json, String words) {
        assertRefused(words, () -> response(json));
    }

    private static void assertRefused(String words, Executable request) {
        BrigException refusal = assertThrows(BrigException.class, request);
        assertEquals(ErrorCode.INVALID_FIELD, refusal.code());
        assertEquals(words, refusal.getMessage());
    }

    @Test
    void shouldTakeTheResultOfItsOwnToolAsAnAnswer() {
        String id = "ask_" + "0".repeat(24);
        ModelRequest chat =
                chat("{'model': 'mock', 'tools': [{'type': 'function', 'function': {'name': 'brig_answer'}}],"
                        + " 'messages': [{'role': 'user', 'content': 'a'}, {'role': 'assistant', 'content': null},"
                        + " {'role': 'tool', 'tool_call_id': '" + id + "', 'content': 'allow'}]}");
        assertEquals(new AskCall.Result(id, "allow"), chat.result());
        assertTrue(chat.takesAsks());
        ModelRequest response = response("{'model': 'mock', 'tools': [{'type': 'function', 'name': 'brig_answer'}],"
                + " 'input': [{'type': 'function_call_output', 'call_id': '" + id + "', 'output': 'deny'}]}");
        assertEquals(new AskCall.Result(id, "deny"), response.result());
        assertTrue(response.takesAsks());
    }

    @Test
    void shouldCallNoToolThatIsNotOffered() {
        String said = "'messages': [{'role': 'user', 'content': 'a'}]}";
        for (String tools : new String[] {
            "[]",
            "'brig_answer'",
            "['brig_answer', null]",
            "[{'function': 'brig_answer'}]",
            "[{'type': 'function', 'function': {'name': 'other'}}]"
        }) {
            assertFalse(
                    chat("{'model': 'mock', 'tools': " + tools + ", " + said).takesAsks(), tools);
        }
        assertFalse(chat("{'model': 'mock', 'tools': [{'name': 'brig_answer'}], 'tool_choice': 'none', " + said)
                .takesAsks());
        assertEquals(
                ErrorCode.INVALID_FIELD,
                assertThrows(
                                BrigException.class,
                                () -> chat("{'model': 'mock', 'messages': [{'role': 'tool', 'tool_call_id': 'call_1',"
                                        + " 'content': 'x'}]}"))
                        .code());
    }

    @Test
    void shouldReadAnOptionOtherWordsOrAnObject() {
        String id = "ask_" + "0".repeat(24);
        Frame.Ask free = new Frame.Ask(
                id,
                Frame.Ask.Kind.QUESTION,
                null,
                null,
                null,
                "t",
                null,
                List.of(new Frame.Ask.Option("1", "Red")),
                true,
                9,
                "1");
        Frame.Ask bound = new Frame.Ask(
                id,
                Frame.Ask.Kind.TOOL,
                null,
                null,
                null,
                "t",
                null,
                List.of(new Frame.Ask.Option("allow", "Allow")),
                false,
                9,
                "allow");
        assertEquals(new CaptainLine.AnswerAsk(id, "1", null), new AskCall.Result(id, " 1\n").answer(free));
        assertEquals(new CaptainLine.AnswerAsk(id, null, "Blue"), new AskCall.Result(id, "Blue").answer(free));
        assertEquals(new CaptainLine.AnswerAsk(id, null, "{x"), new AskCall.Result(id, "{x").answer(free));
        assertEquals(new CaptainLine.AnswerAsk(id, "maybe", null), new AskCall.Result(id, "maybe").answer(bound));
        assertEquals(
                new CaptainLine.AnswerAsk(id, "allow", null),
                new AskCall.Result(id, "{\"option\":\"allow\"}").answer(bound));
        assertEquals(
                new CaptainLine.AnswerAsk(id, null, "no"), new AskCall.Result(id, "{\"text\":\"no\"}").answer(bound));
    }
}
