package brig.workeragent.tunnel.commands;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A shell on the other machine for as long as a tunnel is open ({@code keeper.sh}). It signals commands without a
 * session of its own for each signal, and ends what is left of them when the link does. All that it answers is checked:
 * that machine is not trusted.
 */
final class Keeper implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);
    private static final int OPEN_SECONDS = 20;
    private static final int ANSWER_SECONDS = 30;
    private static final int TEXT_BYTES_MAX = 8192;
    private static final int TEXTS_MAX = 20_000;
    private static final int MARK_BYTES = 16;

    private final Process process;
    private final InputStream answers;
    private final String nsenter;
    private final String home;

    private Keeper(Process process, InputStream answers, String nsenter, String home) {
        this.process = process;
        this.answers = answers;
        this.nsenter = nsenter;
        this.home = home;
    }

    /** @throws IOException if there is no link, or what answers is no POSIX shell */
    static Keeper open(SshMaster master) throws IOException, InterruptedException {
        String mark = mark();
        Process process =
                master.start(false, RemoteScript.shell("", RemoteScript.KEEPER, List.of(mark, RemoteScript.MASKS)));
        InputStream answers = new BufferedInputStream(process.getInputStream());
        Pumps.start(() -> Pumps.drain(process.getErrorStream()));
        try {
            return within(process, OPEN_SECONDS, () -> {
                String first = text(answers);
                int at = first.indexOf(mark);
                if (at < 0) throw new IOException("no shell answered");
                return new Keeper(process, answers, first.substring(at + mark.length()), text(answers));
            });
        } catch (IOException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    /** Stands between what Brig's scripts write and what others do. */
    static String mark() {
        byte[] random = new byte[MARK_BYTES];
        new SecureRandom().nextBytes(random);
        return "brig-" + HexFormat.of().formatHex(random);
    }

    String home() {
        return home;
    }

    /** The program that enters the masks; empty if the machine has none. */
    String nsenter() {
        return nsenter;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void started(long group) {
        send("add " + group);
    }

    void ended(long group) {
        send("end " + group);
    }

    void signal(long group, String name) {
        send("kill " + name + " " + group);
    }

    void resize(String terminal, int rows, int columns) {
        send("size " + terminal + " " + rows + " " + columns);
    }

    /** What {@code find} prints with these arguments, which end with {@code -print0}. */
    synchronized List<String> find(List<String> arguments) throws IOException, InterruptedException {
        send("find " + encoded(arguments));
        return within(process, ANSWER_SECONDS, () -> {
            List<String> found = new ArrayList<>();
            for (String text = text(answers); !text.isEmpty(); text = text(answers)) {
                if (found.size() == TEXTS_MAX) throw new IOException("more than " + TEXTS_MAX + " files");
                found.add(text);
            }
            return found;
        });
    }

    /**
     * Hides files in a new namespace.
     *
     * @param folders that stay in their places, from the top down
     * @return {@code masked PID} or {@code unmasked REASON}
     */
    synchronized String mask(List<String> folders, List<String> files) throws IOException, InterruptedException {
        send("mask " + folders.size() + " " + encoded(folders) + " " + encoded(files));
        return within(process, ANSWER_SECONDS, () -> text(answers));
    }

    /** Keeps the namespace of that process and the one before. */
    void hold(long pid) {
        send("hold " + pid);
    }

    private static String encoded(List<String> words) {
        return words.stream().map(RemoteScript::encoded).collect(Collectors.joining(" "));
    }

    private void send(String line) {
        try {
            synchronized (process) {
                process.getOutputStream().write((line + "\n").getBytes(ISO_8859_1));
                process.getOutputStream().flush();
            }
        } catch (IOException e) {
            LOG.debug("the keeper of a tunnel is gone: {}", e.toString());
        }
    }

    private static String text(InputStream from) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        for (int next = from.read(); next != 0; next = from.read()) {
            if (next < 0) throw new IOException("the link is down");
            if (text.size() == TEXT_BYTES_MAX) throw new IOException("an answer that is too long");
            text.write(next);
        }
        return text.toString(ISO_8859_1);
    }

    private interface Answer<T> {
        T read() throws IOException;
    }

    /** A process that does not answer in time is ended, so that no thread waits for it. */
    private static <T> T within(Process process, int seconds, Answer<T> answer)
            throws IOException, InterruptedException {
        CompletableFuture<T> read = new CompletableFuture<>();
        Pumps.start(() -> {
            try {
                read.complete(answer.read());
            } catch (IOException | RuntimeException e) {
                read.completeExceptionally(e);
            }
        });
        try {
            return read.get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            process.destroyForcibly();
            throw e.getCause() instanceof IOException expected ? expected : new IOException(e.getCause());
        } catch (TimeoutException e) {
            process.destroyForcibly();
            throw new IOException("no answer within " + seconds + " s", e);
        }
    }

    /** The shell there ends the commands that are left, then itself. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            LOG.debug("the keeper of a tunnel was gone: {}", e.toString());
        }
        Pumps.start(() -> {
            try {
                if (!process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS)) process.destroyForcibly();
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        });
    }
}
