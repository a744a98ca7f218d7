package brig.workeragent.tunnel.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.workeragent.tunnel.files.Exchanges.Reply;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Questions about files of the far side, and what their answers say. Not thread-safe. */
final class FarFolder {
    private static final int ANSWER_BYTES = 512;
    private static final int READ_BYTES = 32 * 1024;

    private final Exchanges far;

    FarFolder(Exchanges far) {
        this.far = far;
    }

    Exchanges far() {
        return far;
    }

    static SftpWriter request(int type) {
        return new SftpWriter(type, 0);
    }

    static SftpWriter extended(String name) {
        return request(Sftp.EXTENDED).string(name.getBytes(UTF_8));
    }

    /** The answer to a request that is only done or not. */
    CompletableFuture<Integer> done(SftpWriter request) {
        return far.ask(request, Sftp.STATUS, ANSWER_BYTES).thenApply(Reply::status);
    }

    /** Where a path leads after all links; a status if nowhere. */
    CompletableFuture<Reply> real(byte[] path) {
        return far.ask(request(Sftp.REALPATH).string(path), Sftp.NAME, Sftp.PATH_BYTES_MAX);
    }

    /** {@code OK} if no link is on the way to that path, nor at its end. A file that is missing at its end may be. */
    CompletableFuture<Integer> straight(FarPath path) {
        return real(path.raw()).thenApply(reply -> {
            if (reply.type() == Sftp.NAME) {
                return Arrays.equals(oneName(reply), path.raw()) ? Sftp.OK : Sftp.PERMISSION_DENIED;
            }
            return reply.status() == Sftp.NO_SUCH_FILE ? Sftp.NO_SUCH_FILE : Sftp.PERMISSION_DENIED;
        });
    }

    CompletableFuture<Reply> lstat(FarPath path) {
        return far.ask(request(Sftp.LSTAT).string(path.raw()), Sftp.ATTRS, ANSWER_BYTES);
    }

    CompletableFuture<Reply> fstat(byte[] handle) {
        return far.ask(request(Sftp.FSTAT).string(handle), Sftp.ATTRS, ANSWER_BYTES);
    }

    CompletableFuture<Reply> open(FarPath path, int flags, FileAttributes attributes) {
        SftpWriter request = request(Sftp.OPEN).string(path.raw()).u32(flags);
        return far.ask(attributes.write(request), Sftp.HANDLE, ANSWER_BYTES);
    }

    CompletableFuture<Integer> close(byte[] handle) {
        return done(request(Sftp.CLOSE).string(handle));
    }

    CompletableFuture<Integer> resize(byte[] handle, long size) {
        return done(FileAttributes.ofSize(size).write(request(Sftp.FSETSTAT).string(handle)));
    }

    /** Up to that many bytes of an open file; null if it cannot be read. */
    CompletableFuture<byte @Nullable []> content(byte[] handle, byte[] before, int bytesMax) {
        int wanted = Math.min(READ_BYTES, bytesMax - before.length);
        if (wanted == 0) {
            return CompletableFuture.completedFuture(before);
        }
        SftpWriter read = request(Sftp.READ).string(handle).u64(before.length).u32(wanted);
        return far.ask(read, Sftp.DATA, wanted).thenCompose(reply -> {
            if (reply.type() == Sftp.STATUS) {
                boolean end = reply.status() == Sftp.EOF;
                return CompletableFuture.completedFuture(end ? before : null);
            }
            byte[] data = reply.fields().string(wanted);
            byte[] all = Arrays.copyOf(before, before.length + data.length);
            System.arraycopy(data, 0, all, before.length, data.length);
            return data.length == 0 ? CompletableFuture.completedFuture(all) : content(handle, all, bytesMax);
        });
    }

    static FileAttributes attributes(Reply reply) {
        SftpReader in = reply.fields();
        FileAttributes attributes = FileAttributes.read(in);
        in.end();
        return attributes;
    }

    static byte[] handle(Reply reply) {
        SftpReader in = reply.fields();
        byte[] handle = in.string(Sftp.HANDLE_BYTES_MAX);
        in.end();
        return handle;
    }

    /** The only name of an answer. */
    static byte[] oneName(Reply reply) {
        SftpReader in = reply.fields();
        if (in.u32() != 1) {
            throw new SftpFault("not one name");
        }
        return in.string(Sftp.PATH_BYTES_MAX);
    }
}
