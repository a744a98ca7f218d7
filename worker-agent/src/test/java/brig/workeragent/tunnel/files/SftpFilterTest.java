package brig.workeragent.tunnel.files;

import static brig.workeragent.tunnel.files.FilterFixture.NONE;
import static brig.workeragent.tunnel.files.FilterFixture.path;
import static brig.workeragent.tunnel.files.FilterFixture.request;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class SftpFilterTest {
    private static final int WRITE = Sftp.FLAG_WRITE | Sftp.FLAG_CREAT | Sftp.FLAG_TRUNC;
    private static final String MAIN = "src/Main.java";

    private final FilterFixture fixture = new FilterFixture();

    @Test
    void shouldNameOnlyTheExtensionsThatItLetsThrough() {
        fixture.filter.request(new byte[] {Sftp.INIT, 0, 0, 0, 3});
        SftpReader in = new SftpReader(fixture.answers.getLast());
        assertEquals(Sftp.VERSION, in.u8());
        assertEquals(3, in.u32());
        StringBuilder names = new StringBuilder();
        while (in.remaining() > 0) {
            names.append(new String(in.string(99), UTF_8)).append(' ');
        }
        assertEquals(
                "fsync@openssh.com 1 hardlink@openssh.com 1 posix-rename@openssh.com 1 statvfs@openssh.com 2 ",
                names.toString());
    }

    @Test
    void shouldReadAndWrite() {
        assertEquals("public", fixture.read(MAIN));
        byte[] handle = FarFolder.handle(fixture.open("new", WRITE));
        assertEquals(
                Sftp.OK,
                fixture.status(request(Sftp.WRITE).string(handle).u64(0).string("text".getBytes(UTF_8))));
        assertEquals(Sftp.OK, fixture.status(FarFolder.extended(Sftp.FSYNC).string(handle)));
        assertEquals(Sftp.OK, fixture.status(request(Sftp.CLOSE).string(handle)));
        assertEquals("text", fixture.read("new"));
        assertEquals(
                Sftp.OK,
                fixture.status(FarFolder.extended(Sftp.POSIX_RENAME)
                        .string(path("new"))
                        .string(path(MAIN))));
        assertEquals("text", fixture.read(MAIN));
        assertEquals(Sftp.NO_SUCH_FILE, fixture.read("new"));
    }

    @Test
    void shouldLookAtAFileAfterItIsMadeWhenBothRequestsComeAtOnce() {
        // Scenario: sshfs opens a new file and asks for its attributes before it has the answer.
        fixture.filter.request(SftpWriter.withId(
                NONE.write(request(Sftp.OPEN, "new").u32(WRITE)).done(), 7));
        fixture.filter.request(SftpWriter.withId(request(Sftp.LSTAT, "new").done(), 8));
        fixture.run();
        assertEquals(
                List.of(Sftp.HANDLE, Sftp.ATTRS),
                fixture.answers.stream().map(packet -> (int) packet[0]).toList());
    }

    @Test
    void shouldEmptyAFileOnlyWhenAsked() {
        assertEquals(Sftp.HANDLE, fixture.open(MAIN, Sftp.FLAG_WRITE).type());
        assertEquals("public", fixture.far.nodes.get("/home/me/project/" + MAIN).text());
        assertEquals(Sftp.HANDLE, fixture.open(MAIN, WRITE).type());
        assertEquals("", fixture.far.nodes.get("/home/me/project/" + MAIN).text());
    }

    @Test
    void shouldMakeAFileOnceWhenItMustBeNew() {
        int isNew = Sftp.FLAG_WRITE | Sftp.FLAG_CREAT | Sftp.FLAG_EXCL;
        assertEquals(Sftp.HANDLE, fixture.open("new", isNew).type());
        assertEquals(Sftp.FAILURE, fixture.open("new", isNew).status());
        assertEquals(Sftp.NO_SUCH_FILE, fixture.open("other", Sftp.FLAG_WRITE).status());
    }

    @Test
    void shouldOpenAFileThatSomebodyElseMakesMeanwhile() {
        fixture.far.before(Sftp.OPEN, () -> fixture.far.file("/home/me/project/new", "theirs"));
        assertEquals(
                Sftp.HANDLE,
                fixture.open("new", Sftp.FLAG_WRITE | Sftp.FLAG_CREAT).type());
    }

    @Test
    void shouldOpenAFileThatIsWrittenToMeanwhile() {
        fixture.far.before(
                Sftp.FSTAT,
                () -> fixture.far.nodes.get("/home/me/project/" + MAIN).content = "longer now".getBytes(UTF_8));
        assertEquals("longer now", fixture.read(MAIN));
    }

    @Test
    void shouldAskOnceForWhatAListSaid() {
        byte[] handle = FarFolder.handle(fixture.ask(request(Sftp.OPENDIR, "src")));
        fixture.ask(request(Sftp.READDIR).string(handle));
        int asked = fixture.far.requests.size();
        assertEquals(6, fixture.look(MAIN).size());
        assertEquals(6, fixture.look(MAIN).size());
        assertEquals(asked, fixture.far.requests.size());

        fixture.nanos += 1_000_000_000;
        fixture.far.file("/home/me/project/" + MAIN, "changed there");
        assertEquals(13, fixture.look(MAIN).size(), "after a second it asks again");
    }

    @Test
    void shouldAskAgainAfterACommandAndAfterAChangeOfItsOwn() {
        fixture.look(MAIN);
        fixture.far.file("/home/me/project/" + MAIN, "changed there");
        assertEquals(6, fixture.look(MAIN).size());
        fixture.filter.forget();
        assertEquals(13, fixture.look(MAIN).size());

        byte[] handle = FarFolder.handle(fixture.open(MAIN, Sftp.FLAG_WRITE));
        fixture.look(MAIN);
        fixture.status(request(Sftp.WRITE).string(handle).u64(13).string("!".getBytes(UTF_8)));
        assertEquals(14, fixture.look(MAIN).size());
    }

    @Test
    void shouldNotKeepAnAnswerThatWasOnItsWayWhenACommandEnded() {
        // Scenario: the far side looks at the file, then a command changes it, then the answer comes.
        fixture.onTheWay = packet -> {
            if (packet[0] == Sftp.ATTRS) {
                fixture.far.file("/home/me/project/" + MAIN, "changed there");
                fixture.filter.forget();
            }
            return packet;
        };
        assertEquals(6, fixture.look(MAIN).size());
        fixture.onTheWay = UnaryOperator.identity();
        assertEquals(13, fixture.look(MAIN).size());
    }

    @Test
    void shouldAnswerWhatIsMalformed() {
        assertEquals(Sftp.BAD_MESSAGE, fixture.status(request(Sftp.OPEN)));
        assertEquals(Sftp.BAD_MESSAGE, fixture.status(request(Sftp.LSTAT).u32(Integer.MAX_VALUE)));
        assertEquals(Sftp.BAD_MESSAGE, fixture.status(request(Sftp.LSTAT).u32(-1)));
        assertThrows(SftpFault.class, () -> fixture.filter.request(new byte[] {Sftp.OPEN, 0, 0}));
        assertThrows(SftpFault.class, () -> fixture.filter.request(new byte[] {Sftp.INIT, 0, 0, 0, 2}));
    }

    @Test
    void shouldRefuseToReadMoreThanAPacketHolds() {
        byte[] handle = FarFolder.handle(fixture.open(MAIN, Sftp.FLAG_READ));
        for (int length : List.of(0, -1, Sftp.DATA_BYTES_MAX + 1, Integer.MAX_VALUE)) {
            assertEquals(
                    Sftp.FAILURE,
                    fixture.status(request(Sftp.READ).string(handle).u64(0).u32(length)));
        }
    }

    @Test
    void shouldEndWhenTheFarSideAnswersWithSomethingElse() {
        Function<FilterFixture, SftpWriter> read = one -> request(Sftp.READ)
                .string(FarFolder.handle(one.open(MAIN, Sftp.FLAG_READ)))
                .u64(0)
                .u32(4);
        Function<FilterFixture, SftpWriter> list =
                one -> request(Sftp.READDIR).string(FarFolder.handle(one.ask(request(Sftp.OPENDIR, "src"))));
        Function<FilterFixture, SftpWriter> look = one -> request(Sftp.LSTAT, MAIN);
        Function<FilterFixture, SftpWriter> open =
                one -> NONE.write(request(Sftp.OPEN, MAIN).u32(Sftp.FLAG_READ));

        ends(read, id -> new SftpWriter(Sftp.DATA, id + 1).string(new byte[4]));
        ends(read, id -> new SftpWriter(Sftp.NAME, id).u32(0));
        ends(read, id -> new SftpWriter(Sftp.STATUS, id).u32(Sftp.OK));
        ends(read, id -> new SftpWriter(Sftp.DATA, id).string(new byte[5]));
        ends(read, id -> new SftpWriter(Sftp.DATA, id).string(new byte[0]));
        ends(read, id -> new SftpWriter(Sftp.DATA, id).u32(4).u32(0).u32(0));
        ends(read, id -> new SftpWriter(Sftp.DATA, id).u32(-1));
        ends(read, id -> new SftpWriter(Sftp.STATUS, id));
        ends(list, id -> new SftpWriter(Sftp.NAME, id).u32(-1));
        ends(list, id -> new SftpWriter(Sftp.NAME, id).u32(Integer.MAX_VALUE));
        ends(list, id -> new SftpWriter(Sftp.NAME, id).u32(2).string("a".getBytes(UTF_8)));
        ends(list, id -> entry(id, "../../etc/passwd"));
        ends(list, id -> entry(id, ""));
        ends(list, id -> entry(id, "a\0b"));
        ends(list, id -> entry(id, "a".repeat(256)));
        ends(list, id -> entry(id, "a").u32(7));
        ends(Sftp.ATTRS, look, id -> new SftpWriter(Sftp.ATTRS, id).u32(0x40));
        ends(
                Sftp.ATTRS,
                look,
                id -> new SftpWriter(Sftp.ATTRS, id).u32(0x80000000).u32(-1));
        ends(
                Sftp.ATTRS,
                look,
                id -> new SftpWriter(Sftp.ATTRS, id).u32(0x80000000).u32(Integer.MAX_VALUE));
        ends(Sftp.ATTRS, look, id -> new SftpWriter(Sftp.ATTRS, id).u32(0).u32(0));
        ends(Sftp.ATTRS, look, id -> new SftpWriter(Sftp.NAME, id).u32(0));
        ends(Sftp.ATTRS, look, id -> new SftpWriter(Sftp.STATUS, id).u32(Sftp.OK));
        ends(look, id -> new SftpWriter(Sftp.NAME, id).u32(2).string(path("/home/me/project")));
        ends(Sftp.HANDLE, open, id -> new SftpWriter(Sftp.HANDLE, id).string(new byte[257]));
        ends(
                Sftp.HANDLE,
                open,
                id -> new SftpWriter(Sftp.HANDLE, id).string(new byte[4]).u32(0));
    }

    private static SftpWriter entry(int id, String name) {
        SftpWriter names = new SftpWriter(Sftp.NAME, id).u32(1).string(name.getBytes(UTF_8));
        return names.string(new byte[0]).u32(0);
    }

    private interface Answer {
        SftpWriter to(int id);
    }

    private static void ends(Function<FilterFixture, SftpWriter> request, Answer answer) {
        ends(0, request, answer);
    }

    /** The answer takes the place of the far side's first one of that type, or of any type. */
    private static void ends(int type, Function<FilterFixture, SftpWriter> request, Answer answer) {
        FilterFixture one = new FilterFixture();
        SftpWriter sent = request.apply(one);
        boolean[] given = new boolean[1];
        one.onTheWay = packet -> {
            SftpReader in = new SftpReader(packet);
            int came = in.u8();
            int id = in.u32();
            if (given[0] || type != 0 && type != came) {
                return packet;
            }
            given[0] = true;
            return answer.to(id).done();
        };
        assertThrows(SftpFault.class, () -> one.ask(sent));
    }

    @Test
    void shouldRefuseNothingElseThanItShouldWhateverIsSent() {
        // Random requests: each is answered once, or is no packet; nothing secret comes out, and nothing changes.
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        String[] paths = {".env", "src/key.pem", "secrets/a", "../outside.txt", "/etc/passwd", MAIN, "src", "", "link"};
        fixture.far.link("/home/me/project/link", ".env");
        for (int i = 0; i < 20_000; i++) {
            SftpWriter request = request(random.nextInt(4) == 0 ? random.nextInt(256) : 3 + random.nextInt(18));
            for (int field = random.nextInt(5); field > 0; field--) {
                switch (random.nextInt(3)) {
                    case 0 -> request.u32(random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(64));
                    case 1 -> request.string(path(paths[random.nextInt(paths.length)]));
                    default -> request.u64(random.nextInt(4));
                }
            }
            byte[] packet = request.done();
            if (random.nextInt(8) == 0) {
                packet[5 % packet.length] ^= (byte) random.nextInt(256);
            }
            if (packet[0] == Sftp.INIT) {
                continue;
            }
            Exchanges.Reply reply = fixture.ask(packet);
            assertFalse(new String(reply.packet(), UTF_8).contains("SECRET"), () -> "seed " + seed);
        }
        for (String secret : List.of("/home/me/project/.env", "/home/me/outside.txt", "/etc/passwd")) {
            assertTrue(fixture.far.nodes.get(secret).text().equals("SECRET"), () -> "seed " + seed);
        }
    }

    @Test
    void shouldEndOrGoOnWhateverTheFarSideAnswers() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int ended = 0;
        for (int round = 0; round < 3000; round++) {
            FilterFixture one = new FilterFixture();
            one.onTheWay = packet -> {
                byte[] damaged = random.nextInt(3) == 0 ? new byte[random.nextInt(40)] : packet.clone();
                for (int i = random.nextInt(3); i > 0 && damaged.length > 5; i--) {
                    damaged[5 + random.nextInt(damaged.length - 5)] = (byte) random.nextInt(256);
                }
                if (damaged.length > 0) {
                    damaged[0] = random.nextInt(4) == 0 ? (byte) (101 + random.nextInt(5)) : packet[0];
                }
                return damaged;
            };
            try {
                one.read(MAIN);
                one.look("src");
                one.open("new", WRITE);
            } catch (SftpFault fault) {
                ended++;
            }
        }
        assertTrue(ended > 1000, "seed " + seed + ": " + ended);
    }
}
