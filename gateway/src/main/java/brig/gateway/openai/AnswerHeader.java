package brig.gateway.openai;

/**
 * The fields common to all parts of an answer.
 *
 * @param id with the prefix of the API's form
 * @param created seconds since 1970
 * @param model the agent
 */
public record AnswerHeader(String id, long created, String model) {
    /** A copy with that prefix before its id. */
    public AnswerHeader as(String prefix) {
        return new AnswerHeader(prefix + id, created, model);
    }
}
