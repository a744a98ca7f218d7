package brig.workeragent.tunnel.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.workeragent.tunnel.files.CheckedOpen.Opened;
import brig.workeragent.wall.PrivateFiles;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mounts folders of other hosts, each in a folder of its own below one folder of this worker-agent. Thread-safe.
 *
 * <p>Decision 0161.
 */
public final class RemoteFolders {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final int LIST_BYTES_MAX = 64 * 1024;
    private static final Logger LOG = LoggerFactory.getLogger(RemoteFolders.class);

    /** How long the far side may leave a question unanswered before the mount ends. */
    public static final Duration DEADLINE = Duration.ofSeconds(10);

    /**
     * One folder.
     *
     * @param name of the mount here, such as the id of a spawn: letters, digits, dots, hyphens and underscores
     * @param sftpCommand starts the far side's SFTP server and joins it to standard input and output, as {@code ssh …
     *     -s TARGET sftp} does
     * @param folder on the far side: absolute, or below the home of its user; {@code ""} is that home
     * @param privateFiles the globs of the policy
     * @param deadline {@link #DEADLINE} except in tests
     */
    public record Request(
            String name, List<String> sftpCommand, String folder, List<String> privateFiles, Duration deadline) {
        public Request {
            sftpCommand = List.copyOf(sftpCommand);
            privateFiles = List.copyOf(privateFiles);
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("name: " + name);
            }
        }
    }

    private final Path base;
    private final Sshfs sshfs;

    /**
     * @param base of all mounts; in a folder that other users cannot change, and that the workers' user gets to
     * @param user who sees the files as its own
     */
    public RemoteFolders(Path base, WorkersUser user) {
        this.base = base;
        this.sshfs = new Sshfs(user);
    }

    /**
     * Ends mounts that a killed worker-agent left below the same folder, and removes their mount points. Nothing is
     * ever deleted in them.
     */
    public void sweep() {
        try {
            if (!Files.isDirectory(base)) {
                return;
            }
            for (Path left : MountTable.below(base.toRealPath())) {
                sshfs.unmount(left, true);
            }
            try (DirectoryStream<Path> points = Files.newDirectoryStream(base)) {
                for (Path point : points) {
                    removePoint(point);
                }
            }
        } catch (IOException e) {
            LOG.warn("mounts of other hosts in {} cannot be swept: {}", base, Reason.of(e));
        }
    }

    /**
     * Mounts a folder and waits until it is there.
     *
     * @throws BrigException {@code SANDBOX_UNAVAILABLE} if a program is missing here, {@code HOST_UNREACHABLE} if the
     *     far side does not answer, {@code INVALID_FIELD} if it has no such folder
     */
    public RemoteFolder mount(Request request) {
        sshfs.check();
        FarLink link = new FarLink(request.name(), request.deadline());
        Sshfs.FarServer server = Sshfs.start(request.sftpCommand());
        var _ = link.ended().thenRun(server::end);
        link.start(server.process().getInputStream(), server.process().getOutputStream());
        try {
            Set<String> extensions = wait(link.hello(), request, server);
            if (!extensions.containsAll(List.of(Sftp.POSIX_RENAME, Sftp.FSYNC))) {
                throw new BrigException(
                        ErrorCode.HOST_UNREACHABLE,
                        "the SFTP server of that host cannot rename over a file or flush one; OpenSSH's can");
            }
            FarPath root = root(link, request, server);
            PrivateNames names = new PrivateNames(root, request.privateFiles(), list(link, root, request, server));
            return attach(link, request, root, names, extensions);
        } catch (RuntimeException e) {
            link.end("not mounted");
            throw e;
        }
    }

    private RemoteFolder attach(
            FarLink link, Request request, FarPath root, PrivateNames names, Set<String> extensions) {
        Path point = point(request.name());
        Process client = started(root, point);
        SftpFilter[] made = new SftpFilter[1];
        link.attach(client.getInputStream(), client.getOutputStream(), far -> {
            made[0] = new SftpFilter(far, root, extensions, names, link::toClient, System::nanoTime);
            return made[0];
        });
        RemoteFolder mounted = new RemoteFolder(sshfs, link, client, point, root, names, made[0]);
        if (!mounted.awaitMounted(request.deadline())) {
            mounted.close();
            throw new BrigException(
                    ErrorCode.SANDBOX_UNAVAILABLE,
                    "sshfs did not mount the folder: " + mounted.ended().getNow("no reason is known")
                            + "; /dev/fuse must be open to this user, and fusermount3 be set-user-id root");
        }
        return mounted;
    }

    private Process started(FarPath root, Path point) {
        try {
            return sshfs.start(root.text(), point);
        } catch (BrigException e) {
            removePoint(point);
            throw e;
        }
    }

    private static FarPath root(FarLink link, Request request, Sshfs.FarServer server) {
        String wanted = request.folder().startsWith("~/") ? request.folder().substring(2) : request.folder();
        byte[] asked = (wanted.isEmpty() || wanted.equals("~") ? "." : wanted).getBytes(UTF_8);
        Exchanges.Reply real = wait(link.ask(far -> far.real(asked)), request, server);
        FarPath root = real.type() == Sftp.NAME ? FarPath.of(FarFolder.oneName(real)) : null;
        if (root == null) {
            throw BrigException.invalid("folder", "is no folder of that host, or its root");
        }
        Exchanges.Reply found = wait(link.ask(far -> far.lstat(root)), request, server);
        if (found.type() != Sftp.ATTRS || !FarFolder.attributes(found).isFolder()) {
            throw BrigException.invalid("folder", "is no folder of that host");
        }
        if (!isName(root)) {
            throw BrigException.invalid("folder", "has a name that is not UTF-8, or not of this worker-agent's locale");
        }
        return root;
    }

    private static boolean isName(FarPath root) {
        try {
            return Path.of(root.text()).toString().indexOf('\uFFFD') < 0;
        } catch (InvalidPathException notOfThisLocale) {
            return false;
        }
    }

    /** The folder's own list of private files, as far as it is a plain file. */
    private static String list(FarLink link, FarPath root, Request request, Sshfs.FarServer server) {
        FarPath file = root.child(PrivateFiles.LIST);
        FileAttributes none = new FileAttributes(0, 0, 0, 0, 0, 0, 0);
        Opened opened = wait(link.ask(far -> new CheckedOpen(far, file, Sftp.FLAG_READ, none).open()), request, server);
        if (opened.status() == Sftp.NO_SUCH_FILE) {
            return "";
        }
        byte[] text = opened.status() != Sftp.OK
                ? null
                : wait(link.ask(far -> far.content(opened.handle(), new byte[0], LIST_BYTES_MAX)), request, server);
        if (text == null) {
            throw BrigException.invalid(
                    "folder", "has a " + PrivateFiles.LIST + " that cannot be read as a plain file");
        }
        var _ = wait(link.ask(far -> far.close(opened.handle())), request, server);
        return new String(text, UTF_8);
    }

    private static <T> T wait(CompletableFuture<T> answer, Request request, Sshfs.FarServer server) {
        try {
            return answer.get(request.deadline().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            String reason = e instanceof TimeoutException
                    ? "it did not answer for " + request.deadline().toSeconds() + " s"
                    : Reason.withFile(e.getCause() instanceof IOException ended ? ended : e);
            throw new BrigException(ErrorCode.HOST_UNREACHABLE, "no files from that host: " + reason + server.said());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the mount was interrupted");
        }
    }

    /** Closed to others: whoever gets to a mount that other users may enter reads with the rights of the far user. */
    private Path point(String name) {
        try {
            Files.createDirectories(
                    base, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            sshfs.open(base);
            return Files.createDirectory(
                            base.resolve(name),
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")))
                    .toRealPath();
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.SANDBOX_UNAVAILABLE, "a mount point cannot be made: " + Reason.withFile(e));
        }
    }

    /** Removes an empty folder; the kernel refuses to remove one that is mounted or has something in it. */
    static void removePoint(Path point) {
        try {
            Files.deleteIfExists(point);
        } catch (DirectoryNotEmptyException left) {
            LOG.warn("the mount point {} is not empty", point);
        } catch (IOException busy) {
            LOG.warn("the mount point {} stays: {}", point, Reason.of(busy));
        }
    }
}
