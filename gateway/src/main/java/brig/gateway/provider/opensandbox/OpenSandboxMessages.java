package brig.gateway.provider.opensandbox;

import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.Sandbox;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Foreign;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What is said to OpenSandbox and its execd, and what they say. */
final class OpenSandboxMessages {
    /** Before each label of Brig in the metadata. */
    static final String LABEL = "brig.";

    static final String NAME = LABEL + "name";
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    private OpenSandboxMessages() {}

    @CamelCase
    record Create(
            Image image,
            List<String> entrypoint,
            long timeout,
            Map<String, String> resourceLimits,
            Map<String, String> metadata,
            @Nullable NetworkPolicy networkPolicy) {}

    record Image(String uri) {}

    @CamelCase
    record NetworkPolicy(String defaultAction, List<Rule> egress) {}

    record Rule(String action, String target) {}

    @Foreign
    record Status(@Nullable String state) {}

    @Foreign
    @CamelCase
    record Shown(
            @Nullable String id,
            Status status,
            Map<String, String> metadata,
            @Nullable String createdAt) {
        /** @throws ProviderFailure if it has no id that can be used */
        Sandbox toSandbox() {
            if (id == null || !ID.matcher(id).matches()) {
                throw new ProviderFailure(ProviderFailure.Kind.LOST, "an answer has no usable id of a sandbox");
            }
            Map<String, String> labels = new LinkedHashMap<>();
            metadata.forEach((key, value) -> {
                if (key.startsWith(LABEL) && !key.equals(NAME)) {
                    labels.put(key.substring(LABEL.length()), value);
                }
            });
            return new Sandbox(metadata.getOrDefault(NAME, id), id, state(), createdMs(), labels);
        }

        /** Whether it is not on its way to another state. */
        boolean isSteady() {
            return status.state() == null || !status.state().endsWith("ing") || "Running".equals(status.state());
        }

        private Sandbox.State state() {
            return switch (status.state() == null ? "" : status.state()) {
                case "Pending", "Resuming" -> Sandbox.State.PENDING;
                case "Pausing", "Paused" -> Sandbox.State.PAUSED;
                case "Stopping", "Terminated", "Failed" -> Sandbox.State.GONE;
                // What is not known is not taken for gone: it may cost something.
                default -> Sandbox.State.RUNNING;
            };
        }

        private long createdMs() {
            try {
                return createdAt == null
                        ? 0
                        : OffsetDateTime.parse(createdAt).toInstant().toEpochMilli();
            } catch (DateTimeException e) {
                return 0;
            }
        }
    }

    @Foreign
    record Page(List<Shown> items, Pagination pagination) {}

    @Foreign
    @CamelCase
    record Pagination(boolean hasNextPage) {}

    @Foreign
    record EndpointAnswer(@Nullable String endpoint, Map<String, String> headers) {}

    /** A line for a shell. */
    record Command(
            String command,
            String cwd,
            @Nullable Integer uid,
            @Nullable Integer gid,
            Map<String, String> envs) {}

    record Upload(String path, int mode) {}

    @Foreign
    record Event(@Nullable String type, @Nullable String text, Failure error) {}

    /** @param evalue the exit code, where a command ended with one */
    @Foreign
    record Failure(@Nullable String ename, @Nullable String evalue) {}
}
