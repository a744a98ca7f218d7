package brig.protocol.frame;

import brig.protocol.BrigException;
import brig.protocol.Limits;
import brig.protocol.StreamPosition;
import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.OrWord;
import brig.protocol.record.Range;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The options of a connection that reads a session. An invalid field is refused with {@code INVALID_FIELD}.
 *
 * @param from the number of the first frame wanted; 0 for the beginning, {@link StreamPosition#SCREEN} for the newest checkpoint
 *     of a terminal
 * @param role {@code watcher} reduces the token's rights; {@code captain} or null keeps them
 * @param presence whether to report who is connected
 * @param client the name of the program, for the {@code via} of its messages
 * @param agent the agent whose frames are wanted; null for all
 * @param maxLatencyMs how long text may wait to be merged, in milliseconds; 0 for frames as they are
 */
@Extensible
public record AttachOptions(
        @OmitEmpty @OrWord("screen") @Range(min = 1, max = Limits.SEQ_MAX)
        long from,

        @Nullable String role,
        @OmitEmpty boolean presence,
        @Nullable String client,
        @Nullable String agent,
        @OmitEmpty @Range(max = Limits.LATENCY_MS_MAX) long maxLatencyMs) {
    /** All rights of the token, from the beginning on. */
    public static final AttachOptions NONE = new AttachOptions(0, null, false, null, null, 0);

    private static final String WATCHER = "watcher";
    private static final Pattern CLIENT = Pattern.compile("[a-z][a-z0-9-]{0,31}");

    public AttachOptions {
        if (role != null && !role.equals("captain") && !role.equals(WATCHER)) {
            throw BrigException.invalid("role", "must be \"captain\" or \"watcher\"");
        }
        requireClient(client);
    }

    /** Read-only, from that frame on. */
    public static AttachOptions toWatch(long from) {
        return new AttachOptions(from, WATCHER, false, null, null, 0);
    }

    public boolean watchOnly() {
        return WATCHER.equals(role);
    }

    /** @throws brig.protocol.BrigException {@code INVALID_FIELD} for an invalid program name */
    public static void requireClient(@Nullable String client) {
        if (client != null && !CLIENT.matcher(client).matches()) {
            throw BrigException.invalid("client", "must match " + CLIENT);
        }
    }
}
