package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SpawnStateTest {
    /** The list of docs: every pair that is not here is refused. */
    private static final Set<String> ALLOWED = Set.of(
            "requested->spawning", "requested->failed",
            "spawning->running", "spawning->failed", "spawning->unknown",
            "running->terminated", "running->unknown",
            "unknown->spawning", "unknown->running", "unknown->failed", "unknown->terminated");

    @Test
    void shouldAllowExactlyTheTransitionsOfTheDesign() {
        Set<String> found = new TreeSet<>();
        for (SpawnState from : SpawnState.values()) {
            for (SpawnState to : SpawnState.values()) {
                if (from.mayBecome(to)) {
                    found.add(from.wireName() + "->" + to.wireName());
                }
            }
        }
        assertEquals(new TreeSet<>(ALLOWED), found);
    }

    @Test
    void shouldBeFinalExactlyWhenNothingFollows() {
        for (SpawnState state : SpawnState.values()) {
            boolean something = ALLOWED.stream().anyMatch(pair -> pair.startsWith(state.wireName() + "->"));
            assertEquals(!something, state.isFinal(), state::toString);
        }
    }
}
