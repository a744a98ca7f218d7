package brig.gateway.nats;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerCheckTest {
    private static final ServerCheck.Server SAFE = new ServerCheck.Server("n1", "2.10.27", true);
    private static final ServerCheck.Server LAX = new ServerCheck.Server("n2", "2.10.27", false);
    private static final ServerCheck.Server NO_STREAMS = new ServerCheck.Server("n3", "2.10.27", null);

    @ParameterizedTest
    @ValueSource(strings = {"2.10.23", "2.10.27", "2.11.0-RC.1", "2.12.1", "3.0.0"})
    void shouldAcceptAServerThatKeepsItsStreams(String version) {
        assertDoesNotThrow(() -> ServerCheck.requireNew("n1", version));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.9.10", "2.10.22", "1.99.99", "", "new", "2.10", "99999999999.0.0"})
    void shouldRefuseAServerThatIsOldOrDoesNotSay(String version) {
        BrigException refusal = assertThrows(BrigException.class, () -> ServerCheck.requireNew("n1", version));
        assertTrue(refusal.getMessage().contains("upgrade it to 2.10.23"), refusal.getMessage());
    }

    @Test
    void shouldAcceptServersThatAllWriteBeforeTheyAcknowledge() {
        assertDoesNotThrow(() -> ServerCheck.requireSync(List.of(SAFE, NO_STREAMS), false));
    }

    @Test
    void shouldNameTheServerAndTheMendWhenOneDoesNot() {
        BrigException refusal =
                assertThrows(BrigException.class, () -> ServerCheck.requireSync(List.of(SAFE, LAX), false));
        assertTrue(refusal.getMessage().startsWith("nats-server n2 "), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("sync_interval: always"), refusal.getMessage());
    }

    @Test
    void shouldRefuseWhatIsNotKnownAndSayHowItWouldBe() {
        for (List<ServerCheck.Server> unknown : List.of(List.<ServerCheck.Server>of(), List.of(NO_STREAMS))) {
            BrigException refusal = assertThrows(BrigException.class, () -> ServerCheck.requireSync(unknown, false));
            assertTrue(refusal.getMessage().contains("cluster.systemCredentialsFile"), refusal.getMessage());
        }
    }

    @Test
    void shouldAcceptAnythingWhenThatIsAccepted() {
        assertDoesNotThrow(() -> ServerCheck.requireSync(List.of(LAX), true));
    }

    @Test
    void shouldReadWhatAServerSays() {
        String answer = """
                {"server":{"name":"n1","ver":"2.10.27","jetstream":true},
                 "data":{"config":{"store_dir":"/d","sync_interval":120000000000,"sync_always":true}}}""";
        assertEquals(SAFE, ServerCheck.Server.read(answer.getBytes(StandardCharsets.UTF_8)));
        byte[] lax = answer.replace(",\"sync_always\":true", "").getBytes(StandardCharsets.UTF_8);
        assertEquals(Boolean.FALSE, ServerCheck.Server.read(lax).syncAlways());
        assertNull(ServerCheck.Server.read("{\"server\":{\"name\":\"n3\"}}".getBytes(StandardCharsets.UTF_8))
                .syncAlways());
    }
}
