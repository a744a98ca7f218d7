package brig.formats.acp;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import org.jspecify.annotations.Nullable;

/** An event of OpenCode's bus. Events without a meaning for captains are left out. */
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

    @Name("message.updated")
    record MessageUpdated(Message info) implements OpenCodeEvent {}

    /** @param part null if its type is unknown */
    @Name("message.part.updated")
    record PartUpdated(
            @Default("") String sessionID, @Nullable OpenCodePart part) implements OpenCodeEvent {}

    /** @param field the field of the part that the text is appended to */
    @Name("message.part.delta")
    record PartDelta(
            @Default("") String sessionID,
            @Default("") String partID,
            @Default("") String field,
            @Default("") String delta)
            implements OpenCodeEvent {}

    /** @param parentID null if no tool call created the session */
    @Foreign
    @CamelCase
    record Session(
            @Default("") String id,
            @Nullable String parentID,
            @Nullable String agent) {}

    /** @param attempt the number of the failed attempt, for {@code retry} */
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
