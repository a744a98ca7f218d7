package brig.workeragent.tunnel.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** A filter between a client of the test and a {@link FakeFar}, without pipes and without a clock. */
final class FilterFixture {
    static final Set<String> EXTENSIONS =
            Set.of(Sftp.POSIX_RENAME, Sftp.HARDLINK, Sftp.FSYNC, Sftp.STATVFS, Sftp.LSETSTAT);
    static final FileAttributes NONE = new FileAttributes(0, 0, 0, 0, 0, 0, 0);

    final FakeFar far = new FakeFar();
    final PrivateNames names = new PrivateNames(
            new FarPath("/home/me/project"), List.of(".env", "*.pem", "secrets/**", ".ssh"), "# own\nown.txt\n[\n");
    final List<byte[]> answers = new ArrayList<>();
    final Exchanges exchanges = new Exchanges(this::toFar, () -> this.nanos);
    final SftpFilter filter = new SftpFilter(
            new FarFolder(exchanges),
            new FarPath("/home/me/project"),
            EXTENSIONS,
            names,
            answers::add,
            () -> this.nanos);
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    /** What becomes of an answer of the far side on its way. */
    UnaryOperator<byte[]> onTheWay = packet -> packet;

    long nanos = 1;
    private int id = 100;

    FilterFixture() {
        for (String folder : List.of("/home", "/home/me", "/home/me/project", "/home/me/project/src", "/etc")) {
            far.folder(folder);
        }
        far.folder("/home/me/project/secrets");
        far.folder("/home/me/project/.ssh");
        far.file("/home/me/project/secrets/a", "SECRET");
        far.file("/home/me/project/.ssh/config", "SECRET");
        far.file("/home/me/project/.env", "SECRET");
        far.file("/home/me/project/own.txt", "SECRET");
        far.file("/home/me/project/src/key.pem", "SECRET");
        far.file("/home/me/project/src/Main.java", "public");
        far.file("/home/me/outside.txt", "SECRET");
        far.file("/etc/passwd", "SECRET");
    }

    private void toFar(byte[] packet) {
        waiting.add(packet);
    }

    static SftpWriter request(int type) {
        return new SftpWriter(type, 0);
    }

    static SftpWriter request(int type, String path) {
        return request(type).string(path(path));
    }

    static byte[] path(String path) {
        return (path.startsWith("/") ? path : "/home/me/project/" + path).getBytes(ISO_8859_1);
    }

    /** Sends it, lets the far side answer all that it is asked, and returns the only answer to the client. */
    Exchanges.Reply ask(SftpWriter request) {
        return ask(request.done());
    }

    Exchanges.Reply ask(byte[] request) {
        int expected = ++id;
        int before = answers.size();
        filter.request(SftpWriter.withId(request, expected));
        run();
        if (answers.size() != before + 1) {
            throw new AssertionError((answers.size() - before) + " answers");
        }
        SftpReader in = new SftpReader(answers.getLast());
        int type = in.u8();
        if (in.u32() != expected) {
            throw new AssertionError("an answer to something else");
        }
        return new Exchanges.Reply(type, answers.getLast());
    }

    void run() {
        while (!waiting.isEmpty()) {
            exchanges.handle(onTheWay.apply(far.serve(waiting.poll())));
        }
    }

    int status(SftpWriter request) {
        return ask(request).status();
    }

    Exchanges.Reply open(String path, int flags) {
        return ask(NONE.write(request(Sftp.OPEN, path).u32(flags)));
    }

    /** The content of a file, or the status that refuses it. */
    Object read(String path) {
        Exchanges.Reply opened = open(path, Sftp.FLAG_READ);
        return opened.type() == Sftp.HANDLE ? readOpen(FarFolder.handle(opened)) : opened.status();
    }

    Object readOpen(byte[] handle) {
        Exchanges.Reply data = ask(request(Sftp.READ).string(handle).u64(0).u32(1000));
        return data.type() == Sftp.DATA ? new String(data.fields().string(1000), ISO_8859_1) : data.status();
    }

    FileAttributes look(String path) {
        return FarFolder.attributes(ask(request(Sftp.LSTAT, path)));
    }
}
