package brig.egress.secret;

import brig.egress.policy.EgressPolicy;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of one worker's secrets: files at each read, commands at most every five minutes.
 *
 * <p>Decision 0052.
 */
public final class SecretFeed {
    private static final long COMMANDS_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final SecretSources sources;
    private final Map<String, String> commandValues = new TreeMap<>();
    private @Nullable EgressPolicy policyOfCommands;
    private long commandsNanos;

    public SecretFeed(SecretSources sources) {
        this.sources = sources;
    }

    /** The available values by name. Blocks; one call at a time. */
    public synchronized Map<String, String> read(EgressPolicy policy) {
        Map<String, String> values = new TreeMap<>();
        long now = System.nanoTime();
        boolean runs = !policy.equals(policyOfCommands) || now - commandsNanos > COMMANDS_NANOS;
        if (runs) {
            commandValues.clear();
        }
        policy.secrets().forEach((name, secret) -> {
            boolean isCommand = !secret.command().isEmpty();
            String value = isCommand && !runs ? commandValues.get(name) : sources.read(name, secret);
            if (value != null) {
                (isCommand ? commandValues : values).put(name, value);
            }
        });
        values.putAll(commandValues);
        policyOfCommands = policy;
        commandsNanos = runs ? now : commandsNanos;
        return values;
    }
}
