package brig.workeragent.tunnel.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import brig.workeragent.tunnel.files.Exchanges.Reply;
import brig.workeragent.tunnel.files.OpenHandles.Handle;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Stands between an SFTP client here and the server of the far side. It lets through what concerns files below one
 * folder, under the name that they really have: the kernel resolves links before it asks sshfs, so a path with a link
 * in it is a race or an attack and is refused. Private files are listed without size and time, and nothing else can be
 * done with them. It makes the packets for both sides itself, except for the content of files. Not thread-safe: its
 * owner has a lock.
 *
 * <p>Decision 0161.
 */
final class SftpFilter {
    private static final Set<String> EXTENSIONS = Set.of(Sftp.POSIX_RENAME, Sftp.HARDLINK, Sftp.FSYNC, Sftp.STATVFS);

    private static final int ANSWER_BYTES = 512;
    private static final int STATVFS_BYTES = 11 * Long.BYTES;
    private static final int EXTENSION_BYTES_MAX = 64;
    /** Two lengths and flags. */
    private static final int ENTRY_BYTES_MIN = 3 * Integer.BYTES;

    private final FarFolder folder;
    private final FarPath root;
    private final PrivateNames names;
    private final AttributeCache known;
    private final Consumer<byte[]> client;
    private final OpenHandles handles = new OpenHandles();
    /** Files whose opening is not answered yet. */
    private final Map<FarPath, CompletableFuture<Boolean>> opening = new HashMap<>();

    private final Set<String> extensions;

    /** @param extensions that the far side has */
    SftpFilter(
            FarFolder folder,
            FarPath root,
            Set<String> extensions,
            PrivateNames names,
            Consumer<byte[]> client,
            LongSupplier nanos) {
        this.folder = folder;
        this.root = root;
        this.extensions = extensions;
        this.names = names;
        this.client = client;
        this.known = new AttributeCache(nanos);
    }

    /** Makes all void that was heard of files: something on the far side may have changed them. */
    void forget() {
        known.forget();
    }

    /**
     * Takes a request of the client.
     *
     * @throws SftpFault if it is none that can be answered
     */
    void request(byte[] packet) {
        SftpReader in = new SftpReader(packet);
        int type = in.u8();
        int id = in.u32();
        if (type == Sftp.INIT) {
            hello(id);
            return;
        }
        try {
            dispatch(type, id, in);
        } catch (Refusal refusal) {
            status(id, refusal.status);
        } catch (SftpFault malformed) {
            status(id, Sftp.BAD_MESSAGE);
        }
    }

    private void dispatch(int type, int id, SftpReader in) {
        switch (type) {
            case Sftp.OPEN -> open(id, in);
            case Sftp.CLOSE -> close(id, in);
            case Sftp.READ -> read(id, in);
            case Sftp.WRITE -> write(id, in);
            case Sftp.LSTAT, Sftp.STAT -> look(id, path(in));
            case Sftp.FSTAT -> lookAtOpen(id, in);
            case Sftp.SETSTAT -> change(id, in);
            case Sftp.FSETSTAT -> changeOpen(id, in);
            case Sftp.OPENDIR -> openFolder(id, openable(path(in)));
            case Sftp.READDIR -> list(id, in);
            case Sftp.REMOVE, Sftp.RMDIR -> {
                FarPath path = entry(in);
                changing(id, path, () -> FarFolder.request(type).string(path.raw()));
            }
            case Sftp.MKDIR -> makeFolder(id, in);
            case Sftp.READLINK -> readLink(id, in);
            case Sftp.SYMLINK -> link(id, in);
            case Sftp.RENAME -> rename(id, in, FarFolder.request(Sftp.RENAME));
            case Sftp.EXTENDED -> extended(id, in);
            default -> status(id, Sftp.OP_UNSUPPORTED);
        }
    }

    private void hello(int version) {
        if (version < Sftp.VERSION_3) {
            throw new SftpFault("version " + version);
        }
        SftpWriter answer = new SftpWriter(Sftp.VERSION, Sftp.VERSION_3);
        for (String name : new TreeSet<>(extensions)) {
            if (EXTENSIONS.contains(name)) {
                String ofExtension = name.equals(Sftp.STATVFS) ? "2" : "1";
                answer.string(name.getBytes(UTF_8)).string(ofExtension.getBytes(UTF_8));
            }
        }
        client.accept(answer.done());
    }

    private void open(int id, SftpReader in) {
        FarPath path = openable(path(in));
        int flags = in.u32();
        FileAttributes attributes = permitted(FileAttributes.read(in));
        if (handles.isFull()) {
            throw new Refusal(Sftp.FAILURE);
        }
        if (flags != Sftp.FLAG_READ) {
            known.forget();
        }
        CompletableFuture<Boolean> answered = new CompletableFuture<>();
        opening.put(path, answered);
        long generation = known.generation();
        then(new CheckedOpen(folder, path, flags, attributes).open(), opened -> {
            if (opened.status() == Sftp.OK) {
                if (opened.attributes() != null) {
                    known.keep(path, opened.attributes(), generation);
                }
                grant(id, new Handle(opened.handle(), path, false));
            } else {
                status(id, opened.status());
            }
            opening.remove(path, answered);
            answered.complete(true);
        });
    }

    private void openFolder(int id, FarPath path) {
        if (handles.isFull()) {
            throw new Refusal(Sftp.FAILURE);
        }
        long generation = known.generation();
        SftpWriter open = FarFolder.request(Sftp.OPENDIR).string(path.raw());
        CompletableFuture<Reply> opened = folder.far().ask(open, Sftp.HANDLE, ANSWER_BYTES);
        then(opened.thenCombine(folder.straight(path), Straight::new), both -> {
            if (both.reply().type() == Sftp.STATUS) {
                status(id, both.straight() == Sftp.OK ? both.reply().status() : both.straight());
                return;
            }
            byte[] handle = FarFolder.handle(both.reply());
            if (both.straight() == Sftp.OK) {
                known.keepStraight(path, generation);
                grant(id, new Handle(handle, path, true));
            } else {
                then(folder.close(handle), ignored -> status(id, Sftp.PERMISSION_DENIED));
            }
        });
    }

    private void grant(int id, Handle handle) {
        client.accept(
                new SftpWriter(Sftp.HANDLE, id).string(handles.add(handle)).done());
    }

    private void close(int id, SftpReader in) {
        Handle handle = handles.remove(in.string(Sftp.HANDLE_BYTES_MAX));
        if (handle == null) {
            throw new Refusal(Sftp.FAILURE);
        }
        answer(id, folder.close(handle.far()));
    }

    private void read(int id, SftpReader in) {
        Handle handle = handle(in, false);
        long offset = in.u64();
        int length = in.u32();
        if (length <= 0 || length > Sftp.DATA_BYTES_MAX) {
            throw new Refusal(Sftp.FAILURE);
        }
        SftpWriter request =
                FarFolder.request(Sftp.READ).string(handle.far()).u64(offset).u32(length);
        then(folder.far().ask(request, Sftp.DATA, length), reply -> {
            if (reply.type() == Sftp.STATUS) {
                status(id, reply.status());
                return;
            }
            SftpReader data = reply.fields();
            int came = data.u32();
            if (came < 1 || came > length || came != data.remaining()) {
                throw new SftpFault(came + " bytes for " + length);
            }
            client.accept(SftpWriter.withId(reply.packet(), id));
        });
    }

    private void write(int id, SftpReader in) {
        Handle handle = handle(in, false);
        long offset = in.u64();
        byte[] data = in.string(Sftp.DATA_BYTES_MAX);
        known.forget();
        SftpWriter request =
                FarFolder.request(Sftp.WRITE).string(handle.far()).u64(offset).string(data);
        then(folder.far().ask(request, Sftp.STATUS, data.length + ANSWER_BYTES), reply -> {
            known.forget();
            status(id, reply.status());
        });
    }

    /** sshfs sends this right behind an open, and expects the file to be there then. */
    private void look(int id, FarPath path) {
        CompletableFuture<Boolean> answered = opening.get(path);
        if (answered != null) {
            then(answered, ignored -> look(id, path));
            return;
        }
        FileAttributes before = known.attributes(path);
        if (before != null) {
            attributes(id, before);
            return;
        }
        long generation = known.generation();
        FarPath parent = path.equals(root) ? root : path.parent();
        CompletableFuture<Integer> straight =
                known.isStraight(parent) ? CompletableFuture.completedFuture(Sftp.OK) : folder.straight(parent);
        then(straight.thenCombine(folder.lstat(path), (status, reply) -> new Straight(reply, status)), both -> {
            if (both.straight() != Sftp.OK) {
                status(id, both.straight());
                return;
            }
            known.keepStraight(parent, generation);
            if (both.reply().type() == Sftp.STATUS) {
                status(id, both.reply().status());
                return;
            }
            FileAttributes shown = shown(path, FarFolder.attributes(both.reply()));
            known.keep(path, shown, generation);
            attributes(id, shown);
        });
    }

    private void lookAtOpen(int id, SftpReader in) {
        Handle handle = handle(in, false);
        then(folder.fstat(handle.far()), reply -> {
            if (reply.type() == Sftp.STATUS) {
                status(id, reply.status());
            } else {
                attributes(id, FarFolder.attributes(reply));
            }
        });
    }

    private void change(int id, SftpReader in) {
        FarPath path = openable(path(in));
        FileAttributes wanted = permitted(FileAttributes.read(in));
        known.forget();
        if (wanted.has(FileAttributes.SIZE)) {
            resize(id, path, wanted);
        } else if (!wanted.has(FileAttributes.MODE) && extensions.contains(Sftp.LSETSTAT)) {
            FarPath parent = path.equals(root) ? root : path.parent();
            send(
                    id,
                    folder.straight(parent),
                    () -> wanted.write(FarFolder.extended(Sftp.LSETSTAT).string(path.raw())));
        } else {
            send(
                    id,
                    folder.straight(path),
                    () -> wanted.write(FarFolder.request(Sftp.SETSTAT).string(path.raw())));
        }
    }

    /** By a handle: a size that is set by a path is set beyond links. */
    private void resize(int id, FarPath path, FileAttributes wanted) {
        if (wanted.flags() != FileAttributes.SIZE) {
            throw new Refusal(Sftp.FAILURE);
        }
        FileAttributes none = new FileAttributes(0, 0, 0, 0, 0, 0, 0);
        then(new CheckedOpen(folder, path, Sftp.FLAG_WRITE, none).open(), opened -> {
            if (opened.status() != Sftp.OK) {
                status(id, opened.status());
                return;
            }
            then(
                    folder.resize(opened.handle(), wanted.size()),
                    resized -> then(
                            folder.close(opened.handle()),
                            closed -> changed(id, resized == Sftp.OK ? closed : resized)));
        });
    }

    private void changeOpen(int id, SftpReader in) {
        Handle handle = handle(in, false);
        FileAttributes wanted = permitted(FileAttributes.read(in));
        known.forget();
        then(
                folder.done(wanted.write(FarFolder.request(Sftp.FSETSTAT).string(handle.far()))),
                status -> changed(id, status));
    }

    private void list(int id, SftpReader in) {
        Handle handle = handle(in, true);
        long generation = known.generation();
        SftpWriter request = FarFolder.request(Sftp.READDIR).string(handle.far());
        then(folder.far().ask(request, Sftp.NAME, Sftp.PACKET_BYTES_MAX), reply -> {
            if (reply.type() == Sftp.STATUS) {
                status(id, reply.status());
            } else {
                client.accept(listed(id, handle.path(), reply, generation));
            }
        });
    }

    /** The long names are left out: they have sizes and times of private files, and sshfs does not read them. */
    private byte[] listed(int id, FarPath in, Reply reply, long generation) {
        SftpReader fields = reply.fields();
        int count = fields.u32();
        if (count < 0 || count > fields.remaining() / ENTRY_BYTES_MIN) {
            throw new SftpFault(Integer.toUnsignedString(count) + " names");
        }
        SftpWriter answer = new SftpWriter(Sftp.NAME, id).u32(count);
        for (int i = 0; i < count; i++) {
            byte[] raw = fields.string(Sftp.PATH_BYTES_MAX);
            String name = new String(raw, ISO_8859_1);
            fields.string(Sftp.PACKET_BYTES_MAX);
            FileAttributes attributes = FileAttributes.read(fields);
            if (!FarPath.isName(name)) {
                throw new SftpFault("a folder has an entry that is no name");
            }
            if (!name.equals(".") && !name.equals("..")) {
                attributes = shown(in.child(name), attributes);
                known.keep(in.child(name), attributes, generation);
            }
            attributes.write(answer.string(raw).string(new byte[0]));
        }
        fields.end();
        return answer.done();
    }

    private void makeFolder(int id, SftpReader in) {
        FarPath path = entry(in);
        FileAttributes attributes = permitted(FileAttributes.read(in));
        changing(id, path, () -> attributes.write(FarFolder.request(Sftp.MKDIR).string(path.raw())));
    }

    private void readLink(int id, SftpReader in) {
        FarPath path = entry(in);
        SftpWriter request = FarFolder.request(Sftp.READLINK).string(path.raw());
        CompletableFuture<Reply> target = folder.far().ask(request, Sftp.NAME, Sftp.PATH_BYTES_MAX);
        then(
                folder.straight(path.parent()).thenCombine(target, (status, reply) -> new Straight(reply, status)),
                both -> {
                    int status = both.straight() == Sftp.OK ? both.reply().status() : both.straight();
                    if (status != Sftp.OK) {
                        status(id, status);
                        return;
                    }
                    SftpWriter answer = new SftpWriter(Sftp.NAME, id).u32(1).string(FarFolder.oneName(both.reply()));
                    client.accept(answer.string(new byte[0]).u32(0).done());
                });
    }

    /** A link may lead out of the folder: what it says is resolved inside the wall, and the filter follows none. */
    private void link(int id, SftpReader in) {
        byte[] target = in.string(Sftp.PATH_BYTES_MAX);
        FarPath path = entry(in);
        FarPath leadsTo = resolved(path.parent(), new String(target, ISO_8859_1));
        if (root.within(leadsTo.raw()) != null && names.isPrivate(leadsTo)) {
            throw new Refusal(Sftp.PERMISSION_DENIED);
        }
        changing(id, path, () -> FarFolder.request(Sftp.SYMLINK).string(target).string(path.raw()));
    }

    private static FarPath resolved(FarPath from, String target) {
        Deque<String> parts = new ArrayDeque<>();
        String whole = target.startsWith("/") ? target : from.bytes() + "/" + target;
        for (String part : whole.split("/", -1)) {
            if (part.equals("..")) {
                parts.pollLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.addLast(part);
            }
        }
        return new FarPath("/" + String.join("/", parts));
    }

    private void rename(int id, SftpReader in, SftpWriter request) {
        FarPath from = entry(in);
        FarPath to = entry(in);
        CompletableFuture<Integer> straight = folder.straight(from.parent())
                .thenCombine(folder.straight(to.parent()), (one, other) -> one == Sftp.OK ? other : one);
        if (names.hasPathsBelow(from)) {
            straight = straight.thenCombine(folder.lstat(from), SftpFilter::unlessFolder);
        }
        known.forget();
        send(id, straight, () -> request.string(from.raw()).string(to.raw()));
    }

    /** A folder whose files are private by their paths keeps its name. */
    private static int unlessFolder(int straight, Reply found) {
        if (straight != Sftp.OK) {
            return straight;
        }
        boolean file =
                found.type() == Sftp.ATTRS && !FarFolder.attributes(found).isFolder();
        return file ? Sftp.OK : Sftp.PERMISSION_DENIED;
    }

    private void extended(int id, SftpReader in) {
        String name = new String(in.string(EXTENSION_BYTES_MAX), UTF_8);
        switch (name) {
            case Sftp.POSIX_RENAME -> rename(id, in, FarFolder.extended(name));
            case Sftp.HARDLINK -> hardLink(id, in);
            case Sftp.FSYNC -> {
                SftpWriter request =
                        FarFolder.extended(name).string(handle(in, false).far());
                answer(id, folder.done(request));
            }
            case Sftp.STATVFS -> space(id, path(in));
            default -> throw new Refusal(Sftp.OP_UNSUPPORTED);
        }
    }

    private void hardLink(int id, SftpReader in) {
        FarPath from = entry(in);
        FarPath to = entry(in);
        known.forget();
        send(
                id,
                folder.straight(from)
                        .thenCombine(folder.straight(to.parent()), (one, other) -> one == Sftp.OK ? other : one),
                () -> FarFolder.extended(Sftp.HARDLINK).string(from.raw()).string(to.raw()));
    }

    /** Of the root, whatever file it was asked about: no link can be in the way there. */
    private void space(int id, FarPath ignored) {
        SftpWriter request = FarFolder.extended(Sftp.STATVFS).string(root.raw());
        then(folder.far().ask(request, Sftp.EXTENDED_REPLY, ANSWER_BYTES), reply -> {
            if (reply.type() == Sftp.STATUS) {
                status(id, reply.status());
                return;
            }
            if (reply.fields().remaining() != STATVFS_BYTES) {
                throw new SftpFault("no figures of a file system");
            }
            client.accept(SftpWriter.withId(reply.packet(), id));
        });
    }

    /** Changes an entry of a folder to which no link leads. */
    private void changing(int id, FarPath path, Supplier<SftpWriter> request) {
        known.forget();
        send(id, folder.straight(path.parent()), request);
    }

    private void send(int id, CompletableFuture<Integer> may, Supplier<SftpWriter> request) {
        then(may, status -> {
            if (status == Sftp.OK) {
                then(folder.done(request.get()), done -> changed(id, done));
            } else {
                status(id, status);
            }
        });
    }

    private void changed(int id, int status) {
        known.forget();
        status(id, status);
    }

    private void answer(int id, CompletableFuture<Integer> status) {
        then(status, code -> status(id, code));
    }

    private <T> void then(CompletableFuture<T> answer, Consumer<T> step) {
        folder.far().then(answer, step);
    }

    private void status(int id, int status) {
        int code = status < Sftp.OK || status > Sftp.OP_UNSUPPORTED ? Sftp.FAILURE : status;
        client.accept(new SftpWriter(Sftp.STATUS, id)
                .u32(code)
                .string(new byte[0])
                .string(new byte[0])
                .done());
    }

    private void attributes(int id, FileAttributes attributes) {
        client.accept(attributes.write(new SftpWriter(Sftp.ATTRS, id)).done());
    }

    private FileAttributes shown(FarPath path, FileAttributes attributes) {
        return names.isPrivate(path) ? attributes.masked() : attributes;
    }

    private FarPath path(SftpReader in) {
        FarPath path = root.within(in.string(Sftp.PATH_BYTES_MAX));
        if (path == null) {
            throw new Refusal(Sftp.PERMISSION_DENIED);
        }
        return path;
    }

    private FarPath openable(FarPath path) {
        if (names.isPrivate(path)) {
            throw new Refusal(Sftp.PERMISSION_DENIED);
        }
        return path;
    }

    /** A path below the root, which itself is nobody's to rename or to remove. */
    private FarPath entry(SftpReader in) {
        FarPath path = openable(path(in));
        if (path.equals(root)) {
            throw new Refusal(Sftp.PERMISSION_DENIED);
        }
        return path;
    }

    private Handle handle(SftpReader in, boolean ofFolder) {
        Handle handle = handles.get(in.string(Sftp.HANDLE_BYTES_MAX));
        if (handle == null || handle.folder() != ofFolder) {
            throw new Refusal(Sftp.FAILURE);
        }
        return handle;
    }

    /** No owner is changed, as ids mean other users there, and no file becomes one that runs as its owner. */
    private static FileAttributes permitted(FileAttributes wanted) {
        if (wanted.has(FileAttributes.OWNER) || wanted.setsUserId()) {
            throw new Refusal(Sftp.FAILURE);
        }
        return wanted;
    }

    private record Straight(Reply reply, int straight) {}

    /** A request that is answered with a status. */
    private static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final int status;

        Refusal(int status) {
            super(null, null, false, false);
            this.status = status;
        }
    }
}
