package brig.protocol.api;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox that a provider has now.
 *
 * @param name at the provider
 * @param provider its name in the settings
 * @param spawnId whose it is; null if no session of this gateway has it
 * @param state as the provider says it: {@code pending}, {@code running} or {@code paused}
 * @param createdMs in milliseconds since 1970; 0 if the provider does not say
 * @param dollarsPerHour as the settings have it; 0 if they do not
 * @param dollars what it has cost so far
 * @param due whether it should be gone: its session has ended, or no session is known
 * @param foreign whether it is none of this gateway's, which never touches it
 * @param trouble why it is still there, or not in reach; null for nothing
 * @param settle the command that ends it; null if nothing is to be done
 */
@Extensible
public record SandboxView(
        String name,
        String provider,
        @Nullable String spawnId,
        String state,
        @OmitEmpty long createdMs,
        @OmitEmpty double dollarsPerHour,
        @OmitEmpty double dollars,
        @OmitEmpty boolean due,
        @OmitEmpty boolean foreign,
        @Nullable String trouble,
        @Nullable String settle) {
    /**
     * The sandboxes of all providers.
     *
     * @param unanswered providers that could not be asked; what they showed last is in the list
     */
    @Extensible
    public record SandboxList(
            List<SandboxView> sandboxes, @OmitEmpty List<String> unanswered) {}
}
