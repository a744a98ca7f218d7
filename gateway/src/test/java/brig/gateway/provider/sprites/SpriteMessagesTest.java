package brig.gateway.provider.sprites;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.Sandbox;
import brig.gateway.provider.http.ApiAnswer;
import brig.gateway.provider.sprites.SpriteMessages.Sprite;
import brig.gateway.provider.sprites.SpriteMessages.Sprites;
import brig.protocol.json.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SpriteMessagesTest {
    private static <T> T read(String json, Class<T> type) {
        return ApiAnswer.read(json.getBytes(UTF_8), type);
    }

    private static String written(Record record) {
        return new String(Json.write(record), UTF_8);
    }

    @Test
    void shouldWriteRequests() {
        assertEquals(
                "{\"name\":\"brig-a\",\"labels\":[\"spawn_id=spn_1\"]}",
                written(new SpriteMessages.Create("brig-a", List.of("spawn_id=spn_1"))));
        assertEquals("{\"host\":\"127.0.0.1\",\"port\":7777}", written(new SpriteMessages.Connect("127.0.0.1", 7777)));
        assertEquals(
                "{\"rules\":[{\"domain\":\"*\",\"action\":\"deny\"}]}",
                written(new SpriteMessages.Policy(List.of(new SpriteMessages.Rule("*", "deny")))));
    }

    @Test
    void shouldReadASprite() {
        Sprite sprite = read(
                "{\"id\":\"sprite-1\",\"name\":\"brig-a\",\"status\":\"cold\",\"labels\":[\"spawn_id=spn_1\",\"plain\",7,\"a=b=c\"],"
                        + "\"created_at\":\"2026-11-27T10:00:00Z\",\"url_settings\":{\"auth\":\"sprite\"}}",
                Sprite.class);
        assertEquals(
                new Sandbox(
                        "brig-a",
                        "brig-a",
                        Sandbox.State.RUNNING,
                        1795773600000L,
                        Map.of("spawn_id", "spn_1", "a", "b=c")),
                sprite.toSandbox("brig-a"));
    }

    @Test
    void shouldReadAListOfWhichNothingIsSure() {
        Sprites page = read(
                "{\"sprites\":[{\"name\":\"a\"},{},{\"name\":7,\"labels\":\"x\"},3,null],\"has_more\":\"yes\",\"next_continuation_token\":null}",
                Sprites.class);
        assertEquals("a", page.sprites().getFirst().name());
        assertNull(page.next());
        assertTrue(read("{}", Sprites.class).sprites().isEmpty());
        assertThrows(ProviderFailure.class, () -> read("[]", Sprites.class));
    }

    @Test
    void shouldKeepAwakeForAsLongAsItMayLive() {
        assertEquals("60", KeepAwake.command(3_600_000).getLast());
        assertEquals("1", KeepAwake.command(5).getLast());
    }
}
