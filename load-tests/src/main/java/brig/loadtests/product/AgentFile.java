package brig.loadtests.product;

import brig.protocol.json.Json;
import brig.protocol.record.CamelCase;
import brig.protocol.record.OmitEmpty;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An agent profile of a test, with the keys of {@code config/agents}; null means the default.
 *
 * @param asModel whether it is offered to clients of OpenAI's API
 * @param install where its program is
 */
@CamelCase
public record AgentFile(
        String description,
        List<String> command,
        @Nullable String process,
        @Nullable String stdin,
        @OmitEmpty boolean asModel,
        @Nullable Install install,
        @Nullable String adapter) {
    /**
     * A program that is shown to the wall; the command names it {@code {program}}.
     *
     * @param npm its package; "" for none
     * @param programs below the folder of the product
     */
    public record Install(String npm, List<String> programs) {}

    /** A program started once per spawn, which gets messages on its standard input. */
    public static AgentFile spawned(String description, List<String> command, String stdin) {
        return new AgentFile(description, command, "spawn", stdin, false, null, null);
    }

    /** A program of the load tests, started once per spawn. */
    public static AgentFile installed(String description, List<String> command, String program) {
        return new AgentFile(description, command, "spawn", "null", false, new Install("", List.of(program)), null);
    }

    /** A program of the load tests that speaks an agent's native format. */
    public static AgentFile speaking(String adapter, String description, List<String> command, String program) {
        return new AgentFile(description, command, "spawn", "lines", false, new Install("", List.of(program)), adapter);
    }

    /** A program started for each message. */
    public static AgentFile perMessage(String description, List<String> command) {
        return new AgentFile(description, command, null, null, false, null, null);
    }

    /** Writes it under that name. */
    public void write(Path folder, String name) throws IOException {
        Files.write(folder.resolve(name + ".json"), Json.write(this));
    }
}
