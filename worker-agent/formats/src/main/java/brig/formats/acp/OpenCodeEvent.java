package brig.formats.acp;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import org.jspecify.annotations.Nullable;

/** An event of OpenCode's bus; it has much more that is of no interest to a captain. */
@Tagged(value = "type", content = "properties")
@Foreign
@CamelCase
sealed interface OpenCodeEvent {
    @Name("session.created")
    record SessionCreated(Session info) implements OpenCodeEvent {}

    @Name("session.status")
    record SessionStatus(@Default("") String sessionID, Status status) implements OpenCodeEvent {}

    @Name("session.error")
    record SessionError(@Default("") String sessionID, OpenCodeError error) implements OpenCodeEvent {}

    @Name("session.idle")
    record SessionIdle(@Default("") String sessionID) implements OpenCodeEvent {}

    /** The plugin has answered what a sub-agent asked whether it may: nobody else does, and it would wait for ever. */
    @Name("permission.answered")
    record PermissionAnswered(
            @Default("") String id,
            @Default("") String sessionID,
            @Nullable String permission,
            @Nullable Object metadata,
            Tool tool,
            @Default("") String reply)
            implements OpenCodeEvent {}

    @Name("message.updated")
    record MessageUpdated(Message info) implements OpenCodeEvent {}

    /** @param part null where it is of no type that is known */
    @Name("message.part.updated")
    record PartUpdated(
            @Default("") String sessionID, @Nullable OpenCodePart part) implements OpenCodeEvent {}

    /** @param field which field of the part grows */
    @Name("message.part.delta")
    record PartDelta(
            @Default("") String sessionID,
            @Default("") String partID,
            @Default("") String field,
            @Default("") String delta)
            implements OpenCodeEvent {}

    /** @param parentID null for one that nobody's call made */
    @Foreign
    @CamelCase
    record Session(
            @Default("") String id,
            @Nullable String parentID,
            @Nullable String agent) {}

    /** @param attempt which one failed, of {@code retry} */
    @Foreign
    record Status(
            @Default("") String type,
            @Default("the model answered with an error") String message,
            long attempt) {}

    @Foreign
    @CamelCase
    record Tool(@Nullable String callID) {}

    @Foreign
    record Message(@Default("") String id, @Default("") String role) {}
}
