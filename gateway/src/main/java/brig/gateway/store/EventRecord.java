package brig.gateway.store;

/**
 * An event that a hook reported.
 *
 * @param epoch the epoch of its number
 * @param sessionId empty if not reported
 * @param json the event as one object, including its number
 */
public record EventRecord(String epoch, long seq, String spawnId, String sessionId, String json) {}
