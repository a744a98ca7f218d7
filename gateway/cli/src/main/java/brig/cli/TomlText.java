package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The text of a TOML file that people edit: tables are added at its end and removed, and everything else stays. A path
 * names a table, {@code [mcp_servers.brig]}; its value is the lines below. It reads no more of TOML than where tables
 * begin, and refuses a file in which that is unclear.
 */
final class TomlText implements EditedText {
    private static final Pattern HEADER = Pattern.compile("\\s*\\[\\s*([^\\[\\]]+?)\\s*]\\s*(#.*)?");
    private static final Pattern ANY_HEADER = Pattern.compile("\\s*\\[.*");
    private static final List<String> LONG_QUOTES = List.of("\"\"\"", "'''");

    /** A table: where its header begins, where its lines begin, and where the next table does. */
    private record Table(String name, int from, int bodyAt, int end) {}

    private String text;

    /** @throws BrigException {@code INVALID_FIELD} if a text of several lines does not end */
    TomlText(String text) {
        this.text = text;
        var _ = tables();
    }

    @Override
    public String text() {
        return text;
    }

    private static String name(List<String> path) {
        return String.join(".", path);
    }

    @Override
    public @Nullable String get(List<String> path) {
        Table table = table(path);
        return table == null ? null : text.substring(table.bodyAt, table.end).strip();
    }

    @Override
    public void put(List<String> path, String value) {
        remove(path);
        String before = text.isEmpty() || text.endsWith("\n") ? "" : "\n";
        String gap = text.isEmpty() ? "" : "\n";
        text += before + gap + "[" + name(path) + "]\n" + value + "\n";
    }

    /** With the empty line that {@link #put} sets before it. */
    @Override
    public void remove(List<String> path) {
        Table table = table(path);
        if (table != null) {
            int from = text.startsWith("\n\n", table.from - 2) ? table.from - 1 : table.from;
            text = text.substring(0, from) + text.substring(table.end);
        }
    }

    /** Tables have no parent that could be left empty. */
    @Override
    public boolean isEmpty(List<String> path) {
        return false;
    }

    private @Nullable Table table(List<String> path) {
        requireNoOther(path);
        List<Table> found =
                tables().stream().filter(table -> table.name.equals(name(path))).toList();
        return found.isEmpty() ? null : found.getFirst();
    }

    /** The setting may have other forms, which are not edited here. */
    private void requireNoOther(List<String> path) {
        String last = Pattern.quote(path.getLast());
        String parent = Pattern.quote(name(path.subList(0, path.size() - 1)));
        Pattern inline = Pattern.compile(
                "(?m)^\\s*(" + parent + "\\s*=|" + parent + "\\s*\\.\\s*[\"']?" + last + "[\"']?\\s*[=.])");
        for (Table table : tables()) {
            String body = text.substring(table.bodyAt, table.end);
            boolean isRoot = table.name.isEmpty() && inline.matcher(body).find();
            boolean isParent = table.name.equals(name(path.subList(0, path.size() - 1)))
                    && Pattern.compile("(?m)^\\s*[\"']?" + last + "[\"']?\\s*[=.]")
                            .matcher(body)
                            .find();
            boolean isQuoted = !table.name.equals(name(path))
                    && table.name.replaceAll("[\"'\\s]", "").equals(name(path));
            if (isRoot || isParent || isQuoted) {
                throw new BrigException(
                        ErrorCode.INVALID_FIELD, "it has " + name(path) + " in a form that is not edited here");
            }
        }
    }

    /** All tables, first the lines before any. */
    private List<Table> tables() {
        List<Table> tables = new ArrayList<>();
        String name = "";
        int from = 0;
        int bodyAt = 0;
        String open = null;
        for (int at = 0; at < text.length(); ) {
            int newline = text.indexOf('\n', at);
            int next = newline < 0 ? text.length() : newline + 1;
            String line = text.substring(at, newline < 0 ? next : newline);
            if (open == null && ANY_HEADER.matcher(line).matches() && isHeader(line)) {
                tables.add(new Table(name, from, bodyAt, at));
                Matcher header = HEADER.matcher(line);
                name = header.matches() ? header.group(1) : line.strip();
                from = at;
                bodyAt = next;
            } else {
                open = openAfter(line, open);
            }
            at = next;
        }
        if (open != null) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "a text of several lines does not end");
        }
        tables.add(new Table(name, from, bodyAt, text.length()));
        return tables;
    }

    /** A line of an array may begin with a bracket too; then it ends with a comma, or has no single pair. */
    private static boolean isHeader(String line) {
        return line.strip().matches("\\[\\[?[^\\[\\],]+]]?\\s*(#.*)?");
    }

    /** The quotes of the text that is open at the end of a line; null for none. */
    private static @Nullable String openAfter(String line, @Nullable String before) {
        String open = before;
        for (int at = 0; at < line.length(); at++) {
            if (open != null) {
                if (open.equals("\"\"\"") && line.charAt(at) == '\\') {
                    at++;
                } else if (line.startsWith(open, at)) {
                    at += open.length() - 1;
                    open = null;
                }
                continue;
            }
            int here = at;
            String found = LONG_QUOTES.stream()
                    .filter(quotes -> line.startsWith(quotes, here))
                    .findFirst()
                    .orElse(null);
            if (found != null) {
                open = found;
                at += found.length() - 1;
            } else if (line.charAt(at) == '"' || line.charAt(at) == '\'') {
                at = endOfText(line, at);
            } else if (line.charAt(at) == '#') {
                return null;
            }
        }
        return open;
    }

    private static int endOfText(String line, int from) {
        char quote = line.charAt(from);
        for (int at = from + 1; at < line.length(); at++) {
            if (quote == '"' && line.charAt(at) == '\\') {
                at++;
            } else if (line.charAt(at) == quote) {
                return at;
            }
        }
        return line.length();
    }
}
