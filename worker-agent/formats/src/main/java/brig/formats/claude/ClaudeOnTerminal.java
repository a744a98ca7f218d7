package brig.formats.claude;

import brig.formats.adapter.AgentActivity;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.HookEvent;
import brig.formats.adapter.NativeJson;
import brig.formats.adapter.TranscriptReader;
import brig.formats.claude.TimedTranscripts.Meta;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads Claude Code on a terminal. Its hooks name the transcripts of its sessions and their sub-agents, which are read as
 * those of {@link ClaudeSessionFile}, and say when it waits.
 *
 * <p>Owned by the thread that reads the pipe. Decision 0195.
 */
public final class ClaudeOnTerminal implements TranscriptReader {
    private static final String LINES = ".jsonl";
    private static final Pattern AGENT = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    /** More are not followed. */
    private static final int FILES_MAX = 400;

    private final AgentFrames frames;
    private final AgentActivity activity;
    private final Files files;
    /** By the path of a transcript. */
    private final Map<String, Session> sessions = new LinkedHashMap<>();
    /** By the path of a file of the session. */
    private final Map<String, Session> ofFile = new HashMap<>();

    public ClaudeOnTerminal(AgentFrames frames, AgentActivity activity, Files files) {
        this.frames = frames;
        this.activity = activity;
        this.files = files;
    }

    /** One session, and what its sub-agents write. */
    private final class Session implements TimedTranscripts.Others {
        final FollowedTranscript own;
        final ClaudeSessionFile file;
        final Map<String, FollowedTranscript> agents = new LinkedHashMap<>();
        final Map<Path, Meta> metas = new HashMap<>();

        Session(Path path) {
            own = new FollowedTranscript(path);
            file = new ClaudeSessionFile(own, this, frames, activity);
        }

        void follow(String agent) {
            String name = own.path().getFileName().toString();
            Path folder = own.path()
                    .resolveSibling(name.substring(0, name.length() - LINES.length()))
                    .resolve("subagents");
            Path transcript = folder.resolve("agent-" + agent + LINES);
            if (ofFile.size() < FILES_MAX
                    && agents.putIfAbsent(transcript.toString(), new FollowedTranscript(transcript)) == null) {
                String meta = folder.resolve("agent-" + agent + ".meta.json").toString();
                ofFile.put(meta, this);
                ofFile.put(transcript.toString(), this);
                files.follow(meta, Mode.WHOLE);
                files.follow(transcript.toString(), Mode.LINES);
            }
        }

        void add(String path, byte[] line) {
            FollowedTranscript agent = agents.get(path);
            if (agent != null) {
                agent.add(line);
            } else if (path.equals(own.path().toString())) {
                own.add(line);
            } else {
                JsonObject meta = NativeJson.readOutput(line, 0, line.length);
                if (meta != null) {
                    metas.putIfAbsent(Path.of(path.replace(".meta.json", LINES)), meta.as(Meta.class));
                }
            }
        }

        /** What a sub-agent writes waits for its metadata, which name its place. */
        @Override
        public List<? extends TranscriptFile> files(String session) {
            List<FollowedTranscript> placed = new ArrayList<>();
            for (FollowedTranscript agent : agents.values()) {
                if (metas.containsKey(agent.path())) {
                    placed.add(agent);
                }
            }
            return placed;
        }

        @Override
        public Meta metaOf(TranscriptFile found) {
            return metas.getOrDefault(found.path(), Meta.NONE);
        }

        void take() throws InterruptedException {
            reading(file::takeNew);
        }

        void pause() throws InterruptedException {
            reading(file::read);
        }

        void end() throws InterruptedException {
            agents.values().forEach(agent -> metas.putIfAbsent(agent.path(), Meta.NONE));
            file.finish();
            file.handleEnd();
        }

        private void reading(Reading read) throws InterruptedException {
            try {
                read.run();
            } catch (IOException none) {
                throw new IllegalStateException(none);
            }
        }
    }

    private interface Reading {
        void run() throws IOException, InterruptedException;
    }

    @Override
    public void handleLine(String path, byte[] line) throws InterruptedException {
        Session of = ofFile.get(path);
        if (of != null) {
            of.add(path, line);
            of.take();
        } else if (path.equals(EVENTS)) {
            handle(HookEvent.read(line));
        }
    }

    private void handle(HookEvent event) throws InterruptedException {
        Session session = session(event);
        if (session != null
                && event.agentId() != null
                && AGENT.matcher(event.agentId()).matches()) {
            session.follow(event.agentId());
        }
        event.tell(activity);
    }

    private @Nullable Session session(HookEvent event) {
        String named = event.transcriptPath();
        if (named == null || !named.endsWith(LINES)) {
            return null;
        }
        try {
            Path path = Path.of(named).normalize();
            Session known = sessions.get(path.toString());
            if (known == null && ofFile.size() < FILES_MAX && path.isAbsolute() && path.getNameCount() > 1) {
                known = new Session(path);
                sessions.put(path.toString(), known);
                ofFile.put(path.toString(), known);
                files.follow(path.toString(), event.mode());
            }
            return known;
        } catch (InvalidPathException none) {
            return null;
        }
    }

    @Override
    public void handleQuiet() throws InterruptedException {
        for (Session session : List.copyOf(sessions.values())) {
            session.pause();
        }
    }

    @Override
    public void handleEnd() throws InterruptedException {
        for (Session session : List.copyOf(sessions.values())) {
            session.end();
        }
    }
}
