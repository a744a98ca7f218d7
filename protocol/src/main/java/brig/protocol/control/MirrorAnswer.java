package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;

/** The newest commits that a mirror has with all of their history; none if there is no such mirror. */
@Extensible
public record MirrorAnswer(List<String> commits) {
    /** How many commits are named at most. */
    public static final int COMMITS_MAX = 64;

    public MirrorAnswer {
        commits.forEach(commit -> MirrorStart.requireCommit("commits", commit));
    }
}
