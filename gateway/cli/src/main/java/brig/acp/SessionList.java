package brig.acp;

import brig.acp.message.BrigMeta;
import brig.acp.message.EditorRequest;
import brig.acp.message.Meta;
import brig.acp.message.SessionPage;
import brig.captain.RpcException;
import brig.protocol.api.SpawnView;
import brig.protocol.rpc.RpcError;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** Pages of an agent profile's sessions for {@code session/list}, newest first. */
final class SessionList {
    static final int PAGE = 100;

    private SessionList() {}

    /** @throws RpcException for an invalid cursor */
    static SessionPage of(List<SpawnView> views, String agent, EditorRequest.ListSessions asked) {
        List<SessionPage.Info> all = views.stream()
                .filter(view -> view.agent().equals(agent))
                .sorted(Comparator.comparing(SpawnView::spawnId).reversed())
                .map(SessionList::info)
                .filter(info -> asked.cwd() == null || asked.cwd().equals(info.cwd()))
                .toList();
        int from = from(asked.cursor() == null ? "0" : asked.cursor(), all.size());
        int to = Math.min(all.size(), from + PAGE);
        return new SessionPage(List.copyOf(all.subList(from, to)), to < all.size() ? String.valueOf(to) : null);
    }

    private static int from(String cursor, int size) {
        int from = cursor.matches("\\d{1,9}") ? Integer.parseInt(cursor) : -1;
        if (from < 0 || from > size) {
            throw new RpcException(RpcError.INVALID_PARAMS, "no such cursor");
        }
        return from;
    }

    private static SessionPage.Info info(SpawnView view) {
        long atMs = view.endedMs() > 0 ? view.endedMs() : view.createdMs();
        return new SessionPage.Info(
                view.spawnId(),
                AcpOptions.folder(view.project(), view.workspace()),
                view.taskId().equals(view.spawnId()) ? null : view.taskId(),
                Instant.ofEpochMilli(atMs).toString(),
                new Meta(new BrigMeta.Listed(view.state().wireName())));
    }
}
