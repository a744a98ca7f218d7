package brig.acp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.acp.message.EditorRequest.ListSessions;
import brig.acp.message.SessionPage;
import brig.captain.RpcException;
import brig.protocol.api.SpawnView;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SessionListTest {
    @Test
    void shouldListSessionsInPages() {
        List<SpawnView> views = IntStream.range(0, 150)
                .mapToObj(i -> Views.spawn("spn_%03d".formatted(i), ""))
                .toList();
        SessionPage first = SessionList.of(views, "mock", new ListSessions(null, null));
        assertEquals(100, first.sessions().size());
        assertEquals("spn_149", first.sessions().getFirst().sessionId());
        SessionPage second = SessionList.of(views, "mock", new ListSessions(null, first.nextCursor()));
        assertEquals(50, second.sessions().size());
        assertNull(second.nextCursor());
        assertThrows(RpcException.class, () -> SessionList.of(views, "mock", new ListSessions(null, "151")));
    }

    @Test
    void shouldListThoseOfAFolderOfTheEditor() {
        List<SpawnView> views =
                List.of(Views.spawn("spn_1", ""), Views.spawn("spn_2", ",\"project\":\"acp/home/me/shop\""));
        SessionPage page = SessionList.of(views, "mock", new ListSessions("/home/me/shop", null));
        assertEquals(
                List.of("spn_2"),
                page.sessions().stream().map(SessionPage.Info::sessionId).toList());
    }
}
