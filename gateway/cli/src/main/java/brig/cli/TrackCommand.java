package brig.cli;

import brig.formats.TrackedFormat;
import brig.formats.adapter.FrameSink;
import brig.formats.adapter.TrackedOutputReader;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.wire.FrameType;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/**
 * {@code brig track}.
 *
 * <p>Decision 0070.
 */
@Command(
        name = "track",
        description = "Show an agent that Brig did not start as a session, with its stream and its sub-agents.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Starts COMMAND, or reads standard input, and passes everything through, including the exit code. There is no "
                    + "wall, and no message can be sent to the agent through Brig. Without a gateway, the agent runs all the same. "
                    + "'claude -p', 'opencode run' and 'codex exec' get the options that make their output trackable, if they are missing.",
            "",
            "Examples:",
            "  brig track -- claude -p 'Fix the tests'",
            "  opencode run --format json 'Fix the tests' | brig track --format opencode-json",
            "  brig track --task-id mine -- codex exec --json 'Fix the tests'",
            "  brig track -f --session-file ~/.claude/projects/-home-me-shop/SESSION.jsonl",
            "  opencode export SESSION > session.json && brig track --session-file session.json"
        })
final class TrackCommand implements Callable<Integer> {
    /** The source of the content, which its colours belong to. */
    private static final String SPEAKER = "agent";

    private static final int READ_BYTES = 64 * 1024;
    private static final long LOOK_MS = 300;
    /** How long the child may take to end by itself before it gets a signal, when this process is told to end. */
    private static final long GRACE_SECONDS = 5;

    @ParentCommand
    private Main main = new Main();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "claude-stream-json, opencode-json or codex-json. Default: by the name of the program.")
    private @Nullable String format;

    @Option(names = "--task-id", paramLabel = "ID", description = "Your name for the session.")
    private @Nullable String taskId;

    @Option(
            names = "--session-file",
            paramLabel = "FILE",
            description =
                    "Show an agent's own record of a session: a transcript of Claude Code, with those of its sub-agents, or "
                            + "an export of OpenCode. Nothing is started or passed through.")
    private @Nullable Path sessionFile;

    @Option(
            names = {"-f", "--follow"},
            description = "With --session-file: continue as the agent writes, until Ctrl-C.")
    private boolean follow;

    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "The agent and its arguments, after --.")
    private List<String> command = List.of();

    @Mixin
    private RawOption raw = new RawOption();

    @Override
    public Integer call() throws IOException, InterruptedException {
        raw.apply(main.terminal());
        if (sessionFile != null || follow) {
            return readSession();
        }
        TrackedFormat listening = listening();
        TrackPublisher publisher = publisher(listening);
        try {
            AtomicBoolean understood = new AtomicBoolean();
            FrameSink to = publisher == null ? (type, body, length) -> {} : publisher;
            TrackedOutputReader listener = listening.open(
                    (type, body, length) -> {
                        understood.compareAndSet(false, type != FrameType.RAW);
                        to.append(type, body, length);
                    },
                    System.getenv());
            Thread looking = Thread.ofVirtual().name("look").start(() -> look(listener));
            int exitCode = run(listener);
            looking.interrupt();
            if (!understood.get()) {
                note("nothing of what came is " + listening.format()
                        + ": the session has no text and no sub-agents; see 'brig"
                        + " track --help' for the options that the agent needs");
            }
            if (publisher != null) {
                publisher.finish(exitCode);
            }
            return exitCode;
        } finally {
            if (publisher != null) {
                publisher.close();
            }
        }
    }

    private int readSession() throws IOException, InterruptedException {
        if (sessionFile == null || !command.isEmpty() || format != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    sessionFile == null
                            ? "--follow is for --session-file"
                            : "--session-file takes no COMMAND and no --format");
        }
        return SessionImport.of(sessionFile, taskId, main).run(follow);
    }

    /** Polls the agent's other sources, until this thread learns that the agent has ended. */
    private static void look(TrackedOutputReader listener) {
        try {
            while (true) {
                Thread.sleep(LOOK_MS);
                listener.look(System.currentTimeMillis());
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** @throws BrigException for an unknown format */
    private TrackedFormat listening() {
        if (format != null) {
            return TrackedFormat.named(format).orElseThrow(() -> unknownFormat("there is no format '" + format + "'"));
        }
        if (command.isEmpty()) {
            throw unknownFormat("what comes on standard input has no name");
        }
        String program = String.valueOf(Path.of(command.getFirst()).getFileName());
        return TrackedFormat.of(program).orElseThrow(() -> unknownFormat("what '" + program + "' writes is not known"));
    }

    private static BrigException unknownFormat(String why) {
        return new BrigException(
                ErrorCode.INVALID_FIELD,
                why + ": name its format with --format, one of "
                        + Arrays.stream(TrackedFormat.values())
                                .map(TrackedFormat::format)
                                .collect(Collectors.joining(", ")));
    }

    /** Null without a gateway, or if it refuses: the agent runs regardless. */
    private @Nullable TrackPublisher publisher(TrackedFormat listening) {
        try {
            TrackPublisher publisher = TrackPublisher.open(
                    main.context().connect(),
                    listening.program(),
                    taskId,
                    Path.of("").toAbsolutePath().toString(),
                    false,
                    this::note);
            if (!main.json()) {
                note("tracking as " + (taskId == null ? publisher.spawnId() : taskId));
            }
            return publisher;
        } catch (BrigException refusal) {
            note("the agent is not tracked, and runs all the same: " + refusal.getMessage() + " (" + refusal.code()
                    + ")");
            return null;
        }
    }

    private void note(String text) {
        main.terminal().note(text);
    }

    /** Passes all data through and tracks it. @return the exit code of the command, 0 for standard input */
    private int run(TrackedOutputReader listener) throws IOException, InterruptedException {
        if (command.isEmpty()) {
            pass(System.in, listener);
            return 0;
        }
        boolean exact = main.terminal().isErrorExact();
        Process child;
        try {
            child = new ProcessBuilder(format == null ? spoken(command) : command)
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(exact ? ProcessBuilder.Redirect.INHERIT : ProcessBuilder.Redirect.PIPE)
                    .start();
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.COMMAND_NOT_FOUND, "cannot start " + command.getFirst() + ": " + e.getMessage());
        }
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform().name("brig-interrupt").unstarted(() -> end(child)));
        Thread errors = Thread.ofVirtual().name("errors").start(() -> passErrors(child));
        try (InputStream output = child.getInputStream()) {
            pass(output, listener);
        }
        int exitCode = child.waitFor();
        errors.join();
        return exitCode;
    }

    /** The command with the options that make the agent's output trackable, unless a person chose others. */
    private List<String> spoken(List<String> wanted) {
        List<String> spoken = listening().spoken(wanted);
        if (!spoken.equals(wanted)) {
            List<String> added = new ArrayList<>(spoken);
            wanted.forEach(added::remove);
            note("starts " + wanted.getFirst() + " with " + String.join(" ", added));
        }
        return spoken;
    }

    /** This process is told to end. On a terminal the child got the signal too, and may finish first. */
    private static void end(Process child) {
        try {
            if (!child.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                child.destroy();
            }
        } catch (InterruptedException e) {
            child.destroy();
        }
    }

    /** Forwards standard error if it does not go directly to the terminal. */
    private void passErrors(Process child) {
        try (InputStream errors = child.getErrorStream()) {
            errors.transferTo(main.terminal().passing(SPEAKER, true));
        } catch (IOException e) {
            note("no more of its standard error: " + e.getMessage());
        }
    }

    private void pass(InputStream from, TrackedOutputReader listener) throws IOException, InterruptedException {
        OutputStream out = main.terminal().passing(SPEAKER, false);
        byte[] bytes = new byte[READ_BYTES];
        for (int count = from.read(bytes); count >= 0; count = from.read(bytes)) {
            out.write(bytes, 0, count);
            if (!main.terminal().isRead()) {
                // As in a pipe whose reader has gone: further input is pointless.
                break;
            }
            listener.read(bytes, 0, count, System.currentTimeMillis());
        }
        listener.finish(System.currentTimeMillis());
    }
}
