package brig.workeragent.tunnel.files;

import static brig.workeragent.tunnel.files.FilterFixture.NONE;
import static brig.workeragent.tunnel.files.FilterFixture.path;
import static brig.workeragent.tunnel.files.FilterFixture.request;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ways to a private file, or out of the folder. All that is secret in the fixture says SECRET. */
class FilterAttacksTest {
    private static final int WRITE = Sftp.FLAG_WRITE | Sftp.FLAG_CREAT | Sftp.FLAG_TRUNC;

    private final FilterFixture fixture = new FilterFixture();

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".env",
                "src/key.pem",
                "secrets/a",
                ".ssh/config",
                "own.txt",
                // Other forms of the same names.
                ".ENV",
                "src/KEY.Pem",
                ".e\u00e2\u0080\u008cnv",
                // Copies that editors keep.
                ".env.swp",
                "..env.swp",
                ".env~",
                ".env.~1~",
                "#.env#",
                ".#.env",
                "src/.key.pem.swo",
                "src/key.pem___jb_tmp___",
                "src/.key.pem.un~",
                "src/key.pem.bak",
                // Bytes that are not UTF-8.
                "src/\u00ff\u00fe.pem",
                // Ways out.
                "..",
                "../outside.txt",
                "src/../../outside.txt",
                "src/../.env",
                "./.env",
                "src//../.env",
                "/home/me/outside.txt",
                "/home/me/project2/x",
                "/home/me/project/../outside.txt",
                "/etc/passwd",
                "/",
                "",
                ".env\0",
                "src/Main.java\0.pem",
                "src/.",
                "src/"
            })
    void shouldRefuseTheName(String name) {
        fixture.far.file("/home/me/project/" + name, "SECRET");
        byte[] raw = name.isEmpty() ? new byte[0] : path(name);
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(NONE.write(request(Sftp.OPEN).string(raw).u32(Sftp.FLAG_READ))));
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(NONE.write(request(Sftp.OPEN).string(raw).u32(WRITE))));
        assertEquals(Sftp.PERMISSION_DENIED, fixture.status(request(Sftp.REMOVE).string(raw)));
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(request(Sftp.RENAME).string(raw).string(path("free"))));
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(request(Sftp.RENAME, "src/Main.java").string(raw)));
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(FarFolder.extended(Sftp.POSIX_RENAME).string(raw).string(path("free"))));
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(FarFolder.extended(Sftp.HARDLINK).string(raw).string(path("free"))));
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(new FileAttributes(FileAttributes.MODE, 0, 0, 0, 0644, 0, 0)
                        .write(request(Sftp.SETSTAT).string(raw))));
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(
                        FileAttributes.ofSize(0).write(request(Sftp.SETSTAT).string(raw))));
        assertEquals(
                Sftp.PERMISSION_DENIED, fixture.status(request(Sftp.READLINK).string(raw)));
        assertEquals(List.of(), fixture.far.requests, "nothing of it reaches the far side");
    }

    @ParameterizedTest
    @ValueSource(strings = {".env", "src/../.env", "/home/me/project/.env", "secrets/a", "./secrets/../.env"})
    void shouldMakeNoLinkToAPrivateFile(String target) {
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(
                        request(Sftp.SYMLINK).string(target.getBytes(UTF_8)).string(path("free"))));
        assertFalse(fixture.far.nodes.containsKey("/home/me/project/free"));
    }

    @ParameterizedTest
    @ValueSource(strings = {".env", "chain", "../outside.txt", "/etc/passwd", "src/Main.java", "missing"})
    void shouldFollowNoLinkAtTheEnd(String target) {
        fixture.far.link("/home/me/project/chain", ".env");
        fixture.far.link("/home/me/project/innocent", target);
        assertEquals(Sftp.PERMISSION_DENIED, fixture.read("innocent"));
        assertEquals(Sftp.PERMISSION_DENIED, fixture.open("innocent", WRITE).status());
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(FileAttributes.ofSize(0).write(request(Sftp.SETSTAT, "innocent"))));
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(new FileAttributes(FileAttributes.MODE, 0, 0, 0, 0644, 0, 0)
                        .write(request(Sftp.SETSTAT, "innocent"))));
        assertEquals(Sftp.PERMISSION_DENIED, fixture.status(request(Sftp.OPENDIR, "innocent")));
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(FarFolder.extended(Sftp.HARDLINK)
                        .string(path("innocent"))
                        .string(path("free"))));
        assertEquals("SECRET", fixture.far.nodes.get("/home/me/project/.env").text());
        assertFalse(fixture.far.nodes.containsKey("/home/me/project/missing"));
    }

    @Test
    void shouldFollowNoLinkOnTheWay() {
        fixture.far.link("/home/me/project/up", "..");
        fixture.far.link("/home/me/project/away", "/etc");
        fixture.far.link("/home/me/project/back", "secrets");
        for (String name : List.of("up/outside.txt", "away/passwd", "back/a", "up/project/.env", "away/new")) {
            assertEquals(Sftp.PERMISSION_DENIED, fixture.read(name), name);
            assertEquals(Sftp.PERMISSION_DENIED, fixture.open(name, WRITE).status(), name);
            assertEquals(Sftp.PERMISSION_DENIED, fixture.status(request(Sftp.LSTAT, name)), name);
            assertEquals(Sftp.PERMISSION_DENIED, fixture.status(request(Sftp.STAT, name)), name);
            assertEquals(Sftp.PERMISSION_DENIED, fixture.status(request(Sftp.REMOVE, name)), name);
            assertEquals(Sftp.PERMISSION_DENIED, fixture.status(NONE.write(request(Sftp.MKDIR, name))), name);
            assertEquals(
                    Sftp.PERMISSION_DENIED,
                    fixture.status(request(Sftp.RENAME, name).string(path("free"))));
            assertEquals(
                    Sftp.PERMISSION_DENIED,
                    fixture.status(request(Sftp.RENAME, "src/Main.java").string(path(name))));
            assertEquals(
                    Sftp.PERMISSION_DENIED,
                    fixture.status(
                            request(Sftp.SYMLINK).string("x".getBytes(UTF_8)).string(path(name))));
        }
        assertEquals(Sftp.PERMISSION_DENIED, fixture.status(request(Sftp.OPENDIR, "up")));
        assertFalse(fixture.far.nodes.containsKey("/etc/new"));
        assertEquals("SECRET", fixture.far.nodes.get("/etc/passwd").text());
        assertEquals(0, fixture.far.open());
    }

    @Test
    void shouldReadNothingWhenALinkIsPutInBeforeTheOpen() {
        // Scenario: the file becomes a link between the request and the far side's open.
        fixture.far.before(Sftp.OPEN, () -> fixture.far.link("/home/me/project/src/Main.java", "../.env"));
        assertEquals(Sftp.PERMISSION_DENIED, fixture.read("src/Main.java"));
        assertEquals(0, fixture.far.open());
    }

    @Test
    void shouldReadNothingWhenTheLinkIsTakenOutAfterTheOpen() {
        // Scenario: a link for the length of the open, and the file itself again when the path is looked at.
        FakeFar.Node file = fixture.far.nodes.get("/home/me/project/src/Main.java");
        file.modified = 7;
        fixture.far.before(Sftp.OPEN, () -> fixture.far.link("/home/me/project/src/Main.java", "../.env"));
        fixture.far.before(Sftp.REALPATH, () -> fixture.far.nodes.put("/home/me/project/src/Main.java", file));
        assertEquals(Sftp.PERMISSION_DENIED, fixture.read("src/Main.java"));
        assertEquals(0, fixture.far.open());
    }

    @Test
    void shouldHarmNothingWhenALinkIsPutInBeforeAWrite() {
        fixture.far.before(Sftp.OPEN, () -> fixture.far.link("/home/me/project/src/Main.java", "../.env"));
        assertEquals(
                Sftp.PERMISSION_DENIED, fixture.open("src/Main.java", WRITE).status());
        assertEquals("SECRET", fixture.far.nodes.get("/home/me/project/.env").text());

        fixture.far.before(Sftp.OPEN, () -> fixture.far.link("/home/me/project/new", "../outside.txt"));
        assertEquals(Sftp.PERMISSION_DENIED, fixture.open("new", WRITE).status());
        assertEquals("SECRET", fixture.far.nodes.get("/home/me/outside.txt").text());

        fixture.far.nodes.remove("/home/me/project/new");
        fixture.far.before(Sftp.OPEN, () -> fixture.far.link("/home/me/project/new", "../made"));
        assertEquals(Sftp.PERMISSION_DENIED, fixture.open("new", WRITE).status());
        assertFalse(fixture.far.nodes.containsKey("/home/me/made"), "EXCL follows no link");
        assertEquals(0, fixture.far.open());
    }

    @Test
    void shouldNotCutAFileBehindALinkThatIsPutIn() {
        fixture.far.before(Sftp.OPEN, () -> fixture.far.link("/home/me/project/src/Main.java", "../.env"));
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(FileAttributes.ofSize(0).write(request(Sftp.SETSTAT, "src/Main.java"))));
        assertEquals("SECRET", fixture.far.nodes.get("/home/me/project/.env").text());
    }

    @Test
    void shouldListNothingOfAFolderThatBecomesALink() {
        fixture.far.before(Sftp.OPENDIR, () -> fixture.far.link("/home/me/project/src", "/etc"));
        assertEquals(Sftp.PERMISSION_DENIED, fixture.status(request(Sftp.OPENDIR, "src")));
        assertEquals(0, fixture.far.open());
    }

    @Test
    void shouldOpenNoPipeAndNoDevice() {
        fixture.far.file("/home/me/project/pipe", "").mode = 0010644;
        assertEquals(Sftp.PERMISSION_DENIED, fixture.read("pipe"));
        assertEquals(Sftp.PERMISSION_DENIED, fixture.open("pipe", WRITE).status());
    }

    @Test
    void shouldShowThatAPrivateFileIsThereAndNothingElse() {
        for (String name : List.of(".env", "src/key.pem", "own.txt", ".ENV")) {
            fixture.far.nodes.putIfAbsent("/home/me/project/" + name, new FakeFar.Node('f', "SECRET", 0100644));
            FileAttributes shown = fixture.look(name);
            assertEquals(0, shown.size(), name);
            assertEquals(0, shown.modified(), name);
            assertEquals(0100000, shown.mode(), name);
        }
        byte[] handle = FarFolder.handle(fixture.ask(request(Sftp.OPENDIR, "src")));
        Exchanges.Reply listed = fixture.ask(request(Sftp.READDIR).string(handle));
        SftpReader in = listed.fields();
        assertEquals(2, in.u32());
        assertEquals("Main.java", new String(in.string(99), ISO_8859_1));
        assertEquals(0, in.string(99).length, "the long name has the size");
        assertEquals(6, FileAttributes.read(in).size());
        assertEquals("key.pem", new String(in.string(99), ISO_8859_1));
        assertEquals(0, in.string(99).length);
        assertEquals(0, FileAttributes.read(in).size());
        assertEquals(0, fixture.look("src/key.pem").size(), "what the list kept");
    }

    @Test
    void shouldOpenNoFolderThatIsPrivate() {
        assertEquals(Sftp.PERMISSION_DENIED, fixture.status(request(Sftp.OPENDIR, ".ssh")));
        assertEquals(0, fixture.look(".ssh/config").size());
    }

    @Test
    void shouldRenameNoFolderWhoseFilesArePrivateByTheirPath() {
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(request(Sftp.RENAME, "secrets").string(path("public"))));
        assertEquals(Sftp.OK, fixture.status(request(Sftp.RENAME, "src").string(path("source"))), "names go with it");
        assertEquals(Sftp.PERMISSION_DENIED, fixture.read("source/key.pem"));
    }

    @Test
    void shouldRefuseAHardLinkThatWasFoundOnTheFarSide() {
        FakeFar.Node secret = fixture.far.nodes.get("/home/me/project/.env");
        fixture.far.nodes.put("/home/me/project/src/old", secret);
        assertEquals("SECRET", fixture.read("src/old"), "by its name alone nobody can tell");

        fixture.names.add(List.of(new FarPath("/home/me/project/src/old")));
        fixture.filter.forget();
        assertEquals(Sftp.PERMISSION_DENIED, fixture.read("src/old"));
        assertEquals(0, fixture.look("src/old").size());
        assertEquals(
                Sftp.PERMISSION_DENIED,
                fixture.status(request(Sftp.RENAME, "src").string(path("source"))));
    }

    @Test
    void shouldGiveNoHandleTwice() {
        byte[] first = FarFolder.handle(fixture.open("src/Main.java", Sftp.FLAG_READ));
        assertEquals("public", fixture.readOpen(first));
        assertEquals(Sftp.OK, fixture.status(request(Sftp.CLOSE).string(first)));
        fixture.far.file("/home/me/project/src/Other.java", "other");
        byte[] second = FarFolder.handle(fixture.open("src/Other.java", Sftp.FLAG_READ));

        assertEquals(Sftp.FAILURE, fixture.readOpen(first), "closed");
        assertEquals(Sftp.FAILURE, fixture.status(request(Sftp.CLOSE).string(first)));
        assertEquals("other", fixture.readOpen(second));
    }

    @Test
    void shouldKnowNoHandleOfTheFarSideAndNoFolderAsAFile() {
        byte[] folder = FarFolder.handle(fixture.ask(request(Sftp.OPENDIR, "src")));
        assertEquals(Sftp.FAILURE, fixture.readOpen("handle-1".getBytes(UTF_8)));
        assertEquals(Sftp.FAILURE, fixture.readOpen(new byte[0]));
        assertEquals(Sftp.FAILURE, fixture.readOpen(new byte[] {0, 0, 0, 99}));
        assertEquals(Sftp.FAILURE, fixture.readOpen(folder));
        byte[] file = FarFolder.handle(fixture.open("src/Main.java", Sftp.FLAG_READ));
        assertEquals(Sftp.FAILURE, fixture.status(request(Sftp.READDIR).string(file)));
    }

    @Test
    void shouldChangeNoOwnerAndMakeNoSetUserIdFile() {
        FileAttributes owner = new FileAttributes(FileAttributes.OWNER, 0, 0, 0, 0, 0, 0);
        FileAttributes setsUser = new FileAttributes(FileAttributes.MODE, 0, 0, 0, 04755, 0, 0);
        for (FileAttributes wanted : List.of(owner, setsUser)) {
            assertEquals(Sftp.FAILURE, fixture.status(wanted.write(request(Sftp.SETSTAT, "src/Main.java"))));
            assertEquals(Sftp.FAILURE, fixture.status(wanted.write(request(Sftp.MKDIR, "new"))));
            assertEquals(
                    Sftp.FAILURE,
                    fixture.status(wanted.write(request(Sftp.OPEN, "new").u32(WRITE))));
            byte[] handle = FarFolder.handle(fixture.open("src/Main.java", Sftp.FLAG_READ));
            assertEquals(
                    Sftp.FAILURE,
                    fixture.status(wanted.write(request(Sftp.FSETSTAT).string(handle))));
        }
        assertTrue(fixture.far.requests.stream().noneMatch(type -> type == Sftp.SETSTAT || type == Sftp.MKDIR));
    }

    @Test
    void shouldRefuseNamesThatAreTooLong() {
        assertEquals(Sftp.PERMISSION_DENIED, fixture.read("a".repeat(256)));
        assertEquals(Sftp.BAD_MESSAGE, fixture.read("a/".repeat(3000) + "a"));
        assertEquals(Sftp.NO_SUCH_FILE, fixture.read("a".repeat(255)));
    }

    @Test
    void shouldKeepTheFolderItself() {
        for (String root : List.of("/home/me/project", "/home/me/project/", "/home/me/project/.")) {
            assertEquals(Sftp.PERMISSION_DENIED, fixture.status(request(Sftp.RMDIR, root)));
            assertEquals(
                    Sftp.PERMISSION_DENIED,
                    fixture.status(request(Sftp.RENAME, root).string(path("x"))));
            assertEquals(
                    Sftp.PERMISSION_DENIED,
                    fixture.status(request(Sftp.RENAME, "src").string(path(root))));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"copy-data", "expand-path@openssh.com", "lsetstat@openssh.com", "limits@openssh.com", ""})
    void shouldRefuseOtherExtensions(String name) {
        assertEquals(
                Sftp.OP_UNSUPPORTED, fixture.status(FarFolder.extended(name).string(path("src/Main.java"))));
        assertEquals(List.of(), fixture.far.requests);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 16, 21, 22, 23, 101, 102, 103, 201, 255})
    void shouldRefuseOtherRequests(int type) {
        assertEquals(Sftp.OP_UNSUPPORTED, fixture.status(request(type, "src/Main.java")));
        assertEquals(List.of(), fixture.far.requests);
    }
}
