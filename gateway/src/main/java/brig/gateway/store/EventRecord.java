package brig.gateway.store;

/**
 * What a hook reported.
 *
 * @param epoch what its number counts within
 * @param sessionId empty where none was said
 * @param json the event as one object, its number included
 */
public record EventRecord(String epoch, long seq, String spawnId, String sessionId, String json) {}
