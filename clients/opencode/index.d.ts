/** What a worker works in. */
export type Workspace =
    /** A worktree of its own of the session's git repository; what changes is on the branch brig/TASK_ID. */
    | 'worktree'
    /** The session's folder itself: what the worker changes is changed. */
    | 'folder'
    /** A copy of the session's folder, on file systems that can share blocks. */
    | 'copy'
    /** An empty folder. */
    | 'new';

export interface SandboxOptions {
    /** Agent profile of Brig that runs each message with bash. Default: "shell". */
    profile?: string;
    /** Default: that of the plugin. */
    workspace?: Workspace;
    /** Default: that of the plugin. */
    proxy?: string;
    /**
     * Tools, by name or with *, that may touch the host nevertheless, such as "webfetch" or "mymcp_*".
     * Default: none.
     */
    allow?: string[];
    /** How long a command may run, 1 to 3600. Default: 120. */
    timeoutSeconds?: number;
}

export interface BrigOptions {
    /**
     * Where Brig listens for captains.
     * Default: /run/agent-spawner/spawner.sock for root, else $XDG_RUNTIME_DIR/brig/spawner.sock.
     */
    spawnerSocket?: string;
    /**
     * Sub-agents that run behind the wall: names or patterns with *, each with its agent profile of Brig; or
     * a list of them, which all run as `profile`. The first that fits decides. Default: none.
     */
    remoteAgents?: Record<string, string> | string[];
    /** Sub-agents that stay here although they fit. Default: none. */
    localAgents?: string[];
    /**
     * Which model a worker asks: names or patterns of sub-agents, each with a model as the worker's own provider calls it, or
     * "" for the worker's usual one. Default: the agent's own `model`, without its provider.
     */
    models?: Record<string, string>;
    /** Agent profile for a list of remoteAgents. Default: "opencode". */
    profile?: string;
    /** Default: "worktree". */
    workspace?: Workspace;
    /**
     * With workspace "new": below this folder, which lies under one of Brig's worker.workspaceBases. Default:
     * Brig's own.
     */
    workspaceBase?: string;
    /**
     * A policy of Brig, which decides what workers reach of the network. Default: that of the agent profile.
     */
    proxy?: string;
    /** How long workers live after OpenCode is gone, however it went, 1 to 3600. Default: 3. */
    leaseSeconds?: number;
    /** How long a worker waits for its task to be resumed, 1 to 86400. Default: 120. */
    keepSeconds?: number;
    /** All tools of the session behind one wall. Default: false. */
    sandbox?: boolean | SandboxOptions;
}

/** As OpenCode calls it (1.18); the types are those of @opencode-ai/plugin. */
export declare const BrigPlugin: (
    input: {client: unknown; directory: string; worktree: string},
    options?: BrigOptions,
) => Promise<Record<string, unknown>>;
