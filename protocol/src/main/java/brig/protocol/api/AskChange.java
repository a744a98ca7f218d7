package brig.protocol.api;

import brig.protocol.frame.Frame;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.Tagged;
import java.util.List;

/** What a client that follows asks is told. */
@Tagged("type")
@Extensible
public sealed interface AskChange {
    /**
     * The open asks, which replace all that the client knows.
     *
     * @param asks those with the nearest deadlines; any others follow, each as an {@link Ask}
     */
    record Asks(List<AskList.View> asks) implements AskChange {}

    /** An ask waits for an answer. */
    record Ask(@Flat AskList.View ask) implements AskChange {}

    /**
     * An ask is settled.
     *
     * @param answered as in its frame
     */
    record Answered(String spawnId, @Flat(tagged = false) Frame.Answered answered) implements AskChange {}

    /** Its type on the wire. */
    default String type() {
        return switch (this) {
            case Asks _ -> "asks";
            case Ask _ -> "ask";
            case Answered _ -> "answered";
        };
    }
}
