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

    @Option(names = "--model", description = "For agents whose profile has a place for it.")
    private @Nullable String model;

    /** The message of the command line; null where there is none. */
    @Nullable String message() {
        return message.isEmpty() ? null : String.join(" ", message);
    }

    String agent() {
        return agent;
    }

    Map<String, ?> request(@Nullable String prompt, boolean once) {
        String folder = workspace == null ? null : workspace.toAbsolutePath().normalize().toString();
        Map<String, @Nullable Object> request = new LinkedHashMap<>();
        request.put("action", "spawn");
        request.putAll(new SpawnRequest(taskId, folder, agent, model, List.of(), null, prompt, once).toMap());
        return request;
    }
}
