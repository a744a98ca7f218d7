package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import brig.protocol.Ids;
import brig.protocol.Limits;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong on the two kinds of Unix sockets is named, and touches nobody else. */
@Timeout(60)
class UnixRefusalsTest {
    private static final byte[] NOT_UTF8 = {'{', '"', (byte) 0xff, '"', ':', '1', '}', '\n'};
    private static final byte[] WITH_NUL = "{\"role\":\0}\n".getBytes(StandardCharsets.US_ASCII);

    private static Product product;
    private static Beside beside;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
        beside = new Beside(product);
    }

    @AfterEach
    void requireUntouched() throws IOException {
        beside.requireUntouched();
    }

    @AfterAll
    static void stop() throws IOException {
        beside.close();
        product.close();
    }

    /** A second captain of the session, which has authenticated and sees only what comes from now on. */
    private static Wire captain() throws IOException {
        Wire wire = beside.spawned().captain(Limits.SEQ_MAX);
        assertEquals("authenticated", wire.message().text("type"));
        return wire;
    }

    private static void requireRefusal(String code, JsonObject answer) {
        assertEquals(code, answer.text("code"), () -> String.valueOf(answer));
        assertFalse(answer.text("error", "").isEmpty());
        assertFalse(answer.has("seq"));
    }

    private static void requireRefusalButOpen(String code, Wire wire) throws IOException {
        requireRefusal(code, wire.message());
        assertEquals("pong", wire.sendLine("{\"action\":\"ping\"}").message().text("type"));
    }

    private static void requireRefusalAndEnd(String code, Wire wire) throws IOException {
        requireRefusal(code, wire.message());
        assertNull(wire.line());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"role\":\"user\",            | MALFORMED_JSON",
                "[1]                            | MALFORMED_JSON",
                "{\"role\":\"user\"}            | INVALID_FIELD",
                "{\"role\":\"boss\",\"content\":\"echo no\"} | INVALID_FIELD",
                "{\"role\":\"user\",\"content\":7} | INVALID_FIELD",
                "{\"hello\":1}                  | INVALID_FIELD",
                "{\"action\":\"fly\"}           | UNKNOWN_ACTION"
            })
    void shouldRefuseLineAndStayOpenWhenCaptainSendsNonsense(String line, String code) throws IOException {
        try (Wire wire = captain()) {
            requireRefusalButOpen(code, wire.sendLine(line));
        }
    }

    @Test
    void shouldRefuseBytesAndStayOpenWhenCaptainSendsNoText() throws IOException {
        try (Wire wire = captain()) {
            requireRefusalButOpen("INVALID_UTF8", wire.send(NOT_UTF8));
            requireRefusalButOpen("NUL_BYTE", wire.send(WITH_NUL));
            requireRefusalButOpen("LINE_TOO_LONG", wire.sendLine("x".repeat(Limits.MESSAGE_BYTES_MAX)));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nonsense                       | MALFORMED_JSON",
                "{\"action\":\"fly\"}           | UNKNOWN_ACTION",
                "{\"action\":\"status\"}        | INVALID_FIELD",
                "{\"action\":\"status\",\"id\":\"nobody\"} | NOT_FOUND",
                "{\"action\":\"attach\",\"id\":\"nobody\"} | NOT_FOUND",
                "{\"action\":\"attach\",\"id\":\"beside\",\"role\":\"boss\"} | INVALID_FIELD",
                "{\"action\":\"spawn\"}         | INVALID_FIELD",
                "{\"action\":\"spawn\",\"agent_config\":{\"name\":\"shell\"},\"colour\":1} | INVALID_FIELD",
                "{\"action\":\"spawn\",\"task_id\":\"../up\",\"agent_config\":{\"name\":\"shell\"}} | INVALID_FIELD",
                "{\"action\":\"spawn\",\"agent_config\":{\"name\":\"nobody\"}} | UNKNOWN_AGENT",
                "{\"action\":\"spawn\",\"task_id\":\"beside\",\"agent_config\":{\"name\":\"shell\"}}"
                        + "| TASK_ID_IN_USE"
            })
    void shouldRefuseRequestWhenSpawnerClientSendsNonsense(String request, String code) throws IOException {
        requireRefusal(code, product.ask(request + "\n"));
    }

    @Test
    void shouldCloseSpawnerConnectionWhenNextRequestCannotBeFound() throws IOException {
        try (Wire wire = product.dial()) {
            requireRefusalAndEnd("MALFORMED_JSON", wire.sendLine("{\"action\" \"list\"}{\"action\":\"list\"}"));
        }
        try (Wire wire = product.dial()) {
            requireRefusalAndEnd("INVALID_UTF8", wire.send(NOT_UTF8));
        }
        try (Wire wire = product.dial()) {
            requireRefusalAndEnd(
                    "LINE_TOO_LONG", wire.send("{\"action\":\"" + "x".repeat(Limits.MESSAGE_BYTES_MAX) + "\"}"));
        }
    }

    @Test
    void shouldCloseWhenTokenIsWrong() throws IOException {
        Spawned other = product.shell("echo other");
        try (Wire wire = other.attach("watcher")) {
            new Frames().readAll(wire);
        }
        for (String token : new String[] {Ids.newToken(), "", other.captainToken(), other.watcherToken()}) {
            try (Wire wire = Wire.unix(beside.spawned().socket())) {
                requireRefusalAndEnd("UNAUTHENTICATED", wire.sendLine("{\"auth\":\"" + token + "\"}"));
            }
        }
    }

    @Test
    void shouldNotRunAnythingWhenLineComesBeforeAuthentication() throws IOException {
        // Scenario: a user message, and in the same write a good token behind it, which must not make up for
        // it.
        try (Wire wire = Wire.unix(beside.spawned().socket())) {
            wire.send(Spawned.user("touch /workspace/ran; echo ran") + "\n{\"auth\":\""
                    + beside.spawned().captainToken() + "\"}\n");
            requireRefusalAndEnd("ATTACH_AUTH_MISSING", wire);
        }
        beside.requireUntouched();
        assertFalse(Files.exists(beside.spawned().workspace().resolve("ran")));
    }

    @Test
    void shouldAskEveryConnectionForItsTokenWhenAnotherHasAuthenticated() throws IOException {
        try (Wire first = captain();
                Wire second = Wire.unix(beside.spawned().socket());
                Wire third = Wire.unix(beside.spawned().socket())) {
            requireRefusalAndEnd("UNAUTHENTICATED", second.sendLine("{\"auth\":\"" + Ids.newToken() + "\"}"));
            requireRefusalAndEnd("ATTACH_AUTH_MISSING", third.sendLine(Spawned.user("echo no")));
            assertEquals(
                    "pong", first.sendLine("{\"action\":\"ping\"}").message().text("type"));
        }
    }

    @Test
    void shouldForbidEverythingButPingWhenWatching() throws IOException {
        try (Wire wire = Wire.unix(beside.spawned().socket())) {
            wire.sendLine("{\"auth\":\"" + beside.spawned().watcherToken() + "\",\"from\":" + Limits.SEQ_MAX + "}");
            assertEquals("watcher", wire.message().text("role"));
            requireRefusalButOpen("FORBIDDEN", wire.sendLine(Spawned.user("echo no")));
            requireRefusalButOpen("FORBIDDEN", wire.sendLine("{\"action\":\"cancel\"}"));
            requireRefusalButOpen("FORBIDDEN", wire.sendLine("{\"action\":\"terminate\"}"));
        }
    }
}
