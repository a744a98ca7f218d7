package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.api.SessionChange;
import brig.protocol.api.SpawnView;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of sessions as a client of the gateway keeps it. */
class FollowedSessionsTest {
    private final FollowedSessions sessions = new FollowedSessions();

    private static SpawnView view(int number, long endedMs) {
        return JsonObject.read(("{\"spawn_id\":\"spn_" + number + "\",\"task_id\":\"s" + number
                                + "\",\"session_id\":null,\"provider\":\"local\",\"agent\":\"mock\",\"state\":\"running\",\"activity\":\"idle\","
                                + "\"workspace\":\"/w\",\"captain\":\"uid:0\",\"created_ms\":1,\"ended_ms\":" + endedMs
                                + ",\"epoch\":\"4h2k9x0c\",\"first_seq\":1,\"last_seq\":2,\"readers\":0}")
                        .getBytes(StandardCharsets.UTF_8))
                .as(SpawnView.class);
    }

    private static List<String> names(List<SpawnView> views) {
        return views.stream().map(SpawnView::taskId).toList();
    }

    private List<String> changed(List<String> removed, SpawnView... views) {
        return names(sessions.take(new SessionChange.SessionsChanged(List.of(views), removed)));
    }

    @Test
    void shouldKeepTheNewestFirstAndTheNewestViewOfEach() {
        sessions.take(new SessionChange.Sessions(List.of(view(2, 0), view(1, 0)), false));
        assertEquals(List.of("s3", "s1"), changed(List.of(), view(3, 0), view(1, 7)));
        assertEquals(List.of("s3", "s2", "s1"), names(sessions.all()));
        assertEquals(
                List.of(7L),
                Stream.of(sessions.all().getLast()).map(SpawnView::endedMs).toList());
        assertEquals(List.of("s3", "s2"), names(sessions.live()));
    }

    @Test
    void shouldForgetWhatIsRemovedAndAllThatStoodBeforeAnotherList() {
        sessions.take(new SessionChange.Sessions(List.of(view(2, 0), view(1, 0)), false));
        assertEquals(List.of(), changed(List.of("spn_2", "spn_9")));
        assertEquals(List.of("s1"), names(sessions.all()));
        sessions.take(new SessionChange.Sessions(List.of(view(4, 0)), true));
        assertEquals(List.of("s4"), names(sessions.all()));
    }
}
