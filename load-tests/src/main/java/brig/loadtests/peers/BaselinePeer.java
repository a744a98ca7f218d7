package brig.loadtests.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A minimal C server that only forwards frames: the upper limit. */
final class BaselinePeer implements Peer {
    private final String name;
    private final String mode;
    private final Path programs;

    BaselinePeer(String name, String mode, Path programs) {
        this.name = name;
        this.mode = mode;
        this.programs = programs;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Optional<String> missing() {
        return Files.isExecutable(program(programs))
                ? Optional.empty()
                : Optional.of("it is not built: " + program(programs));
    }

    private static Path program(Path programs) {
        return programs.resolve("brig-baseline");
    }

    @Override
    public boolean speaks(String transport) {
        return true;
    }

    @Override
    public Server start(Site site, String transport) throws IOException {
        List<String> command = new ArrayList<>(List.of(program(site.programs()).toString(), "--mode", mode));
        if (site.scenario().stormMs() > 0) {
            command.add("--retain");
        }
        return LineServer.start(site, name, transport, command);
    }
}
