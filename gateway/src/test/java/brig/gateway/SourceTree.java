package brig.gateway;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The project as it is checked out, without what the build makes. */
final class SourceTree {
    /** The top folder, seen from where the tests run. */
    static final Path ROOT = Files.exists(Path.of("docs")) ? Path.of("") : Path.of("..");

    private static final Set<String> MADE = Set.of("build", "node_modules");

    private SourceTree() {}

    /** The files of all modules, nested ones too, whose name ends like that, relative to the top folder. */
    static List<Path> files(String suffix) throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = String.valueOf(folder.getFileName());
                boolean skipped = !folder.equals(ROOT) && (MADE.contains(name) || name.startsWith("."));
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(suffix)) {
                    files.add(ROOT.relativize(file));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }
}
