package brig.acp.message;

/** An object without fields: the answer that says yes. */
public record Empty() {
    public static final Empty EMPTY = new Empty();
}
