package brig.loadtests.conformance;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.StreamPosition;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.refusal.ProblemDetails;
import brig.protocol.spawn.SpawnRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** What a mini server says over HTTP: one request a connection, which may become a stream or a WebSocket. */
final class MiniHttp {
    private static final String LATENCY = "max_latency_ms=";

    private final MiniServer server;
    private final Defect defect;
    /** Whether to ask for no token. */
    private final boolean trusted;

    MiniHttp(MiniServer server, boolean trusted) {
        this.server = server;
        this.defect = server.defect();
        this.trusted = trusted;
    }

    void serve(MiniChannel channel) throws IOException {
        String[] request = channel.line().split(" ", 3);
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line = channel.line(); !line.isEmpty(); line = channel.line()) {
            headers.put(
                    line.substring(0, line.indexOf(':')),
                    line.substring(line.indexOf(':') + 1).trim());
        }
        if (trusted) {
            headers.put("Host", "127.0.0.1");
            headers.put("Authorization", "Bearer " + server.admin());
        }
        try {
            BrigException full = server.limits().connection(channel.open);
            if (full != null) {
                throw full;
            }
            route(channel, request[0], request[1], headers);
        } catch (BrigException refusal) {
            int status = refusal.code().httpStatus();
            boolean silent = defect == Defect.REFUSES_WITHOUT_A_HINT;
            JsonObject problem = JsonObject.of(ProblemDetails.of(refusal));
            String hint = refusal.retryAfterSeconds().isPresent() && !silent
                    ? "\r\nRetry-After: " + refusal.retryAfterSeconds().getAsInt()
                    : "";
            answer(
                    channel,
                    status + " X" + hint,
                    defect == Defect.FAULT_WITHOUT_PROBLEM ? "application/json" : "application/problem+json",
                    Json.write(silent ? problem.with("retry_after_seconds", null) : problem));
        }
        channel.finish();
        MiniServer.drain(channel);
    }

    private static void answer(MiniChannel channel, String status, String type, byte[] body) throws IOException {
        channel.write("HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length
                + "\r\n\r\n" + new String(body, StandardCharsets.UTF_8));
    }

    private void route(MiniChannel channel, String method, String target, Map<String, String> headers)
            throws IOException {
        if (defect != Defect.ANSWERS_ANY_HOST
                && (!headers.get("Host").equals("127.0.0.1") || headers.containsKey("Origin"))) {
            throw new BrigException(ErrorCode.FORBIDDEN, "not for you");
        }
        String token = headers.getOrDefault("Authorization", "Bearer ").substring("Bearer ".length());
        String[] path =
                (target + "?").split("\\?", 3)[0].substring("/api/v1/".length()).split("/");
        String query = (target + "?").split("\\?", 3)[1];
        if (path[0].equals("ws")) {
            upgrade(channel);
            converse(new MiniCaptain(server, channel, MiniCaptain.Kind.MANY, null));
        } else if (method.equals("POST")) {
            spawn(channel, Integer.parseInt(headers.get("Content-Length")), query);
        } else if (path.length == 1) {
            throw new BrigException(ErrorCode.METHOD_NOT_ALLOWED, method);
        } else {
            session(channel, method, path, query, token, headers);
        }
    }

    private void session(
            MiniChannel channel, String method, String[] path, String query, String token, Map<String, String> headers)
            throws IOException {
        MiniSession session = server.session(path[1]);
        if (path.length == 3 && path[2].equals("attach")) {
            attach(channel, session, token, query);
            return;
        }
        server.role(session, token);
        if (path.length == 3) {
            boolean empty = headers.containsKey("Last-Event-ID") && defect == Defect.EMPTY_HEADER_WINS;
            stream(
                    channel,
                    session,
                    headers.getOrDefault("Last-Event-ID", ""),
                    empty ? "" : query.replace("last_event_id=", ""));
        } else {
            if (method.equals("DELETE")) {
                session.terminate();
            }
            answer(channel, "200 X", "application/json", session.view());
        }
    }

    private void spawn(MiniChannel channel, int bytes, String query) throws IOException {
        byte[] body = channel.input().readNBytes(bytes);
        if (bytes > MiniServer.MESSAGE_BYTES_MAX) {
            throw new BrigException(ErrorCode.BODY_TOO_LARGE, "too large");
        }
        SpawnRequest request = Json.read(body, SpawnRequest.class);
        if (!request.agent().equals("shell")) {
            throw new BrigException(ErrorCode.UNKNOWN_AGENT, "no such agent");
        }
        boolean waits = query.startsWith("wait=") || defect == Defect.WAITS_UNASKED;
        MiniSpawns.Answer answer = server.spawns().spawn(request).at(waits ? "spawned" : "requested");
        answer(
                channel,
                (waits ? "201 X" : "202 X")
                        + (defect == Defect.HIDES_WHERE_A_SPAWN_IS_SHOWN
                                ? ""
                                : "\r\nLocation: /api/v1/spawns/" + answer.spawnId()),
                "application/json",
                Json.write(answer));
    }

    private static void upgrade(MiniChannel channel) throws IOException {
        channel.write("HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
    }

    private static void converse(MiniCaptain captain) throws IOException {
        try {
            captain.readMessages();
        } finally {
            captain.gone();
        }
    }

    private void attach(MiniChannel channel, MiniSession session, String token, String query) throws IOException {
        AttachOptions options = AttachOptions.NONE;
        if (!token.isEmpty()) {
            server.role(session, token);
        }
        if (query.startsWith("from=") || query.startsWith(LATENCY)) {
            JsonObject asked = JsonObject.EMPTY;
            for (String part : query.split("&")) {
                String[] field = part.split("=", 2);
                asked = asked.with(
                        field[0],
                        field[0].equals("from") && field[1].equals("screen") ? field[1] : number(field[0], field[1]));
            }
            options = asked.as(AttachOptions.class);
        }
        if (query.equals("role=watcher")) {
            options = new AttachOptions(0, "watcher", false, null, null, 0);
        }
        upgrade(channel);
        MiniCaptain captain = new MiniCaptain(server, channel, MiniCaptain.Kind.SINGLE, session);
        if (!token.isEmpty()) {
            try {
                captain.attach(session, token, options);
            } catch (BrigException refusal) {
                captain.refuse(refusal, null);
            }
        }
        converse(captain);
    }

    private static long number(String name, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw BrigException.invalid(name, "must be a number");
        }
    }

    private void stream(MiniChannel channel, MiniSession session, String header, String asked) throws IOException {
        boolean latency = asked.startsWith(LATENCY);
        String query = latency ? "" : asked;
        boolean merges = latency
                && JsonObject.EMPTY
                                .with("max_latency_ms", number("max_latency_ms", asked.substring(LATENCY.length())))
                                .as(AttachOptions.class)
                                .maxLatencyMs()
                        > 0;
        boolean queryFirst = defect == Defect.QUERY_WINS && !query.isEmpty();
        String text = header.isEmpty() || queryFirst ? query : header;
        boolean earliest = text.isEmpty() || text.equals("earliest") || defect == Defect.IGNORES_LAST_EVENT_ID;
        StreamPosition none = new StreamPosition(session.epoch, 0);
        StreamPosition position = earliest ? none : StreamPosition.parse(text).orElse(none);
        if (!earliest && StreamPosition.parse(text).isEmpty() && defect != Defect.TAKES_ANY_ID) {
            throw BrigException.invalid("last_event_id", "is none");
        }
        boolean foreign = !position.epoch().equals(session.epoch) && defect != Defect.IGNORES_EPOCHS;
        if (foreign && position.seq() >= Limits.SEQ_MAX && defect != Defect.COUNTS_BEYOND_THE_BOUND) {
            throw BrigException.invalid("last_event_id", "is beyond the bound");
        }
        long from = foreign ? 1 : MiniReader.begin(session, position.seq() + 1);
        if (session.ended && from > session.lastSeq() && defect != Defect.NEVER_ANSWERS_204) {
            channel.write("HTTP/1.1 204 X\r\n\r\n");
            return;
        }
        MiniEvents events = new MiniEvents(channel, session);
        MiniReader reader = new MiniReader(session, from, false, merges, events);
        reader.join();
        channel.write(
                "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nCache-Control: "
                        + (defect == Defect.STREAM_MAY_BE_CACHED ? "public" : "no-cache, no-transform")
                        + "\r\nX-Accel-Buffering: no\r\nBrig-Resumed-From: " + session.epoch + "-" + (from - 1)
                        + "\r\n\r\n");
        if (foreign && defect != Defect.HIDES_NEW_EPOCH) {
            long foreignSeq = position.seq() + 1;
            events.gap(
                    MiniServer.text(JsonObject.of(
                            new ConnectionLine.Gap(foreignSeq, foreignSeq, "epoch_changed", session.epoch))),
                    0);
        }
        reader.start();
        beat(channel, events);
        MiniServer.drain(channel);
        reader.stop();
    }

    private void beat(MiniChannel channel, MiniEvents events) {
        server.after(MiniServer.HEARTBEAT_MS, () -> {
            if (channel.isOpen() && !channel.isStalled(1) && defect != Defect.NEVER_BEATS) {
                try {
                    events.event(":\n\n");
                    beat(channel, events);
                } catch (IOException gone) {
                    channel.close();
                }
            }
        });
    }
}
