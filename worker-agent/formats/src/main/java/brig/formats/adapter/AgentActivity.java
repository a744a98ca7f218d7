package brig.formats.adapter;

import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Activity.Doing;
import org.jspecify.annotations.Nullable;

/** What an agent without turns does, as frames: one for each change. Owned by the thread that reads the pipe. */
public final class AgentActivity {
    private static final int REASON_BYTES_MAX = 1000;

    private final AgentFrames frames;
    private @Nullable Doing now;

    AgentActivity(AgentFrames frames) {
        this.frames = frames;
    }

    /** It works on something. */
    public void works() throws InterruptedException {
        become(Doing.WORKING, null);
    }

    /** It waits for what a person wants next. */
    public void idles() throws InterruptedException {
        become(Doing.IDLE, null);
    }

    /**
     * It waits for an answer of a person, on its terminal.
     *
     * @param reason its own words; null for none
     */
    public void waits(@Nullable String reason) throws InterruptedException {
        become(Doing.WAITING, reason);
    }

    /** It goes on, if it waited for an answer. */
    public void goesOn() throws InterruptedException {
        if (now == Doing.WAITING) {
            works();
        }
    }

    private void become(Doing next, @Nullable String reason) throws InterruptedException {
        if (now != next) {
            now = next;
            frames.put(new Frame.Activity(next, reason == null ? null : FrameText.cut(reason, REASON_BYTES_MAX)));
        }
    }
}
