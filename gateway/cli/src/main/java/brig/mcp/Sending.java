package brig.mcp;

import brig.captain.CaptainGateway;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;

/** Sends a message and waits until it is accepted. */
final class Sending {
    private static final int ACCEPT_SECONDS_MAX = 20;

    private final CaptainGateway gateway;
    private final Ticks ticks;
    private final Running call;

    Sending(CaptainGateway gateway, Ticks ticks, Running call) {
        this.gateway = gateway;
        this.ticks = ticks;
        this.call = call;
    }

    /**
     * Sends.
     *
     * @return the place in the stream from which on its turn is read
     * @throws BrigException if it is refused
     */
    Cursor send(String session, String content, String messageId) {
        CaptainLine.UserMessage message = CaptainLine.UserMessage.of(content, messageId);
        if (Json.writeLine(message).length > Limits.MESSAGE_BYTES_MAX) {
            throw new BrigException(
                    ErrorCode.LINE_TOO_LONG, "a message has at most " + Limits.MESSAGE_BYTES_MAX + " bytes");
        }
        SpawnView view = gateway.request(new SpawnerRequest.Status(session), SpawnView.class);
        long from = view.lastSeq() + 1;
        try (SessionLine line = new SessionLine(gateway, ticks, view.spawnId());
                Ticks.Ticking _ = ticks.start(second -> {
                    if (second >= ACCEPT_SECONDS_MAX) {
                        line.end();
                    }
                })) {
            call.onCancel(line::end);
            CaptainGateway.Attached attached = line.open(from);
            if (attached != null) {
                attached.send(message);
                for (JsonObject read = attached.next(); read != null; read = attached.next()) {
                    if (isAccepted(read, messageId)) {
                        return new Cursor(from, attached.welcome().epoch());
                    }
                }
            }
        }
        throw new BrigException(
                ErrorCode.SHUTTING_DOWN,
                "the session did not say that it took the message: send it again with message_id " + messageId
                        + ", which sends it once");
    }

    private static boolean isAccepted(JsonObject line, String messageId) {
        if (!line.has("seq")) {
            if (ConnectionLine.read(line) instanceof ConnectionLine.Refused refused) {
                throw new BrigException(code(refused.code()), refused.error());
            }
            return false;
        }
        return switch (line.as(NumberedFrame.class).frame()) {
            case Frame.Accepted accepted -> accepted.messageId().equals(messageId);
            case Frame.Message message -> message.messageId().equals(messageId);
            case Frame.Failure failure
            when messageId.equals(failure.messageId()) ->
                throw new BrigException(code(failure.code()), failure.error());
            case Frame.State state
            when state.isTerminated() -> throw new BrigException(ErrorCode.SESSION_ENDED, "the session has ended");
            case null, default -> false;
        };
    }

    /** A newer gateway may have codes that this version does not know. */
    private static ErrorCode code(String name) {
        for (ErrorCode code : ErrorCode.values()) {
            if (code.name().equals(name)) {
                return code;
            }
        }
        return ErrorCode.INPUT_NOT_ACCEPTED;
    }
}
