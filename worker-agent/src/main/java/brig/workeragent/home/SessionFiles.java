package brig.workeragent.home;

import brig.workeragent.profile.AgentProfile;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a home has the file of an agent's session. An agent wrote what is there: names alone are looked at, in folders
 * that are no links, and not more than a number of them. Blocks.
 */
final class SessionFiles {
    static final int LOOKED_AT_MAX = 20_000;

    private int lookedAt;

    private SessionFiles() {}

    /** @param session an id that has the form of one */
    static boolean has(Path home, AgentProfile.Forking forking, String session) {
        if (forking.state().isEmpty()) {
            return false;
        }
        SessionFiles files = new SessionFiles();
        List<Path> places = List.of(home);
        for (Path name : Path.of(forking.state())) {
            places = files.below(places, name.toString().replace("{session}", session));
        }
        return places.stream().anyMatch(place -> Files.isRegularFile(place, LinkOption.NOFOLLOW_LINKS));
    }

    private List<Path> below(List<Path> folders, String glob) {
        List<Path> found = new ArrayList<>();
        for (Path folder : folders) {
            if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                addBelow(folder, glob, found);
            }
        }
        return found;
    }

    private void addBelow(Path folder, String glob, List<Path> found) {
        try (DirectoryStream<Path> names = Files.newDirectoryStream(folder)) {
            var matching = folder.getFileSystem().getPathMatcher("glob:" + glob);
            for (Path name : names) {
                if (++lookedAt > LOOKED_AT_MAX) {
                    return;
                }
                if (matching.matches(name.getFileName())) {
                    found.add(name);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // It cannot be seen, so it is not there for the agent of the fork.
        }
    }
}
