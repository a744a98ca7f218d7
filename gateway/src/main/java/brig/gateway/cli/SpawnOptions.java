package brig.gateway.cli;

import brig.protocol.SpawnRequest;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What {@code run} and {@code spawn} have in common. */
final class SpawnOptions {
    @Parameters(index = "0", paramLabel = "AGENT", description = "Name of an agent profile: 'brig agents' lists them.")
    private String agent = "";

    @Parameters(index = "1..*", paramLabel = "MESSAGE", description = "The first message; words are joined by spaces.")
    private List<String> message = List.of();

    @Option(names = "--task-id", paramLabel = "ID", description = "Your name for the session.")
    private @Nullable String taskId;

    @Option(names = {"-w", "--workspace"}, paramLabel = "FOLDER",
            description = "Folder to work in, below one of worker.workspaceBases; by default a new one.")
    private @Nullable Path workspace;

    @Option(names = {"-r", "--repository"}, paramLabel = "FOLDER",
            description = "Work in a worktree of this git repository; 'brig diff' shows what came of it.")
    private @Nullable Path repository;

    @Option(names = "--model", description = "For agents whose profile has a place for it.")
    private @Nullable String model;

    @Option(names = "--policy", paramLabel = "NAME",
            description = "What the wall lets in, instead of the agent's own policy: 'brig agents' lists them.")
    private @Nullable String policy;

    /** The message of the command line; null where there is none. */
    @Nullable String message() {
        return message.isEmpty() ? null : String.join(" ", message);
    }

    String agent() {
        return agent;
    }

    private static @Nullable String absolute(@Nullable Path path) {
        return path == null ? null : path.toAbsolutePath().normalize().toString();
    }

    Map<String, ?> request(@Nullable String prompt, boolean once) {
        Map<String, @Nullable Object> request = new LinkedHashMap<>();
        request.put("action", "spawn");
        request.putAll(new SpawnRequest(taskId, absolute(workspace), agent, model, List.of(), null, prompt, once,
                policy, absolute(repository)).toMap());
        return request;
    }
}
