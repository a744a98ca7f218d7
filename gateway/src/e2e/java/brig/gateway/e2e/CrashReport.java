package brig.gateway.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The findings of {@link CrashMatrixTest} and {@link RemoteCrashTest}, each as a text and a page. */
final class CrashReport {
    private static final List<String> HEAD =
            List.of("step", "killed", "final state", "exit", "workers left", "frames lost");

    private CrashReport() {}

    static void write(String name, List<List<String>> rows) throws IOException {
        List<List<String>> all = new ArrayList<>(List.of(HEAD));
        all.addAll(rows);
        int[] widths = new int[HEAD.size()];
        all.forEach(row -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        StringBuilder text = new StringBuilder();
        for (List<String> row : all) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        System.out.print(text);
        Path folder = Files.createDirectories(Path.of("build/reports"));
        Files.writeString(folder.resolve(name + ".txt"), text.toString());
        Files.writeString(
                folder.resolve(name + ".html"),
                "<!DOCTYPE html><meta charset=utf-8><title>Crash matrix</title>"
                        + "<style>body{font:14px system-ui;margin:2em}td,th{padding:.3em .8em;text-align:left;"
                        + "border-bottom:1px solid #ccc}</style><h1>Crash matrix</h1><table>"
                        + row("th", HEAD)
                        + rows.stream().map(row -> row("td", row)).collect(Collectors.joining()) + "</table>\n");
    }

    private static String row(String tag, List<String> cells) {
        return cells.stream()
                .map(cell -> "<" + tag + ">" + cell.replace("&", "&amp;").replace("<", "&lt;"))
                .collect(Collectors.joining("", "<tr>", ""));
    }
}
