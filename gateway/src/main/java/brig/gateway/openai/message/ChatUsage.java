package brig.gateway.openai.message;

/** Tokens of a completion. */
public record ChatUsage(long promptTokens, long completionTokens, long totalTokens) {
    public ChatUsage(long promptTokens, long completionTokens) {
        this(promptTokens, completionTokens, promptTokens + completionTokens);
    }
}
