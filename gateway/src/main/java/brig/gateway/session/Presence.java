package brig.gateway.session;

import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;
import brig.protocol.frame.ConnectionLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one session, and the captain that holds control. Control belongs to a captain, not to a
 * connection: the first captain that writes gets it, any other may take it, and it is free again when its holder's last
 * connection is gone. Listeners are told of changes, several of them in one line.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decisions 0034, 0085.
 */
public final class Presence {
    /** Changes within this time are sent as one line: a thousand watchers that connect together are one change. */
    static final long QUIET_MS = 100;

    private static final int CAPTAINS_SHOWN_MAX = 100;

    /** One connection. {@code listener} gets the lines; null for none. */
    public record Member(
            String captain, Role role, @Nullable Consumer<ConnectionLine.Presence> listener) {}

    private final Timers timers;
    private final Runnable empty;
    private final List<Member> listeners = new ArrayList<>();
    private final Map<String, Integer> captains = new TreeMap<>();
    private final TerminalSizes sizes = new TerminalSizes();
    private int watchers;
    private @Nullable String holder;
    private Timers.@Nullable Timer announcement;

    /** @param empty called when the last connection is gone */
    Presence(Timers timers, Runnable empty) {
        this.timers = timers;
        this.empty = empty;
    }

    /** @return to be run once, when the connection is gone */
    Runnable join(Member member) {
        if (member.role() == Role.WATCHER) {
            watchers++;
        } else {
            captains.merge(member.captain(), 1, Integer::sum);
        }
        if (member.listener() != null) {
            listeners.add(member);
        }
        announce();
        return () -> leave(member);
    }

    private void leave(Member member) {
        listeners.remove(member);
        if (member.role() == Role.WATCHER) {
            watchers--;
        } else {
            captains.computeIfPresent(member.captain(), (captain, count) -> count == 1 ? null : count - 1);
            if (!captains.containsKey(member.captain()) && member.captain().equals(holder)) {
                holder = null;
            }
        }
        if (captains.isEmpty() && watchers == 0) {
            if (announcement != null) {
                announcement.cancel();
            }
            empty.run();
        } else {
            announce();
        }
    }

    /** The sizes of its captains' terminals. */
    TerminalSizes sizes() {
        return sizes;
    }

    boolean hasCaptains() {
        return !captains.isEmpty();
    }

    /** The captain writes: it gets or keeps control. @throws BrigException {@code CONTROL_HELD} by another */
    void requireControl(String captain) {
        if (holder != null && !holder.equals(captain)) {
            throw new BrigException(
                    ErrorCode.CONTROL_HELD, "control of the session is held by " + holder + "; take_control takes it");
        }
        take(captain);
    }

    /** Takes control from its holder. A captain without a connection takes it away, but does not hold it. */
    void take(String captain) {
        String next = captains.containsKey(captain) ? captain : null;
        if (!Objects.equals(next, holder)) {
            holder = next;
            announce();
        }
    }

    void release(String captain) {
        if (captain.equals(holder)) {
            holder = null;
            announce();
        }
    }

    private void announce() {
        if (announcement == null && !listeners.isEmpty()) {
            announcement = timers.after(QUIET_MS, () -> {
                announcement = null;
                ConnectionLine.Presence line = line();
                List.copyOf(listeners).forEach(member -> tell(member, line));
            });
        }
    }

    private static void tell(Member member, ConnectionLine.Presence line) {
        Consumer<ConnectionLine.Presence> listener = member.listener();
        if (listener != null) {
            listener.accept(line);
        }
    }

    ConnectionLine.Presence line() {
        return new ConnectionLine.Presence(
                captains.entrySet().stream()
                        .limit(CAPTAINS_SHOWN_MAX)
                        .map(captain -> new ConnectionLine.Presence.Captain(
                                captain.getKey(),
                                captain.getValue(),
                                captain.getKey().equals(holder)))
                        .toList(),
                watchers);
    }
}
