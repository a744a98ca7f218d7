package brig.workeragent.tunnel.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An SFTP server with files in memory. Like OpenSSH's it follows links when it opens, lists and changes, and takes its
 * requests one after the other. A test may change its files between two requests.
 */
final class FakeFar {
    /** A file, folder or link; two names for one file are a hard link. */
    static final class Node {
        final char kind;
        byte[] content;
        int mode;
        int modified = 1000;

        Node(char kind, String content, int mode) {
            this.kind = kind;
            this.content = content.getBytes(ISO_8859_1);
            this.mode = mode;
        }

        String text() {
            return new String(content, UTF_8);
        }
    }

    private record Open(Node node, @Nullable String folder, boolean[] listed) {}

    final Map<String, Node> nodes = new TreeMap<>();
    final List<Integer> requests = new ArrayList<>();
    private final Map<Integer, Runnable> before = new HashMap<>();
    private final Map<Integer, Open> handles = new HashMap<>();
    private int last;

    Node file(String path, String content) {
        return put(path, new Node('f', content, 0100644));
    }

    void folder(String path) {
        put(path, new Node('d', "", 0040755));
    }

    void link(String path, String target) {
        put(path, new Node('l', target, 0120777));
    }

    private Node put(String path, Node node) {
        nodes.put(path, node);
        return node;
    }

    /** Does something once, just before the next request of that type is served. */
    void before(int type, Runnable action) {
        before.put(type, action);
    }

    int open() {
        return handles.size();
    }

    byte[] serve(byte[] packet) {
        SftpReader in = new SftpReader(packet);
        int type = in.u8();
        int id = in.u32();
        requests.add(type);
        boolean byHandle = Set.of(Sftp.READ, Sftp.WRITE, Sftp.FSTAT, Sftp.FSETSTAT, Sftp.READDIR)
                .contains(type);
        if (byHandle && !handles.containsKey(handle(after(packet)))) {
            return status(id, Sftp.FAILURE);
        }
        Runnable action = before.remove(type);
        if (action != null) {
            action.run();
        }
        return switch (type) {
            case Sftp.OPEN -> opened(id, text(in), in.u32(), FileAttributes.read(in));
            case Sftp.CLOSE -> status(id, handles.remove(handle(in)) == null ? Sftp.FAILURE : Sftp.OK);
            case Sftp.READ -> read(id, handles.get(handle(in)), in.u64(), in.u32());
            case Sftp.WRITE -> write(id, handles.get(handle(in)), in.u64(), in.string(Sftp.DATA_BYTES_MAX));
            case Sftp.LSTAT -> attributes(id, node(real(text(in), false)));
            case Sftp.FSTAT -> attributes(id, handles.get(handle(in)).node());
            case Sftp.SETSTAT -> change(id, node(real(text(in), true)), FileAttributes.read(in));
            case Sftp.FSETSTAT -> change(id, handles.get(handle(in)).node(), FileAttributes.read(in));
            case Sftp.OPENDIR -> openFolder(id, real(text(in), true));
            case Sftp.READDIR -> list(id, handles.get(handle(in)));
            case Sftp.REMOVE, Sftp.RMDIR ->
                status(id, remove(real(text(in), false)) == null ? Sftp.NO_SUCH_FILE : Sftp.OK);
            case Sftp.MKDIR -> {
                String made = real(text(in), false);
                nodes.put(made == null ? "/lost" : made, new Node('d', "", 0040755));
                yield status(id, Sftp.OK);
            }
            case Sftp.REALPATH -> name(id, real(text(in), true));
            case Sftp.READLINK -> name(id, target(node(real(text(in), false))));
            case Sftp.SYMLINK -> {
                String target = text(in);
                String made = real(text(in), false);
                link(made == null ? "/lost" : made, target);
                yield status(id, Sftp.OK);
            }
            case Sftp.RENAME -> rename(id, text(in), text(in));
            case Sftp.EXTENDED -> extended(id, in);
            default -> status(id, Sftp.OP_UNSUPPORTED);
        };
    }

    private byte[] extended(int id, SftpReader in) {
        String name = text(in);
        return switch (name) {
            case Sftp.POSIX_RENAME -> rename(id, text(in), text(in));
            case Sftp.HARDLINK -> {
                Node linked = nodes.get(text(in));
                yield status(id, linked == null || nodes.put(text(in), linked) != null ? Sftp.FAILURE : Sftp.OK);
            }
            case Sftp.FSYNC, Sftp.LSETSTAT -> status(id, Sftp.OK);
            case Sftp.STATVFS -> new SftpWriter(Sftp.EXTENDED_REPLY, id).done();
            default -> status(id, Sftp.OP_UNSUPPORTED);
        };
    }

    private @Nullable Node node(@Nullable String path) {
        return path == null ? null : nodes.get(path);
    }

    private @Nullable Node remove(@Nullable String path) {
        return path == null ? null : nodes.remove(path);
    }

    private static @Nullable String target(@Nullable Node node) {
        return node == null ? null : node.text();
    }

    private byte[] rename(int id, String from, String to) {
        List<String> moved = nodes.keySet().stream()
                .filter(path -> path.equals(from) || path.startsWith(from + "/"))
                .toList();
        moved.forEach(path -> nodes.put(to + path.substring(from.length()), nodes.remove(path)));
        return status(id, moved.isEmpty() ? Sftp.NO_SUCH_FILE : Sftp.OK);
    }

    /** The path without links; null if something on the way is missing. */
    private @Nullable String real(String path, boolean all) {
        ArrayDeque<String> left = new ArrayDeque<>(Arrays.asList(path.split("/")));
        String real = "";
        for (int steps = 0; !left.isEmpty() && steps < 40; steps++) {
            String part = left.poll();
            if (part.isEmpty() || part.equals(".")) {
                continue;
            }
            String next = part.equals("..") ? real.substring(0, Math.max(0, real.lastIndexOf('/'))) : real + "/" + part;
            Node node = nodes.get(next);
            if (node == null && !left.isEmpty() && !next.isEmpty()) {
                return null;
            }
            if (node != null && node.kind == 'l' && (all || !left.isEmpty())) {
                List<String> target = new ArrayList<>(Arrays.asList(node.text().split("/")));
                real = node.text().startsWith("/") ? "" : real;
                target.addAll(left);
                left = new ArrayDeque<>(target);
            } else {
                real = next;
            }
        }
        return real.isEmpty() ? "/" : real;
    }

    private byte[] opened(int id, String path, int flags, FileAttributes attributes) {
        boolean exclusive = (flags & Sftp.FLAG_EXCL) != 0;
        String real = real(path, !exclusive);
        Node node = real == null ? null : nodes.get(real);
        if (exclusive && node != null) {
            return status(id, Sftp.FAILURE);
        }
        if (node == null && ((flags & Sftp.FLAG_CREAT) == 0 || real == null)) {
            return status(id, Sftp.NO_SUCH_FILE);
        }
        Node found = node == null ? put(String.valueOf(real), new Node('f', "", 0100000 | attributes.mode())) : node;
        if ((flags & Sftp.FLAG_TRUNC) != 0) {
            found.content = new byte[0];
        }
        handles.put(++last, new Open(found, null, new boolean[1]));
        return new SftpWriter(Sftp.HANDLE, id).string(handleOf(last)).done();
    }

    private byte[] openFolder(int id, @Nullable String path) {
        Node node = node(path);
        if (node == null || node.kind != 'd') {
            return status(id, Sftp.NO_SUCH_FILE);
        }
        handles.put(++last, new Open(node, path, new boolean[1]));
        return new SftpWriter(Sftp.HANDLE, id).string(handleOf(last)).done();
    }

    private byte[] list(int id, Open open) {
        if (open.listed()[0]) {
            return status(id, Sftp.EOF);
        }
        open.listed()[0] = true;
        String inside = open.folder() + "/";
        List<String> names = nodes.keySet().stream()
                .filter(path -> path.startsWith(inside) && path.indexOf('/', inside.length()) < 0)
                .toList();
        SftpWriter out = new SftpWriter(Sftp.NAME, id).u32(names.size());
        for (String path : names) {
            out.string(path.substring(inside.length()).getBytes(ISO_8859_1))
                    .string("-rw-r--r-- 1 0 0 6 Jan 1 x".getBytes(ISO_8859_1));
            of(nodes.get(path)).write(out);
        }
        return out.done();
    }

    private static byte[] read(int id, Open open, long offset, int length) {
        byte[] content = open.node().content;
        if (offset >= content.length) {
            return status(id, Sftp.EOF);
        }
        int end = (int) Math.min(content.length, offset + length);
        return new SftpWriter(Sftp.DATA, id)
                .string(Arrays.copyOfRange(content, (int) offset, end))
                .done();
    }

    private static byte[] write(int id, Open open, long offset, byte[] data) {
        Node node = open.node();
        node.content = Arrays.copyOf(node.content, Math.max(node.content.length, (int) offset + data.length));
        System.arraycopy(data, 0, node.content, (int) offset, data.length);
        return status(id, Sftp.OK);
    }

    private static byte[] change(int id, @Nullable Node node, FileAttributes wanted) {
        if (node == null) {
            return status(id, Sftp.NO_SUCH_FILE);
        }
        if (wanted.has(FileAttributes.SIZE)) {
            node.content = Arrays.copyOf(node.content, (int) wanted.size());
        }
        if (wanted.has(FileAttributes.MODE)) {
            node.mode = node.mode & 0170000 | wanted.mode() & 07777;
        }
        return status(id, Sftp.OK);
    }

    private static byte[] attributes(int id, @Nullable Node node) {
        return node == null
                ? status(id, Sftp.NO_SUCH_FILE)
                : of(node).write(new SftpWriter(Sftp.ATTRS, id)).done();
    }

    private static FileAttributes of(Node node) {
        return new FileAttributes(15, node.content.length, 1, 1, node.mode, node.modified, node.modified);
    }

    private static byte[] name(int id, @Nullable String path) {
        return path == null
                ? status(id, Sftp.NO_SUCH_FILE)
                : new SftpWriter(Sftp.NAME, id)
                        .u32(1)
                        .string(path.getBytes(ISO_8859_1))
                        .string(new byte[0])
                        .u32(0)
                        .done();
    }

    private static byte[] status(int id, int code) {
        return new SftpWriter(Sftp.STATUS, id)
                .u32(code)
                .string("said".getBytes(UTF_8))
                .string(new byte[0])
                .done();
    }

    private static byte[] handleOf(int number) {
        return ("handle-" + number).getBytes(ISO_8859_1);
    }

    private static SftpReader after(byte[] packet) {
        SftpReader in = new SftpReader(packet);
        in.u8();
        in.u32();
        return in;
    }

    private static int handle(SftpReader in) {
        String handle = text(in);
        return handle.matches("handle-\\d{1,6}") ? Integer.parseInt(handle.substring("handle-".length())) : 0;
    }

    private static String text(SftpReader in) {
        return new String(in.string(Sftp.DATA_BYTES_MAX), ISO_8859_1);
    }
}
