package brig.gateway.cluster;

/**
 * Consecutive frames of one spawn, as one message of the shared log.
 *
 * @param term the term of the owner that wrote it
 * @param firstSeq the number of its first frame
 * @param lastSeq the number of its last frame, {@code firstSeq - 1} for a fence
 * @param lines the frames as lines
 */
@SuppressWarnings("ArrayRecordComponent") // handed on once, never compared
public record Run(String spawnId, long term, long firstSeq, long lastSeq, byte[] lines) {
    /** A run without frames: whoever wrote last does not know its position, and can write no more. */
    static Run fence(String spawnId, long term, long lastSeq) {
        return new Run(spawnId, term, lastSeq + 1, lastSeq, new byte[0]);
    }

    boolean isFence() {
        return lastSeq < firstSeq;
    }

    /** Its name in errors. */
    public String id() {
        return spawnId + "/" + term + "/" + firstSeq + (isFence() ? "/fence" : "");
    }

    /** Whether that is the same message. */
    public boolean isSame(Run other) {
        return id().equals(other.id()) && lastSeq == other.lastSeq();
    }
}
