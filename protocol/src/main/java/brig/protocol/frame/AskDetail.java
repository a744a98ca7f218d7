package brig.protocol.frame;

import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The detail of an ask as text for a person: a change of files as a diff, everything else field by field. An agent wrote
 * it, so it may have any form.
 */
public final class AskDetail {
    private static final String REMOVED = "-";
    private static final String ADDED = "+";

    /** @param kind null for a change within the file */
    private record FileChange(
            String path, @Nullable String kind, @Nullable String movedTo, List<String> lines) {
        Stream<String> text() {
            String what = (kind == null ? "" : " (" + kind + ")") + (movedTo == null ? "" : " -> " + movedTo);
            return Stream.concat(Stream.of(path + what), lines.stream());
        }

        String brief() {
            return path + " +" + count(ADDED) + " -" + count(REMOVED);
        }

        private long count(String sign) {
            return lines.stream().filter(line -> line.startsWith(sign)).count();
        }
    }

    private AskDetail() {}

    /** The changes of files that it is about; empty if it is about something else. */
    public static List<String> diff(@Nullable Object detail) {
        return changes(detail).stream().flatMap(FileChange::text).toList();
    }

    /** All of it. */
    public static List<String> lines(@Nullable Object detail) {
        List<String> lines = new ArrayList<>(diff(detail));
        if (!lines.isEmpty()) {
            return lines;
        }
        if (detail instanceof JsonObject object) {
            object.names()
                    .forEach(name ->
                            (name + ": " + brief(object.value(name))).lines().forEach(lines::add));
        } else {
            brief(detail).lines().forEach(lines::add);
        }
        return lines;
    }

    /** The gist of it, for one line. */
    public static String brief(@Nullable Object detail) {
        List<FileChange> changes = changes(detail);
        if (!changes.isEmpty()) {
            return changes.stream().map(FileChange::brief).collect(Collectors.joining(", "));
        }
        return switch (detail) {
            case null -> "";
            case String text -> text;
            case List<?> words -> words.stream().map(String::valueOf).collect(Collectors.joining(" "));
            case JsonObject object ->
                object.names().stream()
                        .map(name -> name + ": " + brief(object.value(name)))
                        .collect(Collectors.joining(", "));
            default -> String.valueOf(detail);
        };
    }

    /** The changes of files; none if the detail is about something else, or has more than them. */
    private static List<FileChange> changes(@Nullable Object detail) {
        if (!(detail instanceof JsonObject object)) {
            return List.of();
        }
        List<JsonObject> all = object.objects("changes");
        boolean known = object.names().size() == 1
                && all.size() == object.elements("changes").size()
                && all.stream().allMatch(one -> one.text("path") != null && one.text("diff") != null);
        return known ? all.stream().map(AskDetail::change).toList() : List.of();
    }

    /** A change as Codex tells it. A new or deleted file comes as its content, without signs. */
    private static FileChange change(JsonObject told) {
        JsonObject kind = told.object("kind");
        String type = kind.text("type", "update");
        String sign = switch (type) {
            case "add" -> ADDED;
            case "delete" -> REMOVED;
            default -> "";
        };
        return new FileChange(
                told.text("path", ""),
                sign.isEmpty() ? null : type,
                kind.text("move_path"),
                told.text("diff", "").lines().map(line -> sign + line).toList());
    }
}
