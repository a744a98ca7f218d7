package brig.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A gateway by its spawner socket. The kernel tells it who asks. */
final class UnixGateway implements Gateway {
    private final Path spawnerSocket;

    UnixGateway(Path spawnerSocket) {
        this.spawnerSocket = spawnerSocket;
    }

    @Override
    public Frame ask(String action, Map<String, ? extends @Nullable Object> fields, Duration limit) {
        Wire wire = UnixWire.dial(spawnerSocket);
        AtomicBoolean late = new AtomicBoolean();
        Future<?> alarm = Gateway.after(limit, () -> {
            late.set(true);
            wire.close();
        });
        try {
            wire.write(request(action, fields));
            return answer(wire);
        } catch (BrigException e) {
            throw late.get() ? new BrigException("TIMEOUT", action + " took longer than " + limit, e) : e;
        } finally {
            alarm.cancel(false);
            wire.close();
        }
    }

    private static Frame answer(Wire wire) {
        LineReader reader = new LineReader(ANSWER_BYTES_MAX);
        while (true) {
            byte[] piece = wire.read();
            if (piece.length == 0) {
                throw new BrigException("CONNECTION_LOST", "the connection was closed before it was answered");
            }
            LineReader.Lines read = reader.read(piece);
            if (!read.lines().isEmpty()) {
                Frame answer = new Frame(read.lines().get(0).object());
                if (answer.has("error")) {
                    throw BrigException.of(answer.fields());
                }
                return answer;
            }
            if (read.fault() != null) {
                throw read.fault();
            }
        }
    }

    @Override
    public Wire attach(Hello hello, Duration limit) {
        Wire wire = UnixWire.dial(spawnerSocket);
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("id", hello.id());
        fields.put("from", hello.from());
        fields.put("max_latency_ms", hello.maxLatencyMs());
        fields.put("role", hello.role());
        wire.write(request("attach", fields));
        return wire;
    }

    private static String request(String action, Map<String, ? extends @Nullable Object> fields) {
        Map<String, @Nullable Object> request = new LinkedHashMap<>(Map.of("action", action));
        request.putAll(fields);
        return Json.write(request) + "\n";
    }
}
