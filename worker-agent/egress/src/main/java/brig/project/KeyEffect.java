package brig.project;

import org.jspecify.annotations.Nullable;

/**
 * What Brig does with a key of a project's file.
 *
 * @param key with the keys above it, cut off where it is long
 * @param effect goes on after the key
 * @param instead how the same is had; null if there is nothing to do, or no other way
 */
public record KeyEffect(
        String key,
        Honoured honoured,
        String effect,
        @Nullable String instead) {
    private static final int KEY_LENGTH_MAX = 100;

    /** Whether the key has the effect that its author expects. */
    public enum Honoured {
        YES,
        /** As far as the operator's policy allows it. */
        WITHIN_POLICY,
        NO
    }

    public KeyEffect {
        key = key.substring(0, Math.min(key.length(), KEY_LENGTH_MAX));
    }

    static KeyEffect yes(String key, String effect) {
        return new KeyEffect(key, Honoured.YES, effect, null);
    }

    static KeyEffect withinPolicy(String key, String effect) {
        return new KeyEffect(key, Honoured.WITHIN_POLICY, effect, null);
    }

    static KeyEffect no(String key, String why, @Nullable String instead) {
        return new KeyEffect(key, Honoured.NO, "has no effect: " + why, instead);
    }

    static KeyEffect unknown(String key) {
        return new KeyEffect(key, Honoured.NO, "is not known here, and has no effect", null);
    }

    public boolean isHonoured() {
        return honoured != Honoured.NO;
    }
}
