package brig.project;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageReferenceTest {
    private static final String DIGEST = "sha256:" + "0123456789abcdef".repeat(4);

    @ParameterizedTest
    @CsvSource({
        "debian,                                docker://debian,                   debian",
        "debian:latest,                         docker://debian:latest,            debian",
        "debian:12,                             docker://debian:12,                debian-12",
        "docker://ghcr.io/a/b:v1.2,             docker://ghcr.io/a/b:v1.2,         b-v1.2",
        "localhost:5000/app,                    docker://localhost:5000/app,       app",
        "localhost:5000/app:1,                  docker://localhost:5000/app:1,     app-1",
        "oci:./some/Layout:My Tag,              oci:./some/Layout:My Tag,          layout-my-tag",
        "docker-archive:/tmp/a.tar:debian:12,   docker-archive:/tmp/a.tar:debian:12, a.tar-debian-12",
        "oci-archive:a.tar,                     oci-archive:a.tar,                 a.tar",
        "oci:../..,                             oci:../..,                         ",
    })
    void shouldTellSkopeoWhatIsMeant(String text, String forSkopeo, String usualName) {
        ImageReference image = ImageReference.parse(text);
        assertEquals(forSkopeo, image.forSkopeo());
        assertEquals(usualName, image.usualName());
    }

    @Test
    void shouldLeaveTheTagOutWhenThereIsADigest() {
        assertEquals(
                "docker://debian@" + DIGEST,
                ImageReference.parse("debian:12@" + DIGEST).forSkopeo());
        assertEquals(
                "docker://h:1/debian@" + DIGEST,
                ImageReference.parse("h:1/debian:12").pinnedTo(DIGEST).forSkopeo());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-h",
                "--help",
                "docker://",
                "docker://--creds=a:b",
                "user:hunter2@registry.example.org/app",
                "debian@sha256:12",
                "debian:1:2",
                "debian\n",
                "debian 12",
                "oci:",
                "oci:a\0b",
                "docker-daemon:debian:12",
                "containers-storage:debian",
                "dir:/etc"
            })
    void shouldRefuseEverythingElseAndRepeatNothing(String text) {
        BrigException refused = assertThrows(BrigException.class, () -> ImageReference.parse(text));
        assertEquals(ErrorCode.INVALID_FIELD, refused.code());
        assertFalse(refused.getMessage().contains("hunter2"), refused.getMessage());
    }

    @Test
    void shouldRefuseALongOneAtOnce() {
        assertThrows(BrigException.class, () -> ImageReference.parse("a/".repeat(50_000)));
        assertThrows(BrigException.class, () -> ImageReference.parse("a:1".repeat(50_000)));
    }
}
