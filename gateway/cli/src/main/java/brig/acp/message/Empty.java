package brig.acp.message;

/** An object without fields, which means success or support. */
public record Empty() {
    public static final Empty EMPTY = new Empty();
}
