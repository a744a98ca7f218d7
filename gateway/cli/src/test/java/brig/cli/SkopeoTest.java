package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.project.ImageReference;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A script takes skopeo's place; ImagePullTest has the real one. */
class SkopeoTest {
    private static final long BYTES_MAX = 1 << 20;
    private static final long LONG_MS = 600_000;
    /** Of "manifest". */
    private static final String DIGEST = "sha256:05b3abf2579a5eb66403cd78be557fd860633a1fe2103c7642030defe32c657f";

    private static final String MAKES_A_LAYOUT = """
            for last do :; done
            layout=${last#oci:}; layout=${layout%:image}
            mkdir -m 700 "$layout" && echo x > "$layout/blob" && chmod 600 "$layout/blob"
            """;

    @TempDir
    private Path folder;

    private Path work;

    @BeforeEach
    void makeFolder() throws IOException {
        work = Files.createDirectory(folder.resolve("work"));
    }

    private Skopeo skopeo(String script, long timeoutMs) throws IOException {
        Path program = Files.writeString(folder.resolve("skopeo"), """
                #!/bin/bash
                echo "$@" >> %s/called
                %s
                """.formatted(folder, script));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return new Skopeo(program.toString(), BYTES_MAX, timeoutMs);
    }

    private String refusal(String script, long timeoutMs) throws IOException {
        Skopeo skopeo = skopeo(script, timeoutMs);
        BrigException refused =
                assertThrows(BrigException.class, () -> skopeo.fetch(ImageReference.parse("debian:12"), work));
        assertEquals(ErrorCode.INVALID_IMAGE, refused.code());
        return refused.getMessage();
    }

    @Test
    void shouldFetchByTheDigestThatTheTagHasNow() throws IOException {
        Skopeo.Fetched fetched = skopeo("[ $3 = inspect ] && printf manifest && exit\n" + MAKES_A_LAYOUT, LONG_MS)
                .fetch(ImageReference.parse("debian:12"), work);
        assertEquals("docker://debian@" + DIGEST, fetched.source().forSkopeo());
        assertEquals(
                "--tmpdir " + work + " inspect --raw docker://debian:12\n--tmpdir " + work
                        + " copy --quiet docker://debian@" + DIGEST + " oci:" + work + "/layout:image\n",
                Files.readString(folder.resolve("called")));
    }

    @Test
    void shouldMakeTheLayoutReadableForTheWorkersUser() throws IOException {
        Path layout = skopeo(MAKES_A_LAYOUT, LONG_MS)
                .fetch(ImageReference.parse("oci:somewhere"), work)
                .layout();
        assertEquals("rwxr-xr-x", PosixFilePermissions.toString(Files.getPosixFilePermissions(layout)));
        assertEquals("rw-r--r--", PosixFilePermissions.toString(Files.getPosixFilePermissions(layout.resolve("blob"))));
    }

    @Test
    void shouldEndOneThatWritesWithoutEnd() throws IOException {
        assertTrue(refusal("exec cat /dev/zero", LONG_MS).contains("larger than 1048576 bytes"));
    }

    @Test
    void shouldEndOneThatNeverEnds() throws IOException {
        assertTrue(refusal("echo $$ > " + folder + "/pid; exec sleep 1000", 1000)
                .contains("within 1 seconds (--timeout)"));
        long pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());
        assertFalse(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
    }

    @Test
    void shouldSayInFewWordsWhatSkopeoComplainsOf() throws IOException {
        String said = refusal("echo unauthorized >&2; yes | head -c 5000 >&2; exit 1", LONG_MS);
        assertTrue(said.contains("skopeo says: unauthorized"), said);
        assertTrue(said.length() < 700, said);
        assertTrue(refusal("exit 2", LONG_MS).endsWith("skopeo says: nothing"));
    }

    @Test
    void shouldSayHowToInstallItWhenItIsMissing() {
        Skopeo none = new Skopeo(folder.resolve("none").toString(), BYTES_MAX, LONG_MS);
        BrigException refused =
                assertThrows(BrigException.class, () -> none.fetch(ImageReference.parse("debian"), work));
        assertTrue(refused.getMessage().contains("apt install skopeo"), refused.getMessage());
    }
}
