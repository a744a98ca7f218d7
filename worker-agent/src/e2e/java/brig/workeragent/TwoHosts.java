package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.ControlAnswer;
import brig.protocol.control.ControlCall;
import brig.protocol.control.ControlRequest;
import brig.protocol.control.Done;
import brig.protocol.control.LendableAnswer;
import brig.protocol.control.LinkPurpose;
import brig.protocol.control.MirrorAnswer;
import brig.protocol.control.MirrorStart;
import brig.protocol.control.Provision;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.TransferAnswer;
import brig.protocol.control.TransferRequest;
import brig.protocol.json.Json;
import brig.protocol.spawn.Setup;
import brig.protocol.spawn.SpawnRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Two worker-agents, each with folders of its own, and the gateway between them: the first has the repository. */
final class TwoHosts implements AutoCloseable {
    static final SpawnRequest.Asker ASKER = new SpawnRequest.Asker("tests", true);

    final AgentFixture home = new AgentFixture();
    final AgentFixture far = new AgentFixture();
    final Path repository;

    TwoHosts() throws IOException {
        home.open();
        far.open();
        repository = Files.createDirectory(home.root.resolve("workspaces/project"));
    }

    /** Runs something in a folder as the host's own user, and gives the folder to the workers' user. */
    static String host(Path folder, String script) throws Exception {
        Process run = new ProcessBuilder("sh", "-c", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(run.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, run.waitFor(), said);
        if (Installation.isRoot()) {
            assertEquals(
                    0,
                    new ProcessBuilder("chown", "-R", "59617:59617", folder.toString())
                            .start()
                            .waitFor());
        }
        return said;
    }

    String host(String script) throws Exception {
        return host(
                repository,
                "git() { command git -c safe.directory='*' -c user.name=a -c user.email=a@b.c \"$@\"; }\n" + script);
    }

    SpawnRequest request(SpawnRequest.WorkspaceMode mode, String prompt) {
        return new SpawnRequest(
                null,
                null,
                new SpawnRequest.AgentConfig("shell", null, List.of(), null),
                prompt,
                true,
                null,
                mode,
                repository.toString(),
                false,
                SpawnRequest.Claim.NONE,
                SpawnRequest.Bounds.NONE,
                SpawnRequest.Continuation.NEW,
                null,
                new SpawnRequest.Place("far", List.of()),
                Setup.NONE);
    }

    static String newId() {
        return Ids.newSpawnId(System.currentTimeMillis());
    }

    static <A extends Record> A control(AgentFixture host, ControlRequest request, Class<A> type) throws IOException {
        try (Connection control = new Connection(host, new LinkPurpose.Control())) {
            control.send(new ControlCall(1L, request));
            ControlAnswer answer = Json.read(control.line(), ControlAnswer.class);
            if (answer.refusal() != null) {
                throw answer.refusal().toException();
            }
            return answer.as(type);
        }
    }

    String lendable(String spawnId, SpawnRequest request) throws IOException {
        return control(home, new ControlRequest.Lendable(spawnId, request, ASKER), LendableAnswer.class)
                .mirror();
    }

    List<String> commits(String mirror) throws IOException {
        return control(far, new ControlRequest.Mirror(mirror), MirrorAnswer.class)
                .commits();
    }

    /** What home lends, and its pack. */
    record Packed(TransferRequest.Lent lent, byte[] pack) {}

    Packed lend(SpawnRequest request, List<String> have) throws IOException {
        try (Connection from = new Connection(home, new LinkPurpose.Transfer())) {
            from.send(new TransferRequest.Lend(request, ASKER, have));
            TransferRequest.Lent lent = from.answer(TransferRequest.Lent.class);
            return new Packed(lent, from.bytes((int) lent.bytes()));
        }
    }

    void receive(Packed packed) throws IOException {
        try (Connection to = new Connection(far, new LinkPurpose.Transfer())) {
            MirrorStart start = packed.lent().start();
            to.send(new TransferRequest.Receive(
                    start.mirror(), start.commit(), packed.lent().head(), packed.pack().length));
            to.send(packed.pack());
            to.answer(Done.class);
        }
    }

    /** As a gateway brings a repository. */
    MirrorStart bring(String spawnId, SpawnRequest request) throws IOException {
        Packed packed = lend(request, commits(lendable(spawnId, request)));
        if (packed.pack().length > 0) {
            receive(packed);
        }
        return packed.lent().start();
    }

    /** What a shell said on the other host, until it was over. */
    String run(String spawnId, SpawnRequest request, MirrorStart start) throws IOException {
        control(far, new ControlRequest.Spawn(spawnId, request, ASKER, Provision.of(start)), SpawnAnswer.class);
        StringBuilder said = new StringBuilder();
        try (TestGateway frames = far.frames(spawnId, 1)) {
            frames.read(frame -> {
                if (frame.type() == brig.protocol.wire.FrameType.CHUNK) {
                    said.append(frame.text("content"));
                }
                return !frame.text("state").equals("terminated");
            });
        }
        return said.toString();
    }

    /** As a gateway applies changes; the patch goes through the given hands. */
    ApplyAnswer apply(String spawnId, boolean check, String... allow) throws IOException {
        try (Connection from = new Connection(far, new LinkPurpose.Transfer())) {
            from.send(new TransferRequest.Changes(spawnId));
            byte[] patch =
                    from.bytes((int) from.answer(TransferRequest.Outgoing.class).bytes());
            ApplyAnswer answer = applyPatch(spawnId, check, patch, patch.length, allow);
            from.send(new TransferRequest.Settled(answer.applied()));
            from.answer(Done.class);
            return answer;
        }
    }

    ApplyAnswer applyPatch(String spawnId, boolean check, byte[] patch, long announced, String... allow)
            throws IOException {
        try (Connection to = new Connection(home, new LinkPurpose.Transfer())) {
            to.send(new TransferRequest.Apply(spawnId, check, List.of(allow), announced));
            to.send(patch);
            if (patch.length < announced) {
                to.end();
            }
            return to.answer(ApplyAnswer.class);
        }
    }

    @Override
    public void close() throws IOException {
        home.close();
        far.close();
    }

    /** A connection of the gateway, on which lines and bytes come. */
    static final class Connection implements AutoCloseable {
        private final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);

        Connection(AgentFixture host, LinkPurpose purpose) throws IOException {
            channel.connect(UnixDomainSocketAddress.of(host.linkSocket()));
            send(purpose instanceof Record record ? record : null);
        }

        void send(Record line) throws IOException {
            send(Json.writeLine(line));
        }

        /** A worker-agent that refused may have closed. */
        void send(byte[] bytes) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            try {
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
            } catch (IOException closed) {
                // What it said is still to be read.
            }
        }

        void end() throws IOException {
            channel.shutdownOutput();
        }

        byte[] line() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            ByteBuffer one = ByteBuffer.allocate(1);
            while (channel.read(one) > 0 && one.get(0) != '\n') {
                line.write(one.get(0));
                one.clear();
            }
            return line.toByteArray();
        }

        <A extends Record> A answer(Class<A> type) throws IOException {
            return Json.read(line(), TransferAnswer.class).as(type);
        }

        byte[] bytes(int count) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(count);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
            assertEquals(count, bytes.position());
            return bytes.array();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    static BrigException refusal(org.junit.jupiter.api.function.Executable what) {
        return org.junit.jupiter.api.Assertions.assertThrows(BrigException.class, what);
    }
}
