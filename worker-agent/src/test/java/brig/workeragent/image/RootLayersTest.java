package brig.workeragent.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.Posture;
import brig.protocol.control.WorkspacesAnswer.KeptRoot;
import brig.protocol.spawn.RootOverlay;
import brig.protocol.spawn.SpawnRequest.Asker;
import brig.workeragent.wall.Root;
import brig.workeragent.wall.ToolWall;
import brig.workeragent.wall.WorkersUser;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who gets which layer, and what is left of it. */
class RootLayersTest {
    private static final long BYTES_MAX = 100_000;
    private static final long KEPT_MS = 1000;
    private static final Asker ANN = new Asker("ann", false);
    private static final Asker ADMIN = new Asker("root", true);

    @TempDir
    Path folder;

    private long nowMs = 5000;
    private RootLayers layers;

    /** Removes what it should, without a wall. */
    private static final class Remover implements ToolWall {
        @Override
        public <T> Said<T> run(Job job, byte[] input, Output<T> output) {
            try (Stream<Path> all = Files.walk(job.folder())) {
                for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
                    if (!one.equals(job.folder())) {
                        Files.delete(one);
                    }
                }
                return new Said<>(0, false, output.read(new ByteArrayInputStream(new byte[0])), "");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String bounds() {
            return "";
        }
    }

    private RootLayers layers() {
        if (layers == null) {
            layers = new RootLayers(
                    new RootLayers.Bounds(folder.resolve("roots"), BYTES_MAX, KEPT_MS),
                    new ImageUnpacker(new Remover(), Path.of("/java"), List.of(), List.of()),
                    new WorkersUser(1, false),
                    () -> nowMs);
        }
        return layers;
    }

    private static Root image(String name, char digit) {
        Posture.Root shown =
                new Posture.Root(name, "sha256:" + String.valueOf(digit).repeat(64), null);
        return new Root(Path.of("/image"), shown, Map.of(), null);
    }

    private RootLayers.Lease keep(String spawnId, Asker asker, String project) {
        return layers().over(image("debian", 'a'), RootOverlay.KEEP, spawnId, asker, project);
    }

    private static Path upper(RootLayers.Lease lease) {
        return lease.root().layer().upper();
    }

    private static ErrorCode refused(Runnable request) {
        return assertThrows(BrigException.class, request::run).code();
    }

    @Test
    void shouldKeepLayerByCaptainProjectAndImage() {
        RootLayers.Lease first = keep("one", ANN, "project a");
        Path mine = upper(first);
        assertEquals(RootOverlay.KEEP, first.root().shown().overlay());
        assertNotEquals(mine, upper(keep("two", ANN, "project b")));
        assertNotEquals(mine, upper(keep("three", new Asker("bob", false), "project a")));
        assertNotEquals(mine, upper(keep("four", ADMIN, "project a")));
        assertNotEquals(mine, upper(layers().over(image("alpine", 'b'), RootOverlay.KEEP, "five", ANN, "project a")));
        first.close();
        assertEquals(mine, upper(keep("six", ANN, "project a")));
        assertEquals(refused(() -> keep("seven", new Asker("other", true), "project a")), ErrorCode.ROOT_IN_USE);
    }

    @Test
    void shouldGiveLayerToOneSessionAndNameIt() {
        RootLayers.Lease first = keep("spn_first", ANN, "project a");
        BrigException refused = assertThrows(BrigException.class, () -> keep("spn_second", ANN, "project a"));
        assertEquals(ErrorCode.ROOT_IN_USE, refused.code());
        assertTrue(refused.getMessage().contains("spn_first"), refused.getMessage());
        assertEquals(
                ErrorCode.ROOT_IN_USE,
                refused(() -> layers().check(image("debian", 'a'), RootOverlay.KEEP, ANN, "project a")));
        KeptRoot shown = layers().list().getFirst();
        assertEquals("spn_first", shown.usedBy());
        assertEquals(ErrorCode.ROOT_IN_USE, refused(() -> layers().remove(shown.id(), ANN)));
        first.close();
        first.close();
        keep("spn_second", ANN, "project a");
        first.close();
        assertEquals("spn_second", layers().list().getFirst().usedBy());
    }

    @Test
    void shouldRefuseAnotherImageAndAFullLayer() throws IOException {
        RootLayers.Lease first = keep("one", ANN, "project a");
        assertEquals(BYTES_MAX, first.root().layer().bytesLeft());
        Files.write(upper(first).resolve("file"), new byte[50_000]);
        first.close();
        assertEquals(
                ErrorCode.ROOT_CHANGED,
                refused(() -> layers().over(image("debian", 'b'), RootOverlay.KEEP, "two", ANN, "project a")));
        RootLayers.Lease second = keep("two", ANN, "project a");
        assertTrue(second.root().layer().bytesLeft() < BYTES_MAX - 50_000);
        Files.write(upper(second).resolve("more"), new byte[60_000]);
        second.close();
        assertEquals(ErrorCode.DISK_FULL, refused(() -> keep("three", ANN, "project a")));
        assertEquals(
                ErrorCode.DISK_FULL,
                refused(() -> layers().check(image("debian", 'a'), RootOverlay.KEEP, ANN, "project a")));
        layers().remove(layers().list().getFirst().id(), ANN);
        keep("three", ANN, "project a").close();
        layers().over(image("debian", 'a'), RootOverlay.KEEP, "four", ANN, "project a");
    }

    @Test
    void shouldRemoveForItsCaptainAndAdmins() throws IOException {
        keep("one", ANN, "project a").close();
        KeptRoot root = layers().list().getFirst();
        assertEquals("ann", root.captain());
        assertEquals(ErrorCode.NOT_FOUND, refused(() -> layers().remove(root.id(), new Asker("bob", false))));
        assertEquals(root.id(), layers().remove(root.id(), ANN).id());
        assertEquals(ErrorCode.NOT_FOUND, refused(() -> layers().remove(root.id(), ANN)));
        keep("two", ADMIN, "project a").close();
        assertNull(layers().list().getFirst().captain());
        assertEquals(
                ErrorCode.NOT_FOUND,
                refused(() -> layers().remove(layers().list().getFirst().id(), new Asker("root", false))));
        layers().remove(layers().list().getFirst().id(), new Asker("other", true));
        assertEquals(List.of(), left());
    }

    private List<String> left() throws IOException {
        try (Stream<Path> all = Files.list(folder.resolve("roots"))) {
            return all.map(one -> String.valueOf(one.getFileName())).sorted().toList();
        }
    }

    @Test
    void shouldThrowAwayWhatIsDiscarded() throws IOException {
        RootLayers.Lease one = layers().over(image("debian", 'a'), RootOverlay.DISCARD, "one", ANN, null);
        RootLayers.Lease two = layers().over(image("debian", 'a'), RootOverlay.DISCARD, "two", ANN, null);
        assertNotEquals(upper(one), upper(two));
        Files.writeString(upper(one).resolve("file"), "x");
        layers().sweep();
        assertTrue(Files.exists(upper(one).resolve("file")));
        one.close();
        assertFalse(Files.exists(upper(one)));
        two.close();
        assertEquals(List.of(), left());
        assertEquals(List.of(), layers().list());
    }

    @Test
    void shouldSweepWhatIsOldAndWhatAPredecessorLeft() throws IOException {
        keep("one", ANN, "project old").close();
        nowMs += KEPT_MS;
        keep("two", ANN, "project new").close();
        RootLayers.Lease held = keep("three", ANN, "project held");
        layers().over(image("debian", 'a'), RootOverlay.DISCARD, "four", ANN, null);
        Files.createDirectories(folder.resolve("roots/session-77/upper/x"));
        nowMs += 1;
        layers().sweep();
        assertEquals(
                List.of("project held", "project new"),
                layers().list().stream().map(KeptRoot::project).sorted().toList());
        assertFalse(left().contains("session-77"));
        held.close();
        nowMs += KEPT_MS + 1;
        RootLayers.Lease again = keep("five", ANN, "project held");
        nowMs += KEPT_MS + 1;
        layers().sweep();
        assertEquals(1, layers().list().size());
        again.close();
        layers = null;
        layers().sweep();
        assertTrue(left().stream().allMatch(name -> name.startsWith("root_")), () -> "left over");
    }

    @Test
    void shouldNeedAnImageAndAProject() {
        assertEquals(
                ErrorCode.INVALID_FIELD,
                refused(() -> layers().over(Root.HOST, RootOverlay.DISCARD, "one", ANN, "project a")));
        assertEquals(ErrorCode.INVALID_FIELD, refused(() -> keep("one", ANN, null)));
        Root same = image("debian", 'a');
        assertEquals(
                same, layers().over(same, RootOverlay.NONE, "one", ANN, null).root());
    }
}
