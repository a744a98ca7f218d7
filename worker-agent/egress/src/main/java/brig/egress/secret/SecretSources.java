package brig.egress.secret;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.egress.policy.EgressPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads values of secrets from the sources in a policy. Blocks; thread-safe.
 *
 * <p>Decision 0052.
 */
public final class SecretSources {
    private static final Logger LOG = LoggerFactory.getLogger(SecretSources.class);
    private static final int VALUE_BYTES_MAX = 16 * 1024;
    /** A shorter value would match too much in answers. */
    private static final int VALUE_LENGTH_MIN = 8;

    private static final long COMMAND_MS = 10_000;

    /** Gives the current token of a login. */
    public interface Tokens {
        /** @throws IOException saying why there is none, without it */
        String token(Path login) throws IOException;
    }

    private final Map<String, String> environment;
    private final Tokens tokens;
    private final SystemdCredentials credentials;
    /** The last fault of each secret, so that it is logged once and not each second. */
    private final Map<String, String> faults = new ConcurrentHashMap<>();

    public SecretSources(Map<String, String> environment, Tokens tokens) {
        this.environment = Map.copyOf(environment);
        this.tokens = tokens;
        this.credentials = new SystemdCredentials(this.environment);
    }

    /** Why that secret had no value when it was last read; null if it had one. */
    public @Nullable String fault(String name) {
        String fault = faults.get(name);
        return fault == null || fault.isEmpty() ? null : fault;
    }

    /** The value of that secret; null, with a log line, if it is unavailable. */
    public @Nullable String read(String name, EgressPolicy.Secret secret) {
        try {
            String text = text(name, secret);
            String fault = text == null ? "its source has no value" : faultOf(text);
            say(name, fault == null ? "" : fault);
            return fault == null ? text : null;
        } catch (IOException e) {
            // The exception's text names the file or program, never its content.
            say(name, secret.login().isEmpty() ? e.toString() : String.valueOf(e.getMessage()));
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private void say(String name, String fault) {
        if (!fault.equals(faults.put(name, fault)) && !fault.isEmpty()) {
            LOG.warn("the secret {} cannot be used: {}", name, fault);
        }
    }

    private @Nullable String text(String name, EgressPolicy.Secret secret) throws IOException, InterruptedException {
        if (!secret.file().isEmpty()) {
            try (InputStream in = Files.newInputStream(Path.of(secret.file()))) {
                return firstLine(in);
            }
        }
        if (!secret.command().isEmpty()) {
            return output(secret);
        }
        if (!secret.credential().isEmpty()) {
            return credentials.read(secret.credential());
        }
        if (!secret.login().isEmpty()) {
            return tokens.token(Path.of(secret.login()));
        }
        return environment.get(secret.envVar().isEmpty() ? name : secret.envVar());
    }

    private static @Nullable String output(EgressPolicy.Secret secret) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(secret.command())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            process.getOutputStream().close();
            Thread watch = Thread.ofVirtual().start(() -> {
                try {
                    if (!process.waitFor(COMMAND_MS, TimeUnit.MILLISECONDS)) {
                        process.destroyForcibly();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            String line = firstLine(process.getInputStream());
            watch.join();
            int status = process.waitFor();
            if (status != 0) {
                throw new IOException(secret.command().getFirst() + " ended with status " + status);
            }
            return line;
        } finally {
            process.destroyForcibly();
        }
    }

    private static @Nullable String firstLine(InputStream in) throws IOException {
        return new String(in.readNBytes(VALUE_BYTES_MAX + 2), UTF_8)
                .lines()
                .findFirst()
                .orElse(null);
    }

    /** Why that value cannot be used, without it; null if it can. */
    public static @Nullable String faultOf(String value) {
        if (value.length() < VALUE_LENGTH_MIN || value.length() > VALUE_BYTES_MAX) {
            return "it must have " + VALUE_LENGTH_MIN + " to " + VALUE_BYTES_MAX + " characters";
        }
        return value.chars().allMatch(c -> c >= ' ' && c < 0x7f) ? null : "it must be printable ASCII";
    }
}
