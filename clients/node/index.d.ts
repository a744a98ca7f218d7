/** Codes of Brig (PROTOCOL.md, section 6), and those that this client adds. */
export type BrigErrorCode =
    /** Nobody listens there, or connecting is not allowed: nothing was asked. */
    | 'CONNECTION_FAILED'
    /** The connection broke: nobody knows whether what was sent has arrived. */
    | 'CONNECTION_LOST'
    | 'TIMEOUT'
    /** What came is not this protocol. */
    | 'PROTOCOL_VIOLATION'
    /** Frames are missing, and no gap said so; of `text()` also: a gap said so. */
    | 'FRAMES_LOST'
    /** The message was not worked off; the error's text is the `reason` of its `done`. */
    | 'MESSAGE_FAILED'
    /** The agent is not for this provider, by `remoteAgents` and `localAgents`. */
    | 'LOCAL_AGENT'
    | 'MALFORMED_JSON'
    | 'INVALID_UTF8'
    | 'NUL_BYTE'
    | 'LINE_TOO_LONG'
    | 'INVALID_FIELD'
    | 'UNKNOWN_ACTION'
    | 'UNKNOWN_AGENT'
    | 'UNKNOWN_POLICY'
    | 'INVALID_POLICY'
    | 'TASK_ID_IN_USE'
    | 'WORKSPACE_OUTSIDE_BASE'
    | 'INPUT_NOT_ACCEPTED'
    | 'NOT_FOUND'
    | 'UNKNOWN_IMAGE'
    | 'INVALID_IMAGE'
    | 'IMAGE_IN_USE'
    | 'ROOT_IN_USE'
    | 'ROOT_CHANGED'
    | 'IDEMPOTENCY_CONFLICT'
    | 'CONTROL_HELD'
    | 'ASK_SETTLED'
    | 'MAX_ASKS'
    | 'BUDGET_EXHAUSTED'
    | 'WORKSPACE_IN_USE'
    | 'UNAUTHENTICATED'
    | 'FORBIDDEN'
    | 'AUTH_TIMEOUT'
    | 'ATTACH_AUTH_MISSING'
    | 'ATTACH_AUTH_EXPIRED'
    | 'MAX_WORKERS'
    | 'MAX_WORKERS_PER_CAPTAIN'
    | 'COOLDOWN'
    | 'QUEUE_FULL'
    | 'POOL_PAUSED'
    | 'MAX_CONNECTIONS'
    | 'REQUEST_TIMEOUT'
    | 'MAX_SUBSCRIPTIONS'
    | 'PROVIDER_RATE_LIMITED'
    | 'AGENT_WORKING'
    | 'PROVIDER_REFUSED'
    | 'SESSION_NOT_READY'
    | 'SESSION_ENDED'
    | 'WORKER_AGENT_UNAVAILABLE'
    | 'SANDBOX_UNAVAILABLE'
    | 'WALL_UNAVAILABLE'
    | 'LIMITS_UNAVAILABLE'
    | 'COMMAND_NOT_FOUND'
    | 'POSTURE_NOT_ENFORCED'
    | 'COPY_UNAVAILABLE'
    | 'MODEL_ROUTE_MISSING'
    | 'LOGIN_REFUSED'
    | 'CHECKPOINT_UNAVAILABLE'
    | 'WORKSPACE_UNREADABLE'
    | 'START_TIMEOUT'
    | 'TURN_TIMEOUT'
    | 'DISK_FULL'
    | 'SERVICE_FAILED'
    | 'PREPARATION_FAILED'
    | 'WORKER_LOST'
    | 'RECONCILE_TIMEOUT'
    | 'LINK_FENCED'
    | 'RECORD_LOST'
    | 'MODEL_ERROR'
    | 'AGENT_ERROR'
    | 'INTERNAL'
    | (string & {});

export interface BrigErrorDetails {
    cause?: unknown;
    retryAfterSeconds?: number | undefined;
    state?: string | undefined;
    spawnId?: string | undefined;
    text?: string | undefined;
}

export class BrigError extends Error {
    constructor(code: BrigErrorCode, message: string, details?: BrigErrorDetails);
    readonly name: 'BrigError';
    readonly code: BrigErrorCode;
    /** Set where the same may succeed after so long. */
    readonly retryAfterSeconds: number | undefined;
    /** How far the spawn is, where it matters. */
    readonly state: string | undefined;
    readonly spawnId: string | undefined;
    /** What `text()` had read. */
    readonly text: string | undefined;
    /** Whether the same may succeed if it is tried again soon. */
    get isPassing(): boolean;
}

export interface Timeouts {
    /** From the request to the running worker, beside `wait`: 60 000. */
    spawnMs?: number;
    /** From there until the session's socket has appeared and let us in: 15 000. */
    readyMs?: number;
    /** Until Brig has taken a message: 30 000. */
    answerMs?: number;
    /** From a lost connection to the next: 120 000. */
    reconnectMs?: number;
}

export interface SubagentProviderOptions {
    /** Agents that go behind the wall: names, and globs with `*` and `?`. Default: all. */
    remoteAgents?: readonly string[];
    /**
     * Agents that do not. Where both lists match, the name wins over the glob, the glob with more letters over the one with
     * fewer, and else the wall. What neither matches is local.
     */
    localAgents?: readonly string[];
    /** Default: where Brig listens for the user of this process. */
    spawnerSocket?: string;
    /** Over HTTP instead: `http://HOST:PORT` or `https://…`. A reverse proxy must pass `Upgrade` on. */
    url?: string;
    /** With `url`: one that may start sessions. */
    token?: string;
    /**
     * Every `workspace` and `repository` lies below it, and may be given relative to it. A worker without either gets a
     * folder of its own here, named by its task id, which stays. Without a base Brig makes and removes such folders.
     */
    workspaceBase?: string;
    /** The policy that says what workers may reach through Brig's proxy. Default: that of the agent's profile. */
    proxy?: string;
    /** Frames that wait for their reader in one session; beyond that Brig holds the worker back. Default: 1 048 576. */
    bufferBytes?: number;
    /** Text is merged, and waits for at most so many milliseconds, 0 to 1000. Default: frames as they are. */
    maxLatencyMs?: number;
    timeouts?: Timeouts;
}

/** What a session and all below it may use up; the profile and the policy may allow less. */
export interface Budget {
    /** Money for requests to models, in US dollars. */
    usd?: number;
    /** Of requests to models, input and output together. */
    tokens?: number;
    wallMs?: number;
    egressBytes?: number;
    /** Sessions below it. */
    spawns?: number;
    /** When money, tokens or bytes are used up. Default: `refuse`. */
    onLimit?: 'refuse' | 'ask' | 'end';
}

export interface StartRequest {
    /** The agent profile. */
    agent: string;
    /** The first user message; without one the worker waits for `send`. */
    prompt?: string;
    /** Ends the start and the session, and its worker. Whoever waits is told the signal's reason. */
    signal?: AbortSignal;
    model?: string;
    tools?: string[];
    systemPrompt?: string;
    /** `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`, of no other spawn that lives. */
    taskId?: string;
    workspace?: string;
    workspaceMode?: 'folder' | 'worktree' | 'copy';
    /** A git repository, with the mode `worktree`. */
    repository?: string;
    /** Instead of `proxy`. */
    policy?: string;
    /** The worker ends behind its first message. */
    once?: boolean;
    project?: string;
    /** A UUID: the same request with the same id starts nothing more. Default: a new one. */
    requestId?: string;
    envAllowlist?: string[];
    timeoutSeconds?: number;
    /** What it and all below it may use up. */
    budget?: Budget;
    /** The agent's own id of an earlier session to go on with. */
    resume?: string;
    record?: boolean;
    /** The name of the host to run on, instead of the gateway's own. */
    host?: string;
    /** Labels, instead of `host`: of the hosts with all of them the one with the fewest sessions is taken. */
    on?: string[];
    /** It may work in a folder in which another live session of yours does. */
    shareWorkspace?: boolean;
    /** Seconds to wait for a place where all are taken, at most 300. Default: none, the refusal says when to retry. */
    wait?: number;
}

export class SubagentProvider {
    constructor(options?: SubagentProviderOptions);
    /** Whether that agent goes behind the wall; if not, it is the host's own. */
    isRemote(agent: string): boolean;
    /**
     * Starts a worker, connects to it, and sends it the prompt. What fails on the way ends the worker.
     *
     * @throws {BrigError} or the reason of the signal
     */
    start(request: StartRequest): Promise<Session>;
    /**
     * What agents ask now, the ask with the nearest deadline first.
     *
     * @param session any name of a session; without it, of all that this user may read
     */
    asks(session?: string): Promise<OpenAsk[]>;
    /**
     * Answers an ask, with the id of an option or in own words.
     *
     * @throws {BrigError} ASK_SETTLED where somebody else, the deadline or the agent was faster
     */
    answer(askId: string, answer: string | {text: string}): Promise<void>;
}

/** A worker behind the wall, and what it says. One reader at a time: it may stop, and go on with the next frame. */
export class Session implements AsyncIterable<Frame> {
    private constructor();
    readonly spawnId: string;
    readonly taskId: string;
    /** The folder that it works in. */
    readonly workspace: string;
    /** The newest `done` that was received. */
    readonly lastDone: DoneFrame | undefined;
    /** Whether the last frame, `state terminated`, was received. */
    readonly isTerminated: boolean;
    /**
     * Sends a user message; resolves when Brig has taken it. Where the connection is lost it is sent again under its
     * message_id, and is run once. TIMEOUT means that nobody knows whether it arrived.
     */
    send(content: string): Promise<void>;
    /**
     * Answers an ask of this session, or of one that works for it, with the id of an option or in own words.
     *
     * @throws {BrigError} ASK_SETTLED where somebody else, the deadline or the agent was faster; CONNECTION_LOST where only
     *     the frame `answered` can say
     */
    answer(askId: string, answer: string | {text: string}): Promise<void>;
    /** Interrupts the message that is being worked off; its `done` still comes. */
    cancel(): Promise<void>;
    /** Ends the worker; its last frames still come. */
    terminate(): Promise<void>;
    /** Leaves; the worker goes on. */
    close(): void;
    /**
     * Reads up to the next `done`, and says what the agent itself said until then.
     *
     * @throws {BrigError} with the `text` so far: MESSAGE_FAILED or the agent's own code, FRAMES_LOST, SESSION_ENDED
     */
    text(): Promise<string>;
    [Symbol.asyncIterator](): AsyncIterableIterator<Frame>;
    /** Ends the worker and forgets what was not read. */
    [Symbol.asyncDispose](): Promise<void>;
}

/** What every frame of the stream has. Fields and types that are not here may come at any time. */
export interface Numbered {
    /** From 1, without gaps but those that a `gap` names. */
    seq: number;
    /** Milliseconds since 1970. */
    ts: number;
}

export interface Usage {
    input_tokens?: number;
    output_tokens?: number;
    cached_input_tokens?: number;
    /** In US dollars. */
    cost?: number;
}

export interface ChunkFrame extends Numbered {
    type: 'chunk';
    /** With `maxLatencyMs`: the first of the frames up to `seq` whose content this is; absent for one frame. */
    from?: number;
    content: string;
    /** `text` and `thought` of an agent that Brig knows, `stdout` and `stderr` of any program. */
    stream: 'stdout' | 'stderr' | 'text' | 'thought' | (string & {});
    agent?: string;
    tool?: string;
}

/** One message was worked off. */
export interface DoneFrame extends Numbered {
    type: 'done';
    /** Absent in frames of gateways before 0.1.0, which have `exitCode`. */
    exit_code: number;
    signal?: string;
    reason?:
        | 'cancelled'
        | 'out_of_memory'
        | 'disk_full'
        | 'timeout'
        | 'start_failed'
        | 'worker_lost'
        | 'failed'
        | (string & {});
    usage?: Usage;
}

/** With `seq` something failed in the worker; without, it concerns the connection. Either way the stream goes on. */
export interface ErrorFrame extends Partial<Numbered> {
    type: 'error';
    error: string;
    code: BrigErrorCode;
    /** The agent tries again by itself; nothing is lost. */
    retrying?: boolean;
    attempt?: number;
    attempts_max?: number;
    retry_ms?: number;
    status?: number;
    agent?: string;
    retry_after_seconds?: number;
}

/** With `seq` it is the worker's; `terminated` is the last frame. Without, it says whether a slow reader holds it back. */
export interface StateFrame extends Partial<Numbered> {
    type: 'state';
    state: 'running' | 'terminated' | 'throttled' | (string & {});
    reason?: string;
}

/** Frames `from` to `to`, both included, will not come. */
export interface GapFrame {
    type: 'gap';
    from: number;
    to: number;
    reason: 'evicted' | 'record_lost' | 'record_damaged' | 'epoch_changed' | (string & {});
    /** A new stream begins at 1. */
    epoch?: string;
}

export interface SessionFrame extends Numbered {
    type: 'session';
    session_id: string;
    agent?: string;
    agent_version?: string;
    model?: string;
}

export interface ToolFrame extends Numbered {
    type: 'tool';
    id: string;
    agent?: string;
    name?: string;
    kind?: string;
    title?: string;
    status: 'pending' | 'running' | 'completed' | 'failed' | (string & {});
    input?: unknown;
    output?: string;
    more?: boolean;
    truncated?: boolean;
}

export interface SubagentFrame extends Numbered {
    type: 'subagent';
    agent_id: string;
    session_id?: string;
    parent_id?: string;
    parent_tool_id?: string;
    prompt?: string;
    subagent_type?: string;
    depth?: number;
    status?: 'spawned' | 'running' | 'completed' | 'failed' | 'killed' | (string & {});
    background?: boolean;
    summary?: string;
    error?: string;
    source?: string;
}

export interface PlanFrame extends Numbered {
    type: 'plan';
    entries: Array<{content: string; status: 'pending' | 'in_progress' | 'completed' | (string & {})}>;
    agent?: string;
}

export interface PermissionFrame extends Numbered {
    type: 'permission';
    id: string;
    decision: string;
    agent?: string;
    tool?: string;
    name?: string;
    input?: unknown;
}

export interface AskOption {
    id: string;
    /** For people. */
    name: string;
    description?: string;
}

/** What an agent asks. It waits until an answer, or until `deadline`. */
export interface Ask {
    ask_id: string;
    kind: 'tool' | 'egress' | 'question' | 'spend' | 'login' | (string & {});
    /** The asking sub-agent; absent for the agent itself. */
    agent?: string;
    native_id?: string;
    tool?: string;
    title: string;
    /** What to judge by, such as the arguments of the tool call. */
    detail?: unknown;
    options: AskOption[];
    /** An answer may be a text. */
    text?: boolean;
    /** Milliseconds since 1970. */
    deadline: number;
    /** The id of the option that is given at the deadline. */
    default: string;
}

export interface AskFrame extends Numbered, Ask {
    type: 'ask';
}

/** An entry of `asks()`. */
export interface OpenAsk extends Ask {
    spawn_id: string;
    task_id: string;
    session_id?: string;
    /** The name of the session's agent. */
    profile: string;
}

/** An ask is settled. */
export interface AnsweredFrame extends Numbered {
    type: 'answered';
    ask_id: string;
    option?: string;
    text?: string;
    by?: string;
    via?: string;
    reason: 'person' | 'policy' | 'deadline' | 'withdrawn' | 'ended' | (string & {});
}

export interface UsageFrame extends Numbered, Usage {
    type: 'usage';
    agent?: string;
    source?: string;
    route?: string;
    model?: string;
    status?: number;
    cache_write_input_tokens?: number;
}

export interface EgressFrame extends Numbered {
    type: 'egress';
    kind:
        | 'blocked'
        | 'ask'
        | 'answered'
        | 'allowed'
        | 'tls_failed'
        | 'throttled_by_provider'
        | 'provider_resumed'
        | (string & {});
    host?: string;
    port?: number;
    method?: string;
    scheme?: string;
    path?: string;
    rule?: string;
    status?: number;
    secrets?: string[];
    /** Called `deadlineMs` by gateways before 0.1.0. */
    deadline_ms?: number;
    allowed?: boolean;
    waited_ms?: number;
    dropped?: number;
}

export interface RawFrame extends Numbered {
    type: 'raw';
    line: string;
    more?: boolean;
    malformed?: boolean;
    truncated?: boolean;
}

/** What a session yields. Other types may come later: pass over what you do not know. */
export type Frame =
    | ChunkFrame
    | DoneFrame
    | ErrorFrame
    | StateFrame
    | GapFrame
    | SessionFrame
    | ToolFrame
    | SubagentFrame
    | PlanFrame
    | PermissionFrame
    | AskFrame
    | AnsweredFrame
    | UsageFrame
    | EgressFrame
    | RawFrame;
