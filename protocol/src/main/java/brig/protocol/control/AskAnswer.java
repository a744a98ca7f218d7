package brig.protocol.control;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * The answer that an ask got.
 *
 * @param option the id of the option; null if a text was the answer
 */
@Extensible
public record AskAnswer(
        String askId, @Nullable String option, @Nullable String text) {}
