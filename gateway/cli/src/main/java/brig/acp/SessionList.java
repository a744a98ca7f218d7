package brig.acp;

import brig.protocol.json.Fields;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The sessions of an agent profile as {@code session/list} shows them, newest first, in pages. */
final class SessionList {
    static final int PAGE = 100;

    private SessionList() {}

    /** @throws RpcException where the cursor is none of ours */
    static Map<String, ?> of(List<Fields> views, String agent, Fields params) {
        String folder = params.text("cwd");
        List<Map<String, Object>> all = views.stream()
                .filter(view -> view.text("agent", "").equals(agent))
                .sorted(Comparator.comparing((Fields view) -> view.text("spawn_id", ""))
                        .reversed())
                .map(SessionList::info)
                .filter(info -> folder == null || folder.equals(info.get("cwd")))
                .toList();
        int from = from(params.text("cursor", "0"), all.size());
        int to = Math.min(all.size(), from + PAGE);
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("sessions", new ArrayList<>(all.subList(from, to)));
        if (to < all.size()) {
            page.put("nextCursor", String.valueOf(to));
        }
        return page;
    }

    private static int from(String cursor, int size) {
        int from = cursor.matches("\\d{1,9}") ? Integer.parseInt(cursor) : -1;
        if (from < 0 || from > size) {
            throw new RpcException(RpcException.INVALID_PARAMS, "no such cursor");
        }
        return from;
    }

    private static Map<String, Object> info(Fields view) {
        String task = view.text("task_id", "");
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("sessionId", view.requiredText("spawn_id"));
        info.put("cwd", AcpOptions.folder(view.text("project", ""), view.text("workspace", "/")));
        if (!task.equals(view.text("spawn_id", ""))) {
            info.put("title", task);
        }
        long atMs = view.number("ended_ms", 0, Long.MAX_VALUE, view.number("created_ms", 0, Long.MAX_VALUE, 0));
        info.put("updatedAt", Instant.ofEpochMilli(atMs).toString());
        info.put("_meta", SessionUpdates.meta(Map.of("state", view.text("state", ""))));
        return info;
    }
}
