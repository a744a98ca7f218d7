package brig.acp.message;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Name;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to {@code session/list}.
 *
 * @param nextCursor null on the last page
 */
@CamelCase
public record SessionPage(List<Info> sessions, @Nullable String nextCursor) {
    /**
     * A session.
     *
     * @param cwd the editor's folder
     * @param title null if its only name is its id
     * @param updatedAt in ISO 8601
     */
    @CamelCase
    public record Info(
            String sessionId,
            String cwd,
            @Nullable String title,
            String updatedAt,
            @Name("_meta") Meta meta) {}
}
