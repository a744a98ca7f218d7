package brig.workeragent.egress;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Json;
import brig.protocol.LineDecoder;
import brig.workeragent.egress.proxy.EgressMain;
import brig.workeragent.wall.WallSocket;
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
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of brig-egress: its process, the lines both ways, and the socket that carries descriptors. */
@SuppressWarnings("FutureReturnValueIgnored") // What is closed is not waited for.
final class EgressLink {
    private static final Logger LOG = LoggerFactory.getLogger(EgressLink.class);
    private static final AtomicInteger RUNS = new AtomicInteger();
    private static final int EVENT_BYTES_MAX = 64 * 1024;
    private static final long SEND_MS = 5_000;
    private static final long END_MS = 3_000;

    private final Process process;
    private final OutputStream lines;
    private final EventLoopGroup loop;
    private final Channel listener;
    private final long startNanos = System.nanoTime();
    private final CompletableFuture<Path> authority = new CompletableFuture<>();
    private final CompletableFuture<Channel> descriptors;

    private EgressLink(
            Process process, EventLoopGroup loop, Channel listener, CompletableFuture<Channel> descriptors) {
        this.process = process;
        this.lines = process.getOutputStream();
        this.loop = loop;
        this.listener = listener;
        this.descriptors = descriptors;
    }

    /**
     * Starts it and waits until it is ready.
     *
     * @param events called from the thread that reads them
     * @param gone called once, when it has ended after it was ready
     */
    static EgressLink start(EgressProcess.Setup setup, Consumer<Map<String, @Nullable Object>> events,
            Consumer<EgressLink> gone, long readyMs) throws IOException, InterruptedException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        Path folder = Files.createDirectories(setup.socketFolder());
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        // Another name for each run: the socket of the one before is removed whenever its channel is closed.
        Path socket = folder.resolve("descriptors-" + RUNS.incrementAndGet() + ".sock");
        Files.deleteIfExists(socket);
        CompletableFuture<Channel> connected = new CompletableFuture<>();
        try {
            Channel listener = new ServerBootstrap().group(loop).channel(EpollServerDomainSocketChannel.class)
                    .childHandler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelActive(ChannelHandlerContext ctx) {
                            connected.complete(ctx.channel());
                        }
                    })
                    .bind(new DomainSocketAddress(socket.toString())).sync().channel();
            EgressLink link = new EgressLink(launch(setup), loop, listener, connected);
            try {
                link.configure(setup, socket);
                Thread.ofPlatform().daemon().name("brig-egress-events").start(() -> link.read(events, gone));
                link.awaitReady(readyMs);
                return link;
            } catch (IOException | InterruptedException | RuntimeException e) {
                link.close();
                throw e;
            }
        } finally {
            if (!connected.isDone() || connected.isCompletedExceptionally()) {
                loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            }
        }
    }

    private static Process launch(EgressProcess.Setup setup) throws IOException {
        List<String> command = new ArrayList<>(setup.java());
        command.add(EgressMain.class.getName());
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private void configure(EgressProcess.Setup setup, Path socket) throws IOException {
        EgressConfig config = setup.config();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("type", "configure");
        message.put("stateDir", setup.stateDir().toString());
        message.put("descriptors", socket.toString());
        message.put("hosts", config.hosts());
        message.put("extraRoots", config.extraRoots());
        message.put("auditFileBytesMax", config.auditFileBytesMax());
        message.put("auditFilesMax", config.auditFilesMax());
        message.put("auditKeepMs", config.auditKeepMs());
        lines.write(Json.writeLine(message));
        lines.flush();
    }

    private void awaitReady(long readyMs) throws IOException, InterruptedException {
        try {
            authority.get(readyMs, TimeUnit.MILLISECONDS);
            Channel channel = descriptors.get(readyMs, TimeUnit.MILLISECONDS);
            int pid = ((EpollDomainSocketChannel) channel).peerCredentials().pid();
            if (pid != process.pid()) {
                throw new IOException("process " + pid + " connected in the place of brig-egress");
            }
        } catch (ExecutionException e) {
            throw new IOException(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("it is not ready after " + readyMs + " ms");
        }
    }

    /** Begins a message about a worker. */
    static Map<String, Object> message(String type, String worker) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("type", type);
        message.put("worker", worker);
        return message;
    }

    /** Sends descriptors, and then the line that says what they are. One that cannot take them is ended. */
    void send(Map<String, Object> message, List<WallSocket> sockets) {
        try {
            Channel channel = descriptors.getNow(null);
            for (WallSocket socket : sockets) {
                if (channel == null || !channel.writeAndFlush(new FileDescriptor(socket.descriptor()))
                        .await(SEND_MS, TimeUnit.MILLISECONDS)) {
                    throw new IOException("it takes no descriptors");
                }
            }
            if (!sockets.isEmpty()) {
                message.put("sockets", sockets.stream().map(socket ->
                        Map.of("role", socket.role().name(), "port", socket.port())).toList());
            }
            lines.write(Json.writeLine(message));
            lines.flush();
        } catch (IOException e) {
            LOG.warn("brig-egress cannot be told: {}", e.toString());
            process.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
    }

    private void read(Consumer<Map<String, @Nullable Object>> events, Consumer<EgressLink> gone) {
        LineDecoder decoder = new LineDecoder(EVENT_BYTES_MAX, new LineDecoder.Sink() {
            @Override
            public void handleLine(byte[] bytes, int offset, int length) {
                EgressLink.this.handleLine(bytes, offset, length, events);
            }

            @Override
            public void handleBadLine(ErrorCode code) {
                LOG.warn("brig-egress wrote a line that cannot be read: {}", code);
            }
        });
        byte[] buffer = new byte[16 * 1024];
        try (InputStream in = process.getInputStream()) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                decoder.decode(buffer, 0, count);
            }
        } catch (IOException e) {
            LOG.debug("reading from brig-egress: {}", e.toString());
        }
        process.destroyForcibly();
        awaitEnd();
        authority.completeExceptionally(new IOException("it ended with status " + status()));
        closeChannels();
        gone.accept(this);
    }

    private void handleLine(byte[] bytes, int offset, int length, Consumer<Map<String, @Nullable Object>> events) {
        try {
            Map<String, @Nullable Object> message = Json.parseObject(bytes, offset, length);
            if ("ready".equals(message.get("type"))) {
                authority.complete(Path.of(String.valueOf(message.get("authority"))));
            } else if ("dropped".equals(message.get("type"))) {
                LOG.warn("brig-egress dropped {} events that nobody read in time", message.get("count"));
            } else {
                events.accept(message);
            }
        } catch (BrigException e) {
            LOG.warn("brig-egress wrote a line that cannot be read: {}", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("an event of brig-egress was not taken", e);
        }
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

    Path authority() {
        return authority.join();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    int status() {
        return process.isAlive() ? -1 : process.exitValue();
    }

    long ageNanos() {
        return System.nanoTime() - startNanos;
    }

    /** Ends it, with time to write what it has to. */
    void close() {
        try {
            lines.close();
            if (!process.waitFor(END_MS, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
        closeChannels();
    }
}
