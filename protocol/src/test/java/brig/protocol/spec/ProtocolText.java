package brig.protocol.spec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** PROTOCOL.md, and what stands in it for machines: lines of JSON in blocks that name their schema. */
final class ProtocolText {
    /** A line of JSON and the schema that it must be valid against. */
    record Example(String schema, String json) {}

    private static final Pattern BLOCK =
            Pattern.compile("^```json (\\w+)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern EVENT = Pattern.compile("^data: (.*)$", Pattern.MULTILINE);

    private ProtocolText() {}

    static String read() {
        try {
            return Files.readString(Path.of("PROTOCOL.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Example> examples() {
        List<Example> examples = new ArrayList<>();
        Matcher block = BLOCK.matcher(read());
        while (block.find()) {
            block.group(2).lines().forEach(line -> examples.add(new Example(block.group(1), line)));
        }
        Matcher event = EVENT.matcher(read());
        while (event.find()) {
            examples.add(new Example(event.group(1).contains("\"seq\"") ? "frame" : "connection", event.group(1)));
        }
        return examples;
    }
}
