package brig.protocol;

/**
 * All error codes. The name is the {@code code} on the wire. {@link #action} tells a client what to do next, {@link
 * #httpStatus} is the status in HTTP answers, and {@link #closeCode} the close code of a WebSocket.
 */
public enum ErrorCode implements WireName {
    // Malformed or invalid requests.
    MALFORMED_JSON(400, 4500, Action.FIX_REQUEST),
    INVALID_UTF8(400, 4501, Action.FIX_REQUEST),
    NUL_BYTE(400, 4502, Action.FIX_REQUEST),
    LINE_TOO_LONG(413, 4503, Action.FIX_REQUEST),
    BODY_TOO_LARGE(413, 4504, Action.FIX_REQUEST),
    INVALID_FIELD(400, 4505, Action.FIX_REQUEST),
    UNKNOWN_ACTION(400, 4506, Action.FIX_REQUEST),
    UNKNOWN_AGENT(404, 4507, Action.FIX_REQUEST),
    TASK_ID_IN_USE(409, 4508, Action.FIX_REQUEST),
    WORKSPACE_OUTSIDE_BASE(403, 4509, Action.FIX_REQUEST),
    INPUT_NOT_ACCEPTED(409, 4510, Action.FIX_REQUEST),
    NOT_FOUND(404, 4511, Action.FIX_REQUEST),
    METHOD_NOT_ALLOWED(405, 4512, Action.FIX_REQUEST),
    UNKNOWN_POLICY(404, 4513, Action.FIX_REQUEST),
    UNKNOWN_IMAGE(404, 4570, Action.FIX_REQUEST),
    INVALID_IMAGE(422, 4571, Action.FIX_REQUEST),
    IMAGE_IN_USE(409, 4572, Action.FIX_REQUEST),
    ROOT_IN_USE(409, 4574, Action.FIX_REQUEST),
    ROOT_CHANGED(409, 4575, Action.FIX_REQUEST),
    IDEMPOTENCY_CONFLICT(422, 4514, Action.FIX_REQUEST),
    UNSUPPORTED_MEDIA_TYPE(415, 4516, Action.FIX_REQUEST),
    CONTROL_HELD(409, 4515, Action.FIX_REQUEST),
    HOST_IN_USE(409, 4519, Action.FIX_REQUEST),
    WORKSPACE_IN_USE(409, 4517, Action.FIX_REQUEST),
    ASK_SETTLED(409, 4518, Action.FIX_REQUEST),

    // Authentication and authorization.
    UNAUTHENTICATED(401, 4520, Action.AUTHENTICATE),
    FORBIDDEN(403, 4521, Action.AUTHENTICATE),
    AUTH_TIMEOUT(401, 4522, Action.AUTHENTICATE),
    ATTACH_AUTH_MISSING(401, 4523, Action.AUTHENTICATE),
    ATTACH_AUTH_EXPIRED(401, 4524, Action.AUTHENTICATE),

    // Limits: nothing was done; the same request may succeed later.
    MAX_WORKERS(429, 4020, Action.RETRY_LATER),
    MAX_WORKERS_PER_CAPTAIN(429, 4021, Action.RETRY_LATER),
    COOLDOWN(429, 4022, Action.RETRY_LATER),
    QUEUE_FULL(429, 4029, Action.RETRY_LATER),
    POOL_PAUSED(503, 4028, Action.RETRY_LATER),
    MAX_TOKENS(429, 4030, Action.RETRY_LATER),
    MAX_CONNECTIONS(503, 4023, Action.RETRY_LATER),
    REQUEST_TIMEOUT(408, 4034, Action.RETRY_LATER),
    MAX_SUBSCRIPTIONS(429, 4024, Action.RETRY_LATER),
    MAX_ASKS(429, 4035, Action.RETRY_LATER),
    PROVIDER_RATE_LIMITED(429, 4032, Action.RETRY_LATER),
    BUDGET_EXHAUSTED(402, 4557, Action.FIX_REQUEST),
    AGENT_WORKING(409, 4037, Action.RETRY_LATER),
    SESSION_NOT_READY(409, 4025, Action.RETRY_LATER),
    SESSION_ENDED(410, 4530, Action.STOP),
    SLOW_READER(503, 4000, Action.RECONNECT),
    SHUTTING_DOWN(503, 4001, Action.RECONNECT),

    // Faults of the host.
    PROVIDER_UNAVAILABLE(503, 4031, Action.RETRY_LATER),
    PROVIDER_REFUSED(503, 4577, Action.OPERATOR),
    UNTRUSTED_ENDPOINT(503, 4547, Action.OPERATOR),
    HOST_UNREACHABLE(503, 4036, Action.RETRY_LATER),
    HOST_UNFIT(503, 4551, Action.OPERATOR),
    WORKER_AGENT_UNAVAILABLE(503, 4026, Action.RETRY_LATER),
    SANDBOX_UNAVAILABLE(503, 4540, Action.OPERATOR),
    WALL_UNAVAILABLE(503, 4567, Action.OPERATOR),
    LIMITS_UNAVAILABLE(503, 4541, Action.OPERATOR),
    COMMAND_NOT_FOUND(422, 4542, Action.OPERATOR),
    POSTURE_NOT_ENFORCED(503, 4544, Action.OPERATOR),
    INVALID_POLICY(422, 4545, Action.OPERATOR),
    COPY_UNAVAILABLE(422, 4546, Action.OPERATOR),
    MODEL_ROUTE_MISSING(422, 4556, Action.OPERATOR),
    LOGIN_REFUSED(422, 4565, Action.OPERATOR),
    CHECKPOINT_UNAVAILABLE(422, 4566, Action.OPERATOR),
    WORKSPACE_UNREADABLE(422, 4548, Action.OPERATOR),
    START_TIMEOUT(504, 4027, Action.RETRY_LATER),
    TURN_TIMEOUT(504, 4560, Action.OPERATOR),
    DISK_FULL(507, 4568, Action.OPERATOR),
    SERVICE_FAILED(422, 4573, Action.OPERATOR),
    PREPARATION_FAILED(422, 4576, Action.FIX_REQUEST),
    AGENT_SERVER_FAILED(502, 4033, Action.RETRY_LATER),
    WORKER_LOST(502, 4531, Action.STOP),
    RECONCILE_TIMEOUT(504, 4532, Action.STOP),
    LINK_FENCED(409, 4533, Action.STOP),
    RECORD_LOST(507, 4543, Action.OPERATOR),
    ALREADY_RUNNING(409, 4549, Action.OPERATOR),
    INTERNAL(500, 4550, Action.OPERATOR);

    /** What a client should do about a code. */
    public enum Action {
        /** Change the request; it will never succeed as it is. */
        FIX_REQUEST,
        /** Use another token, if any permits the operation. */
        AUTHENTICATE,
        /** Repeat the same request after {@code retry_after_seconds}. */
        RETRY_LATER,
        /** Reconnect and resume after the last frame received. */
        RECONNECT,
        /** Stop: no more frames will come. */
        STOP,
        /** Ask the operator to repair the host; the message says how. */
        OPERATOR
    }

    private final int httpStatus;
    private final int closeCode;
    private final Action action;

    ErrorCode(int httpStatus, int closeCode, Action action) {
        this.httpStatus = httpStatus;
        this.closeCode = closeCode;
        this.action = action;
    }

    @Override
    public String wireName() {
        return name();
    }

    public int httpStatus() {
        return httpStatus;
    }

    public Action action() {
        return action;
    }

    /** Whether repeating the request or reconnecting may succeed. */
    public boolean isRetryable() {
        return action == Action.RETRY_LATER || action == Action.RECONNECT;
    }

    /**
     * Exit code of the CLI: 3 if a session is not ready yet, else 125, above an agent's own codes.
     */
    public int exitCode() {
        return this == SESSION_NOT_READY ? 3 : 125;
    }

    /** WebSocket close code. After 4000–4499 the client may reconnect and resume, after 4500–4999 it may not. */
    public int closeCode() {
        return closeCode;
    }
}
