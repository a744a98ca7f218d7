package brig.egress.budget;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All purses of the process. A request reserves the most that it can come to in each purse that it is charged to: that of
 * its session, those of the sessions above, and those of the captain and of the day. The reservation is in the ledger
 * before the request goes out, and is settled when its cost is known. So the sum of what is used up and of what is
 * reserved never exceeds a limit, whatever runs at the same time and whichever process is killed.
 *
 * <p>Thread-safe.
 *
 * <p>Decision 0199.
 */
public final class Purses {
    /** The size of a ledger at which a new one begins. */
    static final long LEDGER_BYTES_MAX = 8L * 1024 * 1024;
    /** Purses that nobody uses are forgotten after this time. */
    static final long KEPT_MS = 30L * 24 * 3600 * 1000;

    static final int PURSES_MAX = 20_000;

    /** Learns what happens. Called under the lock: it must not block. */
    public interface Listener {
        /** More of a purse is used up than any step that was told before, or its limit is another. */
        void handleStep(PurseView purse);

        /** The ledger is so long that a new one is to begin. */
        void handleFull();
    }

    /** A part of all its purses, until it is settled. */
    public final class Reservation {
        private final long id;
        private final List<Purse> in;
        private final Amount amount;
        private final long at;

        // Guarded by the lock.
        private boolean settled;

        Reservation(long id, List<Purse> in, Amount amount, long at) {
            this.id = id;
            this.in = in;
            this.amount = amount;
            this.at = at;
        }

        /** The most that it may come to. */
        public Amount amount() {
            return amount;
        }

        /** It came to that, which may be more than was reserved. Only the first call counts. */
        public void settle(Amount real) {
            Purses.this.settle(this, real);
        }

        LedgerLine.Reserved line() {
            return new LedgerLine.Reserved(id, names(in), amount, at);
        }
    }

    private final LongSupplier clockMs;
    private final Listener listener;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Map<String, Purse> purses = new LinkedHashMap<>();
    private final Map<Long, Reservation> open = new LinkedHashMap<>();
    private @Nullable Ledger ledger;
    private long lastId;
    private boolean toldFull;

    public Purses(LongSupplier clockMs, Listener listener) {
        this.clockMs = clockMs;
        this.listener = listener;
    }

    /** What a purse used up before this process began. */
    public void restore(LedgerLine.Spent spent) {
        locked(() -> purses.put(spent.purse(), new Purse(spent.purse(), spent.amount(), spent.at())));
    }

    /** A worker uses these purses from now on. Their limits hold for all that do. */
    public void open(List<PurseSpec> charged) {
        locked(() -> charged.stream().filter(spec -> !spec.daily()).forEach(spec -> {
            Purse purse = find(spec.name());
            purse.addUser(1);
            purse.limit(spec.limit());
        }));
    }

    /** A worker no longer uses them. */
    public void leave(List<PurseSpec> charged) {
        locked(() -> charged.stream()
                .filter(spec -> !spec.daily())
                .forEach(spec -> find(spec.name()).addUser(-1)));
    }

    /** Changes the limit of a purse; what it is now is told. */
    public void limit(String name, Limit limit) {
        locked(() -> {
            Purse purse = find(name);
            purse.limit(limit);
            listener.handleStep(purse.view());
        });
    }

    private Purse find(PurseSpec spec) {
        Purse purse = find(spec.nameAt(clockMs.getAsLong()));
        if (spec.daily()) {
            purse.limit(spec.limit());
        }
        return purse;
    }

    private Purse find(String name) {
        return purses.computeIfAbsent(name, key -> new Purse(key, Amount.NONE, clockMs.getAsLong()));
    }

    /**
     * Reserves that much in all these purses, or in none.
     *
     * @throws SpentException naming the first purse without room
     */
    public Reservation reserve(List<PurseSpec> charged, Amount most) throws SpentException {
        lock.lock();
        try {
            List<Purse> in = withRoom(charged, most);
            long now = clockMs.getAsLong();
            Reservation reservation = new Reservation(++lastId, in, most, now);
            write(reservation.line());
            in.forEach(purse -> purse.reserve(most, now));
            open.put(reservation.id, reservation);
            return reservation;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Uses that much of all these purses, or of none.
     *
     * @throws SpentException naming the first purse without room
     */
    public void use(List<PurseSpec> charged, Amount amount) throws SpentException {
        lock.lock();
        try {
            book(withRoom(charged, amount), amount);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Counts what was used up elsewhere, such as the bill of a provider that ran a worker, even beyond a limit.
     *
     * @throws SpentException if the ledger cannot be written; then nothing is counted
     */
    public void book(String name, Amount amount) throws SpentException {
        lock.lock();
        try {
            book(List.of(find(name)), amount);
        } finally {
            lock.unlock();
        }
    }

    private void book(List<Purse> in, Amount amount) throws SpentException {
        long now = clockMs.getAsLong();
        write(new LedgerLine.Booked(names(in), amount, now));
        in.forEach(purse -> purse.use(amount, now));
        tellSteps(in);
    }

    /** Whether all these purses have room for that much now. */
    public boolean hasRoom(List<PurseSpec> charged, Amount more) {
        lock.lock();
        try {
            return charged.stream().map(this::find).allMatch(purse -> purse.hasRoom(more));
        } finally {
            lock.unlock();
        }
    }

    private List<Purse> withRoom(List<PurseSpec> charged, Amount more) throws SpentException {
        List<Purse> in = charged.stream().map(this::find).toList();
        for (Purse purse : in) {
            if (!purse.hasRoom(more)) {
                throw new SpentException(purse.view());
            }
        }
        return in;
    }

    private void settle(Reservation reservation, Amount real) {
        lock.lock();
        try {
            if (reservation.settled) {
                return;
            }
            reservation.settled = true;
            open.remove(reservation.id);
            Amount counted = real;
            try {
                write(new LedgerLine.Settled(reservation.id, real));
            } catch (SpentException unwritten) {
                // The ledger goes on to have the reservation.
                counted = reservation.amount;
            }
            long now = clockMs.getAsLong();
            for (Purse purse : reservation.in) {
                purse.settle(reservation.amount, counted, now);
            }
            tellSteps(reservation.in);
        } finally {
            lock.unlock();
        }
    }

    private void tellSteps(List<Purse> changed) {
        changed.stream().filter(Purse::crosses).map(Purse::view).forEach(listener::handleStep);
    }

    private void write(LedgerLine line) throws SpentException {
        Ledger into = ledger;
        try {
            if (into == null) {
                throw new IOException("there is none");
            }
            into.write(line);
            if (into.bytes() > LEDGER_BYTES_MAX && !toldFull) {
                toldFull = true;
                listener.handleFull();
            }
        } catch (IOException e) {
            throw new SpentException(e);
        }
    }

    /**
     * Goes on in another file, which gets all that counts now. If it fails, the earlier one stays.
     *
     * @throws IOException if the file cannot be written
     */
    public void begin(LedgerFile file) throws IOException {
        lock.lock();
        try {
            forgetOld();
            Ledger next = new Ledger(file);
            List<LedgerLine> head = new ArrayList<>();
            purses.values().forEach(purse -> head.add(purse.line()));
            open.values().forEach(reservation -> head.add(reservation.line()));
            head.add(new LedgerLine.Begun(clockMs.getAsLong()));
            next.write(head);
            if (ledger != null) {
                ledger.close();
            }
            ledger = next;
            toldFull = false;
        } finally {
            lock.unlock();
        }
    }

    private void forgetOld() {
        long before = clockMs.getAsLong() - KEPT_MS;
        purses.values().removeIf(purse -> purse.isIdle() && purse.changedAt() < before);
        if (purses.size() > PURSES_MAX) {
            purses.values().stream()
                    .filter(Purse::isIdle)
                    .sorted(Comparator.comparingLong(Purse::changedAt))
                    .limit(purses.size() - PURSES_MAX)
                    .map(purse -> purse.name)
                    .toList()
                    .forEach(purses::remove);
        }
    }

    /** A purse as it is now. */
    public PurseView view(String name) {
        lock.lock();
        try {
            return find(name).view();
        } finally {
            lock.unlock();
        }
    }

    private static List<String> names(List<Purse> in) {
        return in.stream().map(purse -> purse.name).toList();
    }

    private void locked(Runnable task) {
        lock.lock();
        try {
            task.run();
        } finally {
            lock.unlock();
        }
    }
}
