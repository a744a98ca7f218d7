package brig.workeragent.login;

import brig.protocol.login.Login;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The current token of each login. One that ends soon is renewed, by one caller for all, and is on the disk before anybody
 * uses it: a refresh token is good once. Blocks; thread-safe.
 *
 * <p>Decision 0193.
 */
public final class Logins {
    /** How long before its end a token is renewed. Requests that are on their way still have a good one. */
    static final long AHEAD_MS = 5 * 60_000;
    /** After a failed renewal, and how long a refusal may be of the token before the last renewal. */
    static final long PAUSE_MS = 30_000;

    private static final Logger LOG = LoggerFactory.getLogger(Logins.class);

    private final TokenEndpoint endpoint;
    private final Clock clock;
    private final Credentials credentials;
    private final Map<Path, State> states = new ConcurrentHashMap<>();

    /** What is known of one login. Its fields are guarded by its lock. */
    private static final class State {
        final ReentrantLock lock = new ReentrantLock();
        long renewedAtMs = Long.MIN_VALUE / 2;
        /** When nobody could tell whether a renewal was done. */
        long failedAtMs = Long.MIN_VALUE / 2;
        /** A token that a vendor refused before its end, and when. */
        @Nullable
        String refused;

        long refusedAtMs;
        /** New tokens that could not be written yet: the ones on the disk are used up. */
        @Nullable
        Login unwritten;
    }

    /** Gives credentials of this service. */
    public interface Credentials {
        /** @throws IOException saying why there is none */
        String read(String name) throws IOException;
    }

    public Logins(Clock clock, Credentials credentials) {
        this(new HttpTokenEndpoint(clock), clock, credentials);
    }

    Logins(TokenEndpoint endpoint, Clock clock, Credentials credentials) {
        this.credentials = credentials;
        this.endpoint = endpoint;
        this.clock = clock;
    }

    /**
     * The access token that requests carry now.
     *
     * @param file a login
     * @throws IOException saying what a person can do, if there is none
     */
    public String token(Path file) throws IOException {
        State state = stateOf(file);
        Login login = read(file);
        if (isGood(login, state)) {
            return login.accessToken();
        }
        state.lock.lock();
        try {
            writeLate(file, state);
            login = read(file);
            if (!isGood(login, state) && login.isRenewable() && clock.millis() - state.failedAtMs >= PAUSE_MS) {
                login = renewAlone(file, login, state);
            }
            requireUsable(login, state);
        } finally {
            state.lock.unlock();
        }
        return login.accessToken();
    }

    /**
     * A request with this login was refused. Its token is renewed at the next {@link #token}; one that cannot be is not
     * used for a while. Does not block.
     */
    public void handleRefused(Path file) {
        State state = stateOf(file);
        if (!state.lock.tryLock()) {
            // It is being renewed.
            return;
        }
        try {
            // Soon after a renewal it may have been one with the token before.
            if (clock.millis() - state.renewedAtMs >= PAUSE_MS) {
                state.refused = read(file).accessToken();
                state.refusedAtMs = clock.millis();
            }
        } catch (IOException e) {
            LOG.debug("a refused login cannot be read: {}", e.toString());
        } finally {
            state.lock.unlock();
        }
    }

    /** A person says that a token which was refused may be good now. Does not block. */
    public void forgive(Path file) {
        State state = stateOf(file);
        if (state.lock.tryLock()) {
            state.refused = null;
            state.lock.unlock();
        }
    }

    private State stateOf(Path file) {
        return states.computeIfAbsent(file, any -> new State());
    }

    private Login read(Path file) throws IOException {
        Login login = Login.read(file);
        if (login.refusal() != null) {
            throw refusedBecause(login.refusal());
        }
        if (login.credential() != null) {
            return login.withToken(credentials.read(login.credential()));
        }
        return login;
    }

    private static IOException refusedBecause(String why) {
        return new IOException("the vendor refuses this login (" + why + "): sign in anew with brig login");
    }

    private boolean isGood(Login login, State state) {
        boolean lasts = login.expiresAtMs() == 0 || login.expiresAtMs() - clock.millis() > AHEAD_MS;
        return lasts && !login.accessToken().equals(state.refused);
    }

    private void requireUsable(Login login, State state) throws IOException {
        if (!login.isRenewable() && login.accessToken().equals(state.refused)) {
            if (clock.millis() - state.refusedAtMs < PAUSE_MS) {
                throw refusedBecause("status 401");
            }
            state.refused = null;
        }
        if (login.expiresAtMs() != 0 && login.expiresAtMs() <= clock.millis()) {
            throw new IOException(
                    login.isRenewable()
                            ? "its token has ended, and the vendor could not be asked for a new one"
                            : "its token has ended: sign in anew with brig login");
        }
    }

    /** Other worker-agents of this user may have the same login. */
    private Login renewAlone(Path file, Login login, State state) throws IOException {
        Path lockFile = file.resolveSibling("." + file.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(
                        lockFile,
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                FileLock _ = channel.lock()) {
            Login now = read(file);
            return now.accessToken().equals(login.accessToken()) ? renew(file, now, state) : now;
        }
    }

    private Login renew(Path file, Login login, State state) throws IOException {
        Login theirs = newerIn(login);
        if (theirs != null) {
            LOG.info("the vendor's program has renewed the login {}", file.getFileName());
            theirs.write(file);
            return theirs;
        }
        TokenEndpoint.Answer answer;
        try {
            answer = endpoint.renew(login);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return login;
        } catch (IOException e) {
            state.failedAtMs = clock.millis();
            LOG.warn("the login {} could not be renewed; it is tried again: {}", file.getFileName(), e.toString());
            return login;
        }
        return switch (answer) {
            case TokenEndpoint.Renewed renewed -> {
                state.renewedAtMs = clock.millis();
                state.unwritten = login.with(renewed.tokens());
                writeLate(file, state);
                yield login.with(renewed.tokens());
            }
            case TokenEndpoint.Refused refused -> refuse(file, login, refused.why());
        };
    }

    private void writeLate(Path file, State state) throws IOException {
        Login fresh = state.unwritten;
        if (fresh == null) {
            return;
        }
        Login old = Login.read(file);
        fresh.write(file);
        state.unwritten = null;
        LOG.info("renewed the login {}", file.getFileName());
        if (fresh.from() != null) {
            try {
                fresh.vendor().replace(Path.of(fresh.from()), old.tokens(), fresh.tokens(), clock.instant());
            } catch (IOException e) {
                LOG.warn(
                        "the vendor's program must sign in anew: {} keeps the old tokens: {}",
                        fresh.from(),
                        e.toString());
            }
        }
    }

    /** The vendor's program may have used the refresh token meanwhile. */
    private Login refuse(Path file, Login login, String why) throws IOException {
        Login theirs = newerIn(login);
        Login known = theirs == null ? login.refused(why) : theirs;
        known.write(file);
        if (theirs == null) {
            throw refusedBecause(why);
        }
        return theirs;
    }

    /** The login with the tokens of the vendor's own file, if that has others that last longer. */
    private @Nullable Login newerIn(Login login) {
        if (login.from() == null || !Files.isRegularFile(Path.of(login.from()))) {
            return null;
        }
        try {
            Login.Tokens there = login.vendor().read(Path.of(login.from()));
            return there != null
                            && !there.accessToken().equals(login.accessToken())
                            && there.expiresAtMs() > Math.max(login.expiresAtMs(), clock.millis())
                    ? login.with(there)
                    : null;
        } catch (IOException e) {
            LOG.debug("the vendor's file cannot be read: {}", e.toString());
            return null;
        }
    }
}
