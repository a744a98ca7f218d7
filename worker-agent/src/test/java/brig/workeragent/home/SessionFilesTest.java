package brig.workeragent.home;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.workeragent.profile.AgentProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionFilesTest {
    @TempDir
    Path folder;

    private static boolean has(Path home, String state, String session) {
        return SessionFiles.has(home, new AgentProfile.Forking(List.of(), state), session);
    }

    @Test
    void shouldFindTheFileOfASessionAndNoOther() throws IOException {
        Path home = Files.createDirectories(folder.resolve("home"));
        Files.createFile(Files.createDirectories(home.resolve("s/2026/11/27")).resolve("rollout-1-abc.jsonl"));
        assertTrue(has(home, "s/*/*/*/rollout-*-{session}.jsonl", "abc"));
        assertFalse(has(home, "s/*/*/*/rollout-*-{session}.jsonl", "ab"));
        assertFalse(has(home, "s/*/*/rollout-*-{session}.jsonl", "abc"));
        assertFalse(has(home, "", "abc"));
        assertFalse(has(folder.resolve("none"), "{session}", "abc"));
    }

    @Test
    void shouldFollowNoLinkOutOfTheHome() throws IOException {
        Path outside = Files.createDirectories(folder.resolve("outside"));
        Files.createFile(outside.resolve("abc"));
        Path home = Files.createDirectories(folder.resolve("home"));
        Files.createSymbolicLink(home.resolve("s"), outside);
        Files.createSymbolicLink(home.resolve("abc"), outside.resolve("abc"));
        assertFalse(has(home, "s/{session}", "abc"));
        assertFalse(has(home, "{session}", "abc"));
    }
}
