package brig.workeragent.recording;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.formats.Adapters;
import brig.formats.adapter.Adapter;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Reason;
import brig.protocol.json.Json;
import brig.workeragent.home.AgentHomes;
import brig.workeragent.profile.AgentProfile;
import brig.workeragent.profile.AgentProfiles;
import brig.workeragent.wall.Confinement.Mount;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Recordings of agents' output, {@code <spawn_id>.ndjson} each, in a folder that only Brig's own user can read, since
 * agents' output may be confidential. A profile with the adapter {@code cassette} replays one as a worker.
 *
 * <p>Decision 0065.
 */
public final class Cassettes {
    /** Where the replayed cassette appears behind the wall. */
    private static final Path INSIDE = Path.of("/opt/brig/cassette.ndjson");

    private final Path folder;
    private final AgentHomes homes;
    private final LongSupplier clock;

    public Cassettes(Path folder, AgentHomes homes, LongSupplier clock) {
        this.folder = folder;
        this.homes = homes;
        this.clock = clock;
    }

    /** A cassette to replay: its format, and the mounts for the wall. */
    public record Played(Adapter adapter, List<Mount> mounts) {}

    /**
     * Begins to record a worker.
     *
     * @throws BrigException {@code RECORD_LOST} if that is impossible
     */
    public Recorder record(String spawnId, AgentProfiles.Named agent) {
        try {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Path file = folder.resolve(spawnId + ".ndjson");
            return new Recorder(
                    Files.newOutputStream(file, StandardOpenOption.CREATE_NEW),
                    agent.name(),
                    agent.profile().adapter(),
                    clock);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.RECORD_LOST, "cannot record in " + folder + ": " + Reason.withFile(e));
        }
    }

    /** A copy that the workers' user can reach, unlike the folder of recordings. */
    private Path copy(Path file) throws IOException {
        Path copy = homes.folder("cassettes").resolve(String.valueOf(file.getFileName()));
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
        Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-r--r--"));
        return copy;
    }

    /**
     * The format of an agent, or of the cassette that it replays.
     *
     * @param cassette its name; null for none
     */
    public Played formatOf(AgentProfile profile, @Nullable String cassette) {
        if (!profile.playsCassettes()) {
            return new Played(profile.newAdapter(), List.of());
        }
        if (cassette == null || !Ids.isTaskId(cassette)) {
            throw BrigException.invalid("model", "must be the name of a cassette");
        }
        Path file = folder.resolve(cassette + ".ndjson");
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            String head = lines.readLine();
            String adapter = Json.read((head == null ? "" : head).getBytes(UTF_8), CassetteHead.class)
                    .adapter();
            return new Played(
                    Adapters.named(adapter).orElseThrow(() -> BrigException.invalid("model", "is no cassette")),
                    List.of(new Mount(copy(file), INSIDE, true)));
        } catch (IOException e) {
            throw new BrigException(ErrorCode.NOT_FOUND, "no cassette '" + cassette + "' in " + folder);
        }
    }
}
