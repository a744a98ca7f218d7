package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.api.GatewayView;
import brig.protocol.api.HostState;
import brig.protocol.api.PoolState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StatusCommandTest {
    private final List<GatewayView.Host> hosts = new ArrayList<>();

    private void add(String name, HostState state, @Nullable String reason) {
        hosts.add(new GatewayView.Host(name, state, reason));
    }

    private List<String> hostLines() {
        GatewayView view = new GatewayView(
                "1.0",
                0,
                1000,
                PoolState.OPEN,
                null,
                0,
                1,
                0,
                1,
                0,
                Map.of(),
                new GatewayView.Queue(0, 1, Map.of(), 0),
                hosts);
        return StatusCommand.lines(view).stream()
                .filter(line -> line.startsWith("hosts"))
                .toList();
    }

    @Test
    void shouldCountHostsAndNameThoseThatAreNotUp() {
        assertEquals(List.of(), hostLines());
        add("build1", HostState.UP, "for tunnels only");
        add("build2", HostState.UP, null);
        add("build3", HostState.DOWN, "no route to host");
        add("build4", HostState.CONNECTING, null);
        assertEquals(
                List.of("hosts        2 up, 1 connecting (build4), 1 down (build3: no route to host)"), hostLines());
    }

    @Test
    void shouldNameAFewOfMany() {
        for (int number = 1; number <= 5; number++) {
            add("h" + number, HostState.DOWN, null);
        }
        assertEquals(List.of("hosts        5 down (h1; h2; h3; …)"), hostLines());
    }
}
