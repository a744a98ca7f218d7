package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The program that {@code clients/java/README.md} shows, compiled and run. */
@Timeout(120)
@Tag("slow")
class JavaClientExampleTest {
    private static final String BEGIN = "```java\n";

    @Test
    void shouldRunAsItStands() throws IOException {
        String page = Files.readString(Path.of(System.getProperty("brig.clients", ""), "java/README.md"));
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        try (Product product = Product.start()) {
            Path source = Files.writeString(
                    product.folder().resolve("Example.java"), page.substring(begin, page.indexOf("```", begin)));
            Run run = Run.of(
                    List.of(
                            System.getProperty("java.home") + "/bin/java",
                            "-cp",
                            ClientProgram.classes(),
                            source.toString(),
                            product.spawner().toString()),
                    "",
                    product.folder());
            assertEquals("hello\nand goodbye\n", run.out(), run::err);
        }
    }
}
