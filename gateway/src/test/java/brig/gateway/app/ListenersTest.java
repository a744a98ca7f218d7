package brig.gateway.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ListenersTest {
    private static final Path SETTINGS = Path.of("/home/me/brig.json");

    @Test
    void shouldNameTheAddressTheSettingsAndTheLineWhereAPortIsTaken() {
        assertEquals(
                "cannot listen on 127.0.0.1:7070, which is http.host:http.port: another program listens there; end it, or"
                        + " choose another address in /home/me/brig.json, such as {\"http\": {\"port\": 7071}}",
                Listeners.refusal(
                        "http.host:http.port",
                        "127.0.0.1",
                        7070,
                        new IOException("bind(..) failed with error(-98): Address already in use"),
                        SETTINGS));
    }

    @Test
    void shouldGiveTheReasonWhereTheHostIsNotItsOwn() {
        assertEquals(
                "cannot listen on 192.0.2.1:9090, which is http.metricsHost:http.metricsPort: Cannot assign requested"
                        + " address; choose another address in /home/me/brig.json, such as {\"http\": {\"metricsHost\": \"127.0.0.1\"}}",
                Listeners.refusal(
                        "http.metricsHost:http.metricsPort",
                        "192.0.2.1",
                        9090,
                        new IOException("Cannot assign requested address"),
                        SETTINGS));
    }
}
