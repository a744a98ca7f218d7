package brig.workeragent.worker;

import org.jspecify.annotations.Nullable;

/**
 * A user message.
 *
 * @param id the captain's name for it, by which the stream tells when its turn comes; null for none
 */
record Message(String content, @Nullable String id) {}
