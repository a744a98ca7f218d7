package brig.egress.budget;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A reservation is refused: there is no room in a purse, or the ledger cannot be written. */
public final class SpentException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient @Nullable PurseView purse;

    SpentException(PurseView purse) {
        super("no room in " + purse.name(), null, false, false);
        this.purse = purse;
    }

    SpentException(IOException unwritten) {
        super("the ledger cannot be written: " + unwritten.getMessage(), null, false, false);
        this.purse = null;
    }

    /** The purse without room; null if the ledger cannot be written. */
    public @Nullable PurseView purse() {
        return purse;
    }
}
