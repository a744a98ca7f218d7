package brig.loadtests.whole;

import brig.loadtests.engine.Children;
import brig.loadtests.product.Brig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The least that can stand between agents and readers: {@code brig-pace pipe}, which copies the pipes of agents in
 * plain bubblewrap to sockets, without any framing, record or check.
 *
 * <p>Decision 0176.
 */
public final class PipePeer {
    private static final List<String> WALL = List.of(
            "bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc");

    private PipePeer() {}

    /** Measures agents at that rate. */
    public static Paced measure(Load load) throws IOException {
        Path folder = Brig.newFolder();
        Path socket = folder.resolve("socket");
        String program = PaceReaders.program().toString();
        List<String> command = new ArrayList<>(List.of(
                program, "pipe", socket.toString(), String.valueOf(load.streams()), String.valueOf(load.readers())));
        command.addAll(WALL);
        command.addAll(List.of(program, "write", String.valueOf(load.rate()), String.valueOf(Integer.MAX_VALUE)));
        Process process = Children.start(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT));
        try (var events = process.inputReader(StandardCharsets.UTF_8)) {
            if (events.readLine() == null) {
                throw new IOException("brig-pace pipe did not start");
            }
            List<String> streams =
                    IntStream.range(0, load.streams()).mapToObj(String::valueOf).toList();
            return Paced.measure(load, socket, streams, () -> Costs.ofTree(process.toHandle(), Role.DELIVERER));
        } finally {
            process.destroyForcibly();
            Brig.delete(folder);
        }
    }
}
