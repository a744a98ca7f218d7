package brig.egress.budget;

import brig.protocol.egress.BudgetAmount;
import brig.protocol.egress.EgressEvent;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the requests of one worker are charged to. State owned by the worker's event loop. */
public final class WorkerBudget implements AutoCloseable {
    private final String spawn;
    private final List<PurseSpec> charged;
    private final Spending spending;
    private final Consumer<EgressEvent> events;
    /** The last refusal that was told. */
    private EgressEvent.@Nullable Budget told;

    private boolean closed;

    /**
     * @param spawn the worker's spawn id
     * @param charged its own purse first; empty for none
     */
    public WorkerBudget(String spawn, List<PurseSpec> charged, Spending spending, Consumer<EgressEvent> events) {
        this.spawn = spawn;
        this.charged = charged;
        this.spending = spending;
        this.events = events;
        spending.purses().open(charged);
    }

    /** Whether requests to models are charged. */
    public boolean chargesCalls() {
        return charged.stream()
                .map(PurseSpec::limit)
                .anyMatch(limit -> limit.nanos() != null || limit.tokens() != null);
    }

    /** Whether any purse limits money, so that a model needs a price. */
    public boolean chargesMoney() {
        return charged.stream().anyMatch(spec -> spec.limit().nanos() != null);
    }

    /** Whether the bytes of connections are charged. */
    public boolean chargesBytes() {
        return charged.stream().anyMatch(spec -> spec.limit().bytes() != null);
    }

    public CallBounds calls() {
        return spending.calls();
    }

    /** Reserves what a request may come to. @throws SpentException if it may not go out; people are told */
    public Purses.Reservation reserve(Amount most) throws SpentException {
        try {
            return spending.purses().reserve(charged, most);
        } catch (SpentException e) {
            tell(e, most);
            throw e;
        }
    }

    /** Whether there is room for so many bytes now. */
    public boolean hasRoom(long bytes) {
        return spending.purses().hasRoom(charged, Amount.ofBytes(bytes));
    }

    /** Uses bytes. @return whether there was room; otherwise people are told */
    public boolean use(long bytes) {
        Amount amount = Amount.ofBytes(bytes);
        try {
            spending.purses().use(charged, amount);
            return true;
        } catch (SpentException e) {
            tell(e, amount);
            return false;
        }
    }

    private void tell(SpentException e, Amount most) {
        PurseView purse = e.purse();
        if (purse != null) {
            EgressEvent.Budget event = event(purse, spawn, sentence(e, most));
            if (told == null
                    || !Objects.equals(told.of(), event.of())
                    || !told.limit().equals(event.limit())) {
                told = event;
                events.accept(event);
            }
        }
    }

    /** A purse as people are told of it in the stream of a session. */
    public static EgressEvent.Budget event(PurseView purse, String spawn, @Nullable String refused) {
        PurseOwner owner = PurseSpec.ownerOf(purse.name());
        boolean own = owner.kind() == PurseOwner.Kind.SESSION && owner.name().equals(spawn);
        EgressEvent.Budget.Scope scope = switch (owner.kind()) {
            case SESSION -> own ? EgressEvent.Budget.Scope.SESSION : EgressEvent.Budget.Scope.ABOVE;
            case CAPTAIN -> EgressEvent.Budget.Scope.CAPTAIN;
            case DAY -> EgressEvent.Budget.Scope.DAY;
        };
        Limit limit = purse.limit();
        return new EgressEvent.Budget(
                refused == null ? purse.percent() : 100,
                scope,
                own || owner.name().isEmpty() ? null : owner.name(),
                amount(purse.used(), limit),
                amount(purse.reserved(), limit),
                new BudgetAmount(Money.usd(limit.nanos()), limit.tokens(), limit.bytes(), null),
                refused);
    }

    private static BudgetAmount amount(Amount amount, Limit limit) {
        return new BudgetAmount(
                Money.usd(amount.nanos()), amount.tokens(), limit.bytes() == null ? null : amount.bytes(), null);
    }

    /** Says to an agent why a request is refused. */
    public String sentence(SpentException e, Amount most) {
        PurseView purse = e.purse();
        if (purse == null) {
            return "Brig cannot write down what this session spends, so it lets no request to a model out: "
                    + e.getMessage() + ". Do not try again; tell the operator.";
        }
        PurseOwner owner = PurseSpec.ownerOf(purse.name());
        String whose = switch (owner.kind()) {
            case SESSION ->
                owner.name().equals(spawn)
                        ? "The budget of this session"
                        : "The budget of a session that this one works for";
            case CAPTAIN -> "The budget of the captain for today (UTC)";
            case DAY -> "The budget of this gateway for today (UTC)";
        };
        return whose + " has no room for this request: " + Money.room(purse, most)
                + ". Do not try again: a person must raise the budget.";
    }

    /** The worker ended. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            spending.purses().leave(charged);
        }
    }
}
