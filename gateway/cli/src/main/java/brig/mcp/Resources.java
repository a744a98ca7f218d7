package brig.mcp;

import brig.captain.CaptainGateway;
import brig.captain.RpcException;
import brig.mcp.message.ResourcePage;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SpawnList;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.DiffAnswer;
import brig.protocol.json.JsonObject;
import brig.protocol.rpc.RpcError;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Streams and diffs of sessions as resources: {@code brig://sessions/ID/stream} and {@code …/diff}. */
final class Resources {
    private static final String TEXT = "text/plain";
    private static final String PATCH = "text/x-diff";
    private static final int PAGE = 100;
    private static final int STREAM_CHARACTERS_MAX = 512 * 1024;
    private static final Pattern URI =
            Pattern.compile("brig://sessions/([A-Za-z0-9][A-Za-z0-9._-]{0,127})/(stream|diff)");
    private static final Pattern PAGE_BEGIN = Pattern.compile("\\d{1,9}");

    private record Unknown(String uri) {}

    private final CaptainGateway gateway;
    private final Ticks ticks;
    private final Executor threads;

    Resources(CaptainGateway gateway, Ticks ticks, Executor threads) {
        this.gateway = gateway;
        this.ticks = ticks;
        this.threads = threads;
    }

    static String diff(String session) {
        return "brig://sessions/" + session + "/diff";
    }

    /** The streams of all sessions, newest first. */
    ResourcePage.Resources list(@Nullable String cursor) {
        List<SpawnView> all = gateway.request(new SpawnerRequest.ListAll(), SpawnList.class).spawns().stream()
                .sorted(Comparator.comparing(SpawnView::spawnId).reversed())
                .toList();
        int from = cursor == null ? 0 : PAGE_BEGIN.matcher(cursor).matches() ? Integer.parseInt(cursor) : -1;
        if (from < 0 || from > all.size()) {
            throw new RpcException(RpcError.INVALID_PARAMS, "no such cursor");
        }
        int to = Math.min(all.size(), from + PAGE);
        return new ResourcePage.Resources(
                all.subList(from, to).stream().map(Resources::resource).toList(),
                to < all.size() ? String.valueOf(to) : null);
    }

    private static ResourcePage.Resource resource(SpawnView view) {
        return new ResourcePage.Resource(
                "brig://sessions/" + view.spawnId() + "/stream",
                view.taskId(),
                "What " + view.agent() + " wrote (" + view.activity().wireName() + ")",
                TEXT);
    }

    static ResourcePage.Templates templates() {
        return new ResourcePage.Templates(List.of(
                new ResourcePage.Template(
                        "brig://sessions/{session}/stream", "stream", "Everything that a session wrote", TEXT),
                new ResourcePage.Template(
                        "brig://sessions/{session}/diff", "diff", "The changes of a session's workspace", PATCH)));
    }

    /** @throws RpcException if there is no such resource */
    ResourcePage.Read read(String uri, Era era, Running call) {
        Matcher form = URI.matcher(uri);
        if (!form.matches()) {
            throw unknown(uri, "there is no such resource", era);
        }
        boolean isDiff = form.group(2).equals("diff");
        try {
            String text = isDiff ? changes(form.group(1)) : stream(form.group(1), call);
            return new ResourcePage.Read(List.of(new ResourcePage.Contents(uri, isDiff ? PATCH : TEXT, text)));
        } catch (BrigException refusal) {
            if (refusal.code() == ErrorCode.NOT_FOUND) {
                throw unknown(uri, refusal.getMessage(), era);
            }
            throw refusal;
        }
    }

    private static RpcException unknown(String uri, String why, Era era) {
        int code = era == Era.MODERN ? RpcError.INVALID_PARAMS : RpcException.RESOURCE_NOT_FOUND;
        return new RpcException(new RpcError(code, why, JsonObject.of(new Unknown(uri))));
    }

    private String changes(String session) {
        DiffAnswer answer = gateway.request(new SpawnerRequest.Diff(session), DiffAnswer.class);
        return answer.truncated()
                ? answer.diff() + "\n[cut off: all of it is in " + answer.workspace() + "]\n"
                : answer.diff();
    }

    private String stream(String session, Running call) {
        StreamText text = new StreamText(true, STREAM_CHARACTERS_MAX);
        SessionReading.Outcome outcome =
                new SessionReading(gateway, ticks, threads, text, call).replay(session, Cursor.BEGINNING);
        if (outcome.more()) {
            text.note("cut off: the tool logs goes on from cursor " + outcome.next());
        }
        return text.toString();
    }
}
