package brig.cli;

import brig.cli.terminal.RawTerminal;
import brig.cli.terminal.Terminal;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.CallerTerminal;
import brig.protocol.frame.AttachOptions;
import brig.protocol.wire.ShellMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * An interactive shell on the host of a session's tunnel, on the terminal of this process. The session ends with it.
 *
 * <p>Decision 0170.
 */
final class HostShell {
    private static final int INPUT_BYTES = 4096;
    private static final int SIGNALLED = 128;
    private static final byte[] NONE = {};

    private final ByteLink link;
    private final OutputStream out;
    private final Semaphore taken = new Semaphore(1);

    private HostShell(ByteLink link, OutputStream out) {
        this.link = link;
        this.out = out;
    }

    /** Whether a person is there to type. */
    static boolean isPossible() {
        return Terminal.isTerminal(0) && Terminal.isTerminal(1);
    }

    /** Runs the shell to its end, and ends the session. @return its exit code */
    static int run(Main main, String spawnId) {
        // The session lives while a captain is attached: a killed client leaves none.
        try (GatewayClient present = main.context().connect();
                GatewayClient client = main.context().connect()) {
            present.send(new SpawnerRequest.Attach(
                    spawnId, new AttachOptions(1, null, false, SpawnOptions.CLIENT, null, 0)));
            Thread.ofVirtual().start(() -> readAll(present));
            ByteLink link = client.tunnel(new SpawnerRequest.Shell(spawnId, terminal(System.getenv())));
            main.terminal().becomeRaw();
            try (RawTerminal _ = RawTerminal.take()) {
                return new HostShell(link, main.terminal().passing("shell", false)).follow();
            }
        } finally {
            terminate(main, spawnId);
        }
    }

    private static void readAll(GatewayClient client) {
        byte[] line = client.nextLine();
        while (line != null) {
            line = client.nextLine();
        }
    }

    private static void terminate(Main main, String spawnId) {
        try (GatewayClient client = main.context().connect()) {
            client.request(new SpawnerRequest.Terminate(spawnId), SpawnView.class);
        } catch (BrigException e) {
            main.terminal().note("the session was not ended: " + e.getMessage());
        }
    }

    /** This terminal as its environment describes it. */
    static CallerTerminal terminal(Map<String, String> environment) {
        String term = name(environment, "TERM");
        String language = name(environment, "LC_ALL");
        language = language == null ? name(environment, "LC_CTYPE") : language;
        language = language == null ? name(environment, "LANG") : language;
        RawTerminal.Size size = RawTerminal.size();
        return new CallerTerminal(size.rows(), size.columns(), term == null ? "dumb" : term, language);
    }

    private static @Nullable String name(Map<String, String> environment, String variable) {
        String value = environment.getOrDefault(variable, "");
        return CallerTerminal.isName(value) ? value : null;
    }

    private int follow() {
        RawTerminal.whenResized(this::tellSize);
        Thread.ofPlatform().daemon().name("brig-keys").start(this::sendKeys);
        try {
            for (ShellMessage next = read(); next != null; next = read()) {
                byte[] content = next.content();
                switch (next.type()) {
                    case 'A' -> taken.release();
                    case 'O' -> out.write(content);
                    case 'X' ->
                        // The terminal is raw: it makes no carriage returns.
                        out.write(new String(content, StandardCharsets.UTF_8)
                                .replace("\n", "\r\n")
                                .getBytes(StandardCharsets.UTF_8));
                    case 'C' -> {
                        return content.length == 0 ? 1 : content[0] & 0xff;
                    }
                    case 'K' -> {
                        return SIGNALLED + (content.length == 0 ? 0 : content[0] & 0x7f);
                    }
                    default -> {}
                }
            }
            throw new BrigException(ErrorCode.SESSION_ENDED, "the session has ended, and its shell with it");
        } catch (IOException e) {
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the connection to the shell is lost: " + e.getMessage());
        }
    }

    private @Nullable ShellMessage read() throws IOException {
        return ShellMessage.read(link, ShellMessage.TO_CALLER);
    }

    private void sendKeys() {
        byte[] keys = new byte[INPUT_BYTES];
        try {
            for (int read = System.in.read(keys); read > 0; read = System.in.read(keys)) {
                taken.acquire();
                send('I', keys, read);
            }
            send('E', NONE, 0);
        } catch (IOException gone) {
            // The thread that reads the connection says why.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tellSize() {
        RawTerminal.Size size = RawTerminal.size();
        byte[] bytes = ByteBuffer.allocate(2 * Short.BYTES)
                .putShort((short) size.rows())
                .putShort((short) size.columns())
                .array();
        try {
            send('W', bytes, bytes.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void send(char type, byte[] content, int length) throws IOException {
        ShellMessage.write(link, type, content, 0, length);
    }
}
