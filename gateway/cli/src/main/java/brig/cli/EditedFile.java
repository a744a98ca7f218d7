package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.record.WriteNull;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A user's JSON file that Brig edits: changes are shown first, and can be undone. */
final class EditedFile {
    private static final Separators SEPARATORS =
            Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER);

    private final Path file;
    private final boolean existed;
    private final String before;
    private final JsonText json;
    private final List<Change> changes = new ArrayList<>();

    /** A changed member: its new text, and the text that it replaced; null for none. */
    record Change(List<String> path, @WriteNull @Nullable String before, String after) {}

    /** @param empty the content of a file that does not exist yet */
    private EditedFile(Path file, String empty) {
        this.file = file;
        this.existed = Files.exists(file);
        try {
            this.before = existed ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "cannot read " + file + ": " + Reason.of(e));
        }
        try {
            this.json = new JsonText(existed ? before : empty);
        } catch (BrigException e) {
            throw new BrigException(e.code(), file + ": " + e.getMessage());
        }
    }

    /** @throws BrigException naming the file if it cannot be read */
    static EditedFile open(Path file, String empty) {
        return new EditedFile(file, empty);
    }

    Path file() {
        return file;
    }

    /** The current content. */
    JsonObject json() {
        return JsonObject.readCommented(json.text());
    }

    void put(List<String> path, JsonObject value) {
        putText(path, pretty(value));
    }

    void putTexts(List<String> path, List<String> values) {
        String whole = new String(Json.write(JsonObject.EMPTY.with("list", values)), StandardCharsets.UTF_8);
        putText(path, whole.substring("{\"list\":".length(), whole.length() - 1));
    }

    private void putText(List<String> path, String value) {
        String there = json.get(path);
        json.put(path, value);
        String after = Objects.requireNonNull(json.get(path));
        if (!after.equals(there)) {
            changes.add(new Change(path, there, after));
        }
    }

    /**
     * Undoes changes, the last first, except those that were edited since.
     *
     * @return the changes not undone
     */
    List<Change> undo(List<Change> done) {
        List<Change> kept = new ArrayList<>();
        for (Change change : done.reversed()) {
            String there = json.get(change.path());
            if (there == null || !there.equals(change.after())) {
                kept.add(change);
            } else if (change.before() != null) {
                json.put(change.path(), change.before());
            } else {
                json.remove(change.path());
                removeEmpty(change.path().subList(0, change.path().size() - 1));
            }
        }
        return kept;
    }

    private void removeEmpty(List<String> path) {
        if (!path.isEmpty() && json.isEmpty(path)) {
            json.remove(path);
            removeEmpty(path.subList(0, path.size() - 1));
        }
    }

    List<Change> changes() {
        return changes;
    }

    /** The change as {@code diff} shows it; empty for none. */
    String diff() {
        if (json.text().equals(before)) {
            return "";
        }
        try {
            Path old = Files.writeString(Files.createTempFile("brig-", ".old"), before);
            Path fresh = Files.writeString(Files.createTempFile("brig-", ".new"), json.text());
            Process diff = new ProcessBuilder(
                            "diff",
                            "-u",
                            "--label",
                            existed ? file.toString() : "/dev/null",
                            "--label",
                            file.toString(),
                            old.toString(),
                            fresh.toString())
                    .redirectErrorStream(true)
                    .start();
            try (InputStream said = diff.getInputStream()) {
                return new String(said.readAllBytes(), StandardCharsets.UTF_8);
            } finally {
                Files.delete(old);
                Files.delete(fresh);
            }
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, "cannot show the change of " + file + ": " + Reason.of(e));
        }
    }

    /** Writes it atomically; deletes a file that Brig created and that has no other content left. */
    void write(boolean made) {
        try {
            if (made && Set.of("$schema").containsAll(json().names())) {
                Files.deleteIfExists(file);
            } else if (!json.text().equals(before)) {
                Files.createDirectories(file.toAbsolutePath().getParent());
                Files.writeString(file, json.text());
            }
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "cannot write " + file + ": " + Reason.of(e));
        }
    }

    boolean existed() {
        return existed;
    }

    /** The value as people lay it out. */
    static String pretty(JsonObject value) {
        StringWriter text = new StringWriter();
        JsonFactory factory = new JsonFactory();
        try (JsonParser parser = factory.createParser(Json.write(value));
                JsonGenerator generator = factory.createGenerator(text)) {
            generator.setPrettyPrinter(new DefaultPrettyPrinter(SEPARATORS));
            while (parser.nextToken() != null) {
                generator.copyCurrentEvent(parser);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return text.toString();
    }
}
