package brig.gateway.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.FakeTime;
import brig.protocol.BrigException;
import brig.protocol.Role;
import brig.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PresenceTest {
    private final FakeTime time = new FakeTime();
    private final List<String> told = new ArrayList<>();
    private final List<String> story = new ArrayList<>();
    private final Presence presence = new Presence(time, () -> story.add("empty"));

    private Runnable join(String captain, Role role) {
        return presence.join(new Presence.Member(captain, role, null));
    }

    private Runnable listen(String captain) {
        return presence.join(new Presence.Member(
                captain, Role.CAPTAIN, line -> told.add(new String(Json.write(line), StandardCharsets.UTF_8))));
    }

    private static String line(String captains, int watchers) {
        return "{\"type\":\"presence\",\"captains\":[" + captains + "],\"watchers\":" + watchers + "}";
    }

    private static String captain(String name, int connections, boolean control) {
        return "{\"captain\":\"" + name + "\",\"connections\":" + connections + ",\"control\":" + control + "}";
    }

    @Test
    void shouldTellManyChangesAsOneLine() {
        listen("alice");
        for (int i = 0; i < 1_000; i++) {
            join("w" + i, Role.WATCHER);
        }
        join("alice", Role.CAPTAIN);
        join("bob", Role.CAPTAIN);
        time.pass(Presence.QUIET_MS);
        assertEquals(List.of(line(captain("alice", 2, false) + "," + captain("bob", 1, false), 1_000)), told);
        time.pass(10 * Presence.QUIET_MS);
        assertEquals(1, told.size(), "nothing changed since");
    }

    @Test
    void shouldShowAHundredCaptainsAndTellNothingToWhoHasLeft() {
        Runnable gone = listen("zoe");
        for (int i = 0; i < 101; i++) {
            join("c" + i, Role.CAPTAIN);
        }
        time.pass(Presence.QUIET_MS);
        assertEquals(100, told.getFirst().split("\"captain\":", -1).length - 1);
        listen("alice");
        gone.run();
        time.pass(Presence.QUIET_MS);
        assertEquals(2, told.size(), "only alice is told");
    }

    @Test
    void shouldFreeControlWhenTheLastConnectionOfItsHolderIsGone() {
        listen("alice");
        Runnable first = join("bob", Role.CAPTAIN);
        Runnable second = join("bob", Role.CAPTAIN);
        presence.requireControl("bob");
        first.run();
        assertThrows(BrigException.class, () -> presence.requireControl("alice"));
        second.run();
        presence.requireControl("alice");
        time.pass(Presence.QUIET_MS);
        assertEquals(List.of(line(captain("alice", 1, true), 0)), told);
    }

    @Test
    void shouldGiveControlToWhoTakesItAndToNobodyWhenItIsReleased() {
        listen("alice");
        join("bob", Role.CAPTAIN);
        presence.requireControl("alice");
        presence.take("bob");
        BrigException refusal = assertThrows(BrigException.class, () -> presence.requireControl("alice"));
        assertTrue(refusal.getMessage().contains("bob"), refusal::getMessage);
        presence.release("alice");
        assertThrows(BrigException.class, () -> presence.requireControl("alice"));
        presence.release("bob");
        presence.requireControl("alice");
    }

    @Test
    void shouldLeaveNothingBehindWhenEverybodyIsGone() {
        Runnable watcher = join("w", Role.WATCHER);
        Runnable captain = listen("alice");
        watcher.run();
        assertEquals(List.of(), story);
        captain.run();
        assertEquals(List.of("empty"), story);
        time.pass(Presence.QUIET_MS);
        assertEquals(List.of(), told);
        assertEquals(0, time.pending());
    }

    @Test
    void shouldHoldNothingForACaptainThatIsNotConnected() {
        join("alice", Role.CAPTAIN);
        presence.requireControl("alice");
        presence.take("http");
        presence.requireControl("http");
        presence.requireControl("alice");
    }
}
