package brig.protocol.spawn;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The kind of wall that somebody asks for: {@code gvisor} is that kind, {@code min:gvisor} that or a stronger one.
 *
 * @param kind the weakest that will do
 * @param orStronger whether stronger ones will do too
 */
public record WallDemand(WallKind kind, boolean orStronger) {
    private static final String OR_STRONGER = "min:";

    /** All forms, for messages. */
    public static final String FORMS = Arrays.stream(WallKind.values())
            .map(kind -> kind.word() + ", " + OR_STRONGER + kind.word())
            .collect(Collectors.joining(", "));

    /** @throws IllegalArgumentException naming all forms */
    public static WallDemand parse(String text) {
        boolean orStronger = text.startsWith(OR_STRONGER);
        String word = orStronger ? text.substring(OR_STRONGER.length()) : text;
        return Arrays.stream(WallKind.values())
                .filter(kind -> kind.word().equals(word))
                .findFirst()
                .map(kind -> new WallDemand(kind, orStronger))
                .orElseThrow(() -> new IllegalArgumentException("must be one of " + FORMS));
    }

    /** Whether a wall of that kind will do. */
    public boolean isMetBy(WallKind offered) {
        return orStronger ? offered.compareTo(kind) >= 0 : offered == kind;
    }

    /**
     * What meets this demand and that one, of which {@code null} asks for nothing.
     *
     * @throws IllegalArgumentException if nothing meets both
     */
    public WallDemand and(@Nullable WallDemand other) {
        if (other == null) {
            return this;
        }
        WallDemand stronger = kind.compareTo(other.kind) >= 0 ? this : other;
        WallDemand weaker = stronger.equals(this) ? other : this;
        if (!weaker.isMetBy(stronger.kind)) {
            throw new IllegalArgumentException(this + " and " + other + " exclude each other");
        }
        return new WallDemand(stronger.kind, orStronger && other.orStronger);
    }

    /** The weakest of these kinds that will do; null for none. */
    public @Nullable WallKind choose(List<WallKind> offered) {
        return offered.stream()
                .filter(this::isMetBy)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    @Override
    public String toString() {
        return (orStronger ? OR_STRONGER : "") + kind.word();
    }
}
