package brig.gateway.spawn;

import brig.gateway.store.SpawnRecord;
import brig.protocol.frame.ForkedFrom;
import brig.protocol.json.Json;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.spawn.SpawnRequest;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The request of a spawn as it is stored: without its prompt, which may be confidential.
 *
 * @param forkedFrom where the spawn begins, if it is a fork; null otherwise
 */
@Extensible
record StoredRequest(@Flat SpawnRequest request, @Nullable ForkedFrom forkedFrom) {
    static StoredRequest of(SpawnRequest request, @Nullable ForkedFrom forkedFrom) {
        return new StoredRequest(request.withoutPrompt(), forkedFrom);
    }

    static StoredRequest read(SpawnRecord.Origin origin) {
        return Json.read(origin.request().getBytes(StandardCharsets.UTF_8), StoredRequest.class);
    }

    String json() {
        return new String(Json.write(this), StandardCharsets.UTF_8);
    }
}
