package brig.formats.permission;

import brig.protocol.json.JsonObject;
import brig.protocol.spawn.PermissionMode;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the agent of one session may do, may not do, or must ask for. It also keeps what a person allowed for the whole
 * session. Thread-safe.
 *
 * <p>Decisions 0149, 0150.
 */
public final class Permissions {
    private static final int GRANTS_MAX = 1024;

    /**
     * A tool call that is allowed for the session.
     *
     * @param input the exact arguments
     */
    private record Grant(String name, JsonObject input) {}

    /** @param glob null for all calls of the tool */
    private record Matcher(Rule rule, @Nullable Glob glob) {
        Matcher(Rule rule) {
            this(rule, rule.match() == null ? null : new Glob(rule.match()));
        }

        Verdict verdict(String tool, Subject subject) {
            boolean isEveryTool = rule.tool().equals(Rule.EVERY_TOOL);
            if (!isEveryTool && !tool.isEmpty() && !rule.tool().equals(tool)) {
                return Verdict.OTHER;
            }
            if (!isEveryTool && tool.isEmpty()) {
                return Verdict.UNCLEAR;
            }
            if (glob == null) {
                return Verdict.MATCHES;
            }
            if (subject.kind() == Subject.Kind.UNCLEAR) {
                return Verdict.UNCLEAR;
            }
            if (glob.matches(subject.text())) {
                return Verdict.MATCHES;
            }
            boolean mayBeMeant = subject.hasOtherNames() || glob.isWithin(subject.plainText() + " ");
            return rule.action() != PermissionMode.ALLOW && mayBeMeant ? Verdict.UNCLEAR : Verdict.OTHER;
        }
    }

    private enum Verdict {
        MATCHES,
        OTHER,
        /** Nobody can tell. */
        UNCLEAR
    }

    private final PermissionMode mode;
    private final List<Matcher> rules;
    private final Set<Grant> grants = ConcurrentHashMap.newKeySet();

    /**
     * @param mode for what no rule decides
     * @param rules the first that matches decides
     */
    public Permissions(PermissionMode mode, List<Rule> rules) {
        this.mode = mode;
        this.rules = rules.stream().map(Matcher::new).toList();
    }

    /** What the agent is told at its start. It must ask, unless all calls get the same answer: rules see only what it asks. */
    public PermissionMode toldMode() {
        boolean denyAll = mode == PermissionMode.DENY
                && rules.stream().allMatch(matcher -> matcher.rule().action() == PermissionMode.DENY);
        return rules.isEmpty() || denyAll ? mode : PermissionMode.ASK;
    }

    /**
     * The decision about a tool call: the narrowest of those about each of its commands, files and URLs.
     *
     * @param tool as rules call it; empty if that is not known
     */
    public PermissionMode decide(String tool, @Nullable Object input) {
        return rules.isEmpty()
                ? mode
                : Subject.of(input).stream()
                        .map(subject -> decide(tool, subject))
                        .max(Comparator.naturalOrder())
                        .orElse(mode);
    }

    /** What the first matching rule says; at least a question if an earlier one may have matched. */
    private PermissionMode decide(String tool, Subject subject) {
        PermissionMode widest = PermissionMode.ALLOW;
        for (Matcher matcher : rules) {
            switch (matcher.verdict(tool, subject)) {
                case MATCHES -> {
                    return narrower(widest, matcher.rule().action());
                }
                case UNCLEAR -> widest = PermissionMode.ASK;
                case OTHER -> {}
            }
        }
        return narrower(widest, mode);
    }

    private static PermissionMode narrower(PermissionMode one, PermissionMode other) {
        return one.isWiderThan(other) ? other : one;
    }

    /** Whether a person allowed the same call for the session. */
    public boolean isGranted(String name, @Nullable Object input) {
        return grants.contains(grant(name, input));
    }

    /** From now on the same call of that tool is allowed. */
    public void allowForSession(String name, @Nullable Object input) {
        if (grants.size() < GRANTS_MAX) {
            grants.add(grant(name, input));
        }
    }

    private static Grant grant(String name, @Nullable Object input) {
        return new Grant(name, JsonObject.EMPTY.with("input", input));
    }
}
