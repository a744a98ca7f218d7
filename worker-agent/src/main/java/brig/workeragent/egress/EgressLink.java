package brig.workeragent.egress;

import brig.egress.budget.LedgerLine;
import brig.egress.link.WallSocket;
import brig.egress.message.EgressCommand;
import brig.egress.message.EgressReport;
import brig.egress.process.EgressMain;
import brig.egress.tls.CertificateAuthority;
import brig.protocol.control.Posture;
import brig.protocol.egress.AuditLine;
import brig.protocol.json.Json;
import brig.workeragent.budget.LedgerFolder;
import brig.workeragent.egress.confinement.ConfinedCommand;
import brig.workeragent.egress.confinement.Confinement;
import brig.workeragent.sandbox.SandboxException;
import brig.workeragent.sandbox.WorkerIdentity;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of brig-egress: its process, its input and output lines, and the socket for descriptors.
 *
 * <p>Decision 0049.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Nothing waits for closed channels.
final class EgressLink {
    private static final Logger LOG = LoggerFactory.getLogger(EgressLink.class);
    private static final AtomicInteger RUNS = new AtomicInteger();
    private static final long SEND_MS = 5_000;
    private static final long END_MS = 3_000;
    /** Purses in one line. */
    private static final int SPENT_MAX = 1_000;

    /** Receives its reports, on the reading thread. */
    interface Listener {
        void handleEvent(EgressReport.Event event);

        /** A request waits for a login. */
        void handleLoginRefused(EgressReport.LoginRefused report);

        /** An entry for the audit. */
        void handleAudit(AuditLine line);

        /** The number of audit entries that were lost. */
        void handleAuditLost(long count);

        /** The ledger of that number has all that counts. */
        void handleLedgerBegun(long number);

        /** A new ledger should begin. */
        void handleLedgerFull();

        /** Called once, when it ended after it was ready. */
        void handleGone(EgressLink gone);
    }

    /** The process of bubblewrap, which waits for the JVM. */
    private final Process process;

    private final OutputStream lines;
    private final EventLoopGroup loop;
    private final Channel listener;
    private final Listener told;
    private final ReportReader reports;
    private final long startNanos = System.nanoTime();
    private final CompletableFuture<Channel> descriptors = new CompletableFuture<>();
    private final Thread reader =
            Thread.ofPlatform().daemon().name("brig-egress-events").unstarted(this::read);
    private volatile List<Posture.Property> confinement = List.of();

    private EgressLink(Process process, EventLoopGroup loop, Channel listener, Listener told) {
        this.process = process;
        this.lines = process.getOutputStream();
        this.loop = loop;
        this.listener = listener;
        this.told = told;
        this.reports = new ReportReader(told);
    }

    /**
     * Starts it, and waits until it is ready and its confinement is verified. It dies with the calling thread.
     *
     * @param authority the authority that it signs with
     * @throws IOException if it does not start, or is not confined
     */
    static EgressLink start(EgressProcess.Services setup, CertificateAuthority authority, Listener told, long readyMs)
            throws IOException, InterruptedException {
        WorkerIdentity identity = identity(setup.config());
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        // Each run has its own name: closing the previous channel removes its socket, at any time.
        Path socket = setup.socketFolder().resolve("descriptors-" + RUNS.incrementAndGet() + ".sock");
        CompletableFuture<EgressLink> started = new CompletableFuture<>();
        try {
            setup.names().refresh();
            List<String> command = new ConfinedCommand(setup.program(), identity)
                    .words(socket, setup.names(), EgressMain.class.getName());
            Channel listener = listen(socket, identity, loop, started);
            EgressLink link = new EgressLink(launch(command), loop, listener, told);
            started.complete(link);
            link.reader.start();
            try {
                link.configure(setup, authority);
                link.awaitReady(identity, readyMs);
                return link;
            } catch (IOException | InterruptedException | RuntimeException e) {
                link.close();
                throw e;
            }
        } finally {
            if (!started.isDone()) {
                loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            }
        }
    }

    private static WorkerIdentity identity(EgressConfig config) throws IOException {
        try {
            return WorkerIdentity.ofHost(config.uid());
        } catch (SandboxException e) {
            throw new IOException("worker.egress.uid: " + e.getMessage());
        }
    }

    private static Channel listen(
            Path socket, WorkerIdentity identity, EventLoopGroup loop, CompletableFuture<EgressLink> started)
            throws IOException, InterruptedException {
        Files.deleteIfExists(socket);
        Channel listener = new ServerBootstrap()
                .group(loop)
                .channel(EpollServerDomainSocketChannel.class)
                .childHandler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelActive(ChannelHandlerContext ctx) throws IOException {
                        if (!started.join().isItself((EpollDomainSocketChannel) ctx.channel())) {
                            ctx.close();
                        }
                    }
                })
                .bind(new DomainSocketAddress(socket.toString()))
                .sync()
                .channel();
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        Files.setAttribute(socket, "unix:uid", identity.uid());
        return listener;
    }

    /** Launches it with an empty environment. */
    private static Process launch(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().clear();
        return builder.start();
    }

    /** Whether the peer is brig-egress, by the kernel's data: the only child of process 1 of its namespace. */
    private boolean isItself(EpollDomainSocketChannel channel) throws IOException {
        long pid = channel.peerCredentials().pid();
        boolean itself = ProcessHandle.of(pid)
                .flatMap(ProcessHandle::parent)
                .flatMap(ProcessHandle::parent)
                .filter(above -> above.pid() == process.pid())
                .isPresent();
        if (!itself) {
            LOG.warn("process {} connected instead of brig-egress", pid);
        }
        return itself && descriptors.complete(channel);
    }

    private void configure(EgressProcess.Services setup, CertificateAuthority authority) throws IOException {
        List<String> roots = new ArrayList<>();
        for (String file : setup.config().extraRoots()) {
            roots.add(Files.readString(Path.of(file)));
        }
        CertificateAuthority.Pems pems = authority.pems();
        write(new EgressCommand.Configure(
                pems.certificate(),
                pems.key(),
                setup.config().addresses(),
                roots,
                setup.closed().stream()
                        .filter(path -> !setup.program().liesIn(path))
                        .map(Path::toString)
                        .toList(),
                setup.budgets().pricesText(),
                setup.budgets().calls()));
    }

    private void write(EgressCommand command) throws IOException {
        lines.write(Json.writeLine((Record) command));
        lines.flush();
    }

    private void awaitReady(WorkerIdentity identity, long readyMs) throws IOException, InterruptedException {
        try {
            confinement = Confinement.judge(
                    reports.measured().get(readyMs, TimeUnit.MILLISECONDS), identity.uid(), identity.switched());
        } catch (ExecutionException e) {
            throw new IOException(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("it is not ready after " + readyMs + " ms");
        }
        for (Posture.Property property : confinement) {
            if (!property.holds()) {
                throw new IOException("it is not confined: " + property.name() + ": " + property.detail());
            }
        }
    }

    /** Tells what purses used up before. */
    void tellSpent(List<LedgerLine.Spent> spent) {
        for (int at = 0; at < spent.size(); at += SPENT_MAX) {
            send(
                    new EgressCommand.Spent(spent.subList(at, Math.min(spent.size(), at + SPENT_MAX))),
                    List.<WallSocket>of());
        }
    }

    /** Lets it go on in that ledger. */
    void begin(LedgerFolder.Next ledger) throws IOException {
        FileDescriptor file = FileDescriptor.from(ledger.file().toFile());
        try {
            sendAll(new EgressCommand.Ledger(ledger.number()), List.of(file.intValue()));
        } finally {
            file.close();
        }
    }

    /** Sends descriptors, then the line that describes them. If that fails, the process is ended. */
    void send(EgressCommand command, List<WallSocket> sockets) {
        sendAll(command, sockets.stream().map(WallSocket::descriptor).toList());
    }

    private void sendAll(EgressCommand command, List<Integer> numbers) {
        try {
            Channel channel = descriptors.getNow(null);
            for (int number : numbers) {
                if (channel == null
                        || !channel.writeAndFlush(new FileDescriptor(number)).await(SEND_MS, TimeUnit.MILLISECONDS)) {
                    throw new IOException("it accepts no descriptors");
                }
            }
            write(command);
        } catch (IOException e) {
            LOG.warn("cannot write to brig-egress: {}", e.toString());
            process.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
    }

    /**
     * Ends a worker.
     *
     * @return completes when all its events were delivered, or no more can come. It never fails, and may never complete
     */
    CompletableFuture<Void> unregister(String worker) {
        CompletableFuture<Void> over = reports.whenUnregistered(worker);
        if (isAlive()) {
            send(new EgressCommand.Unregister(worker), List.of());
        }
        return over;
    }

    private void read() {
        reports.read(process.getInputStream());
        process.destroyForcibly();
        awaitEnd();
        reports.measured().completeExceptionally(new IOException("it ended with status " + status()));
        closeChannels();
        told.handleGone(this);
    }

    private void awaitEnd() {
        try {
            process.waitFor(END_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeChannels() {
        listener.close();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** Its measured confinement. */
    List<Posture.Property> confinement() {
        return confinement;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The process id of the JVM. */
    long pid() throws IOException {
        return ((EpollDomainSocketChannel) descriptors.join()).peerCredentials().pid();
    }

    int status() {
        return process.isAlive() ? -1 : process.exitValue();
    }

    long ageNanos() {
        return System.nanoTime() - startNanos;
    }

    /** Ends it, with time for its last reports. */
    void close() {
        try {
            lines.close();
            if (!process.waitFor(END_MS, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
            reader.join(END_MS);
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
        closeChannels();
    }
}
