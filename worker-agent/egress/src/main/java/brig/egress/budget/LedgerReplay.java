package brig.egress.budget;

import brig.protocol.BrigException;
import brig.protocol.json.Json;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a ledger: what each purse has used up. A reservation without a settlement counts in full, as its request may
 * have gone out. What follows the last end of a line is the beginning of one that was never finished.
 */
public final class LedgerReplay {
    private final Map<String, LedgerLine.Spent> spent = new LinkedHashMap<>();
    private final Map<Long, LedgerLine.Reserved> open = new HashMap<>();
    private boolean complete;
    private long unreadable;

    /** Adds a line, without its end. */
    public void add(byte[] bytes, int offset, int length) {
        if (length == 0) {
            return;
        }
        try {
            add(Json.read(bytes, offset, length, LedgerLine.class));
        } catch (BrigException | IllegalArgumentException e) {
            unreadable++;
        }
    }

    void add(LedgerLine line) {
        switch (line) {
            case LedgerLine.Spent before -> spent.put(before.purse(), before);
            case LedgerLine.Begun _ -> complete = true;
            case LedgerLine.Reserved reserved -> open.put(reserved.id(), reserved);
            case LedgerLine.Settled settled -> {
                LedgerLine.Reserved reserved = open.remove(settled.id());
                if (reserved != null) {
                    count(reserved.purses(), settled.amount(), reserved.at());
                }
            }
            case LedgerLine.Booked booked -> count(booked.purses(), booked.amount(), booked.at());
        }
    }

    private void count(List<String> purses, Amount amount, long at) {
        for (String purse : purses) {
            LedgerLine.Spent before = spent.getOrDefault(purse, new LedgerLine.Spent(purse, Amount.NONE, at));
            spent.put(purse, new LedgerLine.Spent(purse, before.amount().plus(amount), Math.max(before.at(), at)));
        }
    }

    /** Whether its head is whole; otherwise the ledger before it counts. */
    public boolean isComplete() {
        return complete;
    }

    /** The number of lines that could not be read. */
    public long unreadable() {
        return unreadable;
    }

    /** What each purse has used up. Called once, after the last line. */
    public List<LedgerLine.Spent> finish() {
        open.values().forEach(reserved -> count(reserved.purses(), reserved.amount(), reserved.at()));
        open.clear();
        return List.copyOf(spent.values());
    }
}
