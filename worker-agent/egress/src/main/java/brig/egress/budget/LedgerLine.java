package brig.egress.budget;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Tagged;
import java.util.List;

/** A line of a ledger. */
@Tagged("kind")
@Extensible
public sealed interface LedgerLine {
    /**
     * What a purse had used up when the file began.
     *
     * @param at of the last change, in milliseconds since 1970
     */
    record Spent(String purse, Amount amount, long at) implements LedgerLine {}

    /** The head of the file is complete: all that was used up, and the reservations that were open. */
    record Begun(@OmitEmpty long at) implements LedgerLine {}

    /** A reservation in all these purses. */
    record Reserved(long id, List<String> purses, Amount amount, long at) implements LedgerLine {}

    /** What a reservation came to. */
    record Settled(long id, Amount amount) implements LedgerLine {}

    /** What was used up without a reservation. */
    record Booked(List<String> purses, Amount amount, long at) implements LedgerLine {}
}
