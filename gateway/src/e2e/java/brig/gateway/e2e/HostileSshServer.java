package brig.gateway.e2e;

import brig.workeragent.TestFolders;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.Collections;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.sshd.client.future.DefaultOpenFuture;
import org.apache.sshd.client.future.OpenFuture;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.channel.Channel;
import org.apache.sshd.common.channel.ChannelFactory;
import org.apache.sshd.common.channel.ChannelOutputStream;
import org.apache.sshd.common.channel.exception.SshChannelOpenException;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.core.CoreModuleProperties;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.auth.pubkey.AcceptAllPublickeyAuthenticator;
import org.apache.sshd.server.channel.AbstractServerChannel;
import org.apache.sshd.server.channel.ChannelSession;
import org.apache.sshd.server.command.AbstractCommandSupport;

/**
 * A server that speaks ssh and is up to no good: what it does with commands and with streams to Unix sockets is chosen at any time. It
 * never logs anybody in as somebody: its commands are of this JVM's user, with an empty home. What is late, silent or cut below ssh is
 * for {@link #link}.
 */
final class HostileSshServer implements AutoCloseable {
    /** What it does with a command. */
    enum Commands {
        /** Runs it, as the user of this JVM in an empty home. */
        RUN,
        /** Sends 100 MB of noise instead of what the command would say, and 0. */
        GARBAGE,
        /** Sends errors for as long as somebody reads them. */
        ENDLESS_ERRORS,
        /** Says half a line, and closes the whole connection. */
        CUT,
        /** Says half a line, and closes the channel without an exit code. */
        NO_EXIT_CODE,
        /** Takes it, and says nothing. */
        SILENT,
        /** Says nothing but {@link #exitCode}. */
        EXIT
    }

    /** What it does with a stream to a Unix socket. */
    enum Streams {
        REFUSED,
        /** Takes it, reads all, and says nothing. */
        SILENT,
        /** Sends noise for as long as somebody reads it, once something was said. */
        GARBAGE,
        /** Closes it once something was said. */
        CLOSED,
        /** Closes the whole connection once something was said. */
        CUT
    }

    static final long GARBAGE_BYTES = 100_000_000;
    private static final String HALF_A_LINE = "{\"socket\":";
    private static final int SEED = 20;

    private final Path folder = TestFolders.create("brig-hostile-");
    private final Path home = Files.createDirectory(folder.resolve("home"));
    private final SshServer server = SshServer.setUpDefaultServer();
    private final SshConfig config;
    private final BadLink link;
    private final AtomicInteger taken = new AtomicInteger();
    private volatile Commands commands = Commands.RUN;
    private volatile Streams streams = Streams.REFUSED;
    private volatile int exitCode;

    private HostileSshServer(String name) throws Exception {
        KeyPair key = KeyUtils.generateKeyPair(KeyPairProvider.ECDSA_SHA2_NISTP256, 256);
        server.setHost("127.0.0.1");
        server.setKeyPairProvider(KeyPairProvider.wrap(key));
        server.setPublickeyAuthenticator(AcceptAllPublickeyAuthenticator.INSTANCE);
        server.setCommandFactory((channel, line) -> new Answer(line, channel));
        server.setChannelFactories(Stream.concat(server.getChannelFactories().stream(), Stream.of(new StreamFactory()))
                .toList());
        // What a client says to a channel that was just closed is no fault of his.
        server.setUnknownChannelReferenceHandler((service, message, channel, buffer) -> null);
        server.start();
        link = BadLink.to(new InetSocketAddress("127.0.0.1", server.getPort()), SEED);
        config = new SshConfig(folder, name);
        config.trust(PublicKeyEntry.toString(key.getPublic()));
        config.leadTo("127.0.0.1", link.port());
    }

    static HostileSshServer start(String name) throws Exception {
        SshHost.requireSsh();
        return new HostileSshServer(name);
    }

    /** What ssh needs; the server's name is the target. */
    SshConfig config() {
        return config;
    }

    /** The way to it, which a test makes late or silent: {@code stall} for a server that never greets. */
    BadLink link() {
        return link;
    }

    /** Where its commands run. */
    Path home() {
        return home;
    }

    /** How many commands it has taken. */
    int taken() {
        return taken.get();
    }

    void commands(Commands what) {
        commands = what;
    }

    void streams(Streams what) {
        streams = what;
    }

    void exitCode(int code) {
        exitCode = code;
        commands = Commands.EXIT;
    }

    /** Sends so many lines before it says that it speaks ssh, or the text to everybody who logs in; nothing undoes that. */
    void chatter(int lines, String greeting) {
        if (lines > 0) {
            CoreModuleProperties.SERVER_EXTRA_IDENTIFICATION_LINES.set(
                    server, String.join("|", Collections.nCopies(lines, "x".repeat(200))));
        }
        CoreModuleProperties.WELCOME_BANNER.set(server, greeting);
    }

    private static void noise(OutputStream out, long count) throws IOException {
        byte[] chunk = new byte[32 * 1024];
        SplittableRandom random = new SplittableRandom(SEED);
        for (long left = count; left > 0; left -= chunk.length) {
            random.nextBytes(chunk);
            out.write(chunk, 0, (int) Math.min(left, chunk.length));
        }
        out.flush();
    }

    private final class Answer extends AbstractCommandSupport {
        private final ChannelSession channel;

        Answer(String line, ChannelSession channel) {
            super(line, null);
            this.channel = channel;
        }

        @Override
        public void run() {
            try {
                Commands what = commands;
                taken.incrementAndGet();
                switch (what) {
                    case GARBAGE -> {
                        noise(getOutputStream(), GARBAGE_BYTES);
                        exit(0);
                    }
                    case ENDLESS_ERRORS -> noise(getErrorStream(), Long.MAX_VALUE);
                    case CUT -> {
                        sayHalf();
                        getServerSession().close(true);
                    }
                    case NO_EXIT_CODE -> {
                        sayHalf();
                        channel.close(false);
                    }
                    case EXIT -> exit(exitCode);
                    case RUN -> exit(runCommand());
                    case SILENT -> {}
                }
            } catch (IOException | InterruptedException gone) {
                // Who reads is gone, which is what he should do.
            }
        }

        private int runCommand() throws IOException, InterruptedException {
            ProcessBuilder shell = new ProcessBuilder("/bin/sh", "-c", getCommand()).directory(home.toFile());
            shell.environment().put("HOME", home.toString());
            Process process = shell.start();
            try {
                Thread.ofVirtual().start(() -> copyIn(process.getOutputStream()));
                Thread errors = Thread.ofVirtual().start(() -> copyErrors(process.getErrorStream()));
                copy(process.getInputStream(), getOutputStream());
                errors.join();
                return process.waitFor();
            } finally {
                process.destroyForcibly();
            }
        }

        /** Sends the exit code before the end of the output: after that, ssh may close the channel without waiting for it. */
        private void exit(int code) throws IOException {
            Buffer status = channel.getSession().createBuffer(SshConstants.SSH_MSG_CHANNEL_REQUEST);
            status.putUInt(channel.getRecipient());
            status.putString("exit-status");
            status.putBoolean(false);
            status.putUInt(code);
            channel.writePacket(status);
            channel.close(false);
        }

        private void copyIn(OutputStream out) {
            try (out) {
                copy(getInputStream(), out);
            } catch (IOException gone) {
                // The command has ended.
            }
        }

        private void copyErrors(InputStream errors) {
            try {
                copy(errors, getErrorStream());
            } catch (IOException gone) {
                // Nobody reads them any more.
            }
        }

        private static void copy(InputStream in, OutputStream out) throws IOException {
            byte[] chunk = new byte[32 * 1024];
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                out.write(chunk, 0, count);
                out.flush();
            }
        }

        private void sayHalf() throws IOException {
            getOutputStream().write(HALF_A_LINE.getBytes(StandardCharsets.UTF_8));
            getOutputStream().flush();
        }
    }

    private final class StreamFactory implements ChannelFactory {
        @Override
        public String getName() {
            return "direct-streamlocal@openssh.com";
        }

        @Override
        public Channel createChannel(Session session) {
            return new UnixStream();
        }
    }

    private final class UnixStream extends AbstractServerChannel {
        private boolean said;

        UnixStream() {
            super(null);
        }

        @Override
        protected OpenFuture doInit(Buffer buffer) {
            if (streams != Streams.REFUSED) {
                return super.doInit(buffer);
            }
            OpenFuture refused = new DefaultOpenFuture(this, this);
            refused.setException(new SshChannelOpenException(
                    getChannelId(), SshConstants.SSH_OPEN_ADMINISTRATIVELY_PROHIBITED, "open failed"));
            return refused;
        }

        @Override
        protected void doWriteData(byte[] data, int offset, long length) throws IOException {
            getLocalWindow().release(length);
            if (!said) {
                said = true;
                Thread.ofVirtual().start(this::misbehave);
            }
        }

        @Override
        protected void doWriteExtendedData(byte[] data, int offset, long length) throws IOException {
            getLocalWindow().release(length);
        }

        private void misbehave() {
            switch (streams) {
                case GARBAGE -> {
                    try (OutputStream out = new ChannelOutputStream(
                            this, getRemoteWindow(), log, SshConstants.SSH_MSG_CHANNEL_DATA, true)) {
                        noise(out, Long.MAX_VALUE);
                    } catch (IOException gone) {
                        // Who reads is gone.
                    }
                }
                case CLOSED -> close(false);
                case CUT -> getSession().close(true);
                case SILENT, REFUSED -> {}
            }
        }
    }

    @Override
    public void close() throws IOException {
        link.close();
        server.stop(true);
        TestFolders.delete(folder);
    }
}
