package brig.gateway.openai;

/**
 * What every piece of an answer says of it.
 *
 * @param id with the prefix that the form wants
 * @param created seconds since 1970
 * @param model the agent
 */
public record AnswerHeader(String id, long created, String model) {
    /** The same with that in front of its id. */
    public AnswerHeader as(String prefix) {
        return new AnswerHeader(prefix + id, created, model);
    }
}
