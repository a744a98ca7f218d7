/**
 * A failure with a code that says what to do next. Most codes are Brig's own (PROTOCOL.md, section 6); this client adds
 * CONNECTION_FAILED, CONNECTION_LOST, TIMEOUT, PROTOCOL_VIOLATION, FRAMES_LOST, MESSAGE_FAILED and LOCAL_AGENT.
 */
export class BrigError extends Error {
    /**
     * @param {string} code
     * @param {string} message for a person
     * @param {{cause?: unknown, retryAfterSeconds?: number, state?: string, spawnId?: string, text?: string}} [details]
     */
    constructor(code, message, {cause, retryAfterSeconds, state, spawnId, text} = {}) {
        super(message, cause === undefined ? undefined : {cause});
        this.name = 'BrigError';
        this.code = code;
        this.retryAfterSeconds = retryAfterSeconds;
        this.state = state;
        this.spawnId = spawnId;
        this.text = text;
    }

    /** The error that a line of Brig's tells of: a refusal, or an `error` frame. */
    static of(line) {
        return new BrigError(String(line.code ?? 'INTERNAL'), String(line.error), {
            retryAfterSeconds: typeof line.retry_after_seconds === 'number' ? line.retry_after_seconds : undefined,
            state: line.state,
            spawnId: line.spawn_id,
        });
    }

    /** Whether the same may succeed if it is tried again soon. */
    get isPassing() {
        return (
            this.retryAfterSeconds !== undefined ||
            this.code === 'CONNECTION_LOST' ||
            (this.code === 'CONNECTION_FAILED' && PASSING.has(this.cause?.code))
        );
    }
}

/** What connecting fails with while a gateway starts, or is very busy. */
const PASSING = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EAGAIN', 'EPIPE']);
