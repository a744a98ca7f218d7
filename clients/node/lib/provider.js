import {randomUUID} from 'node:crypto';
import {isAbsolute, join, relative, resolve} from 'node:path';
import {choiceOf} from './answers.js';
import {persist, within} from './dial.js';
import {BrigError} from './errors.js';
import {HttpGateway} from './http-gateway.js';
import {Routing} from './routing.js';
import {Session} from './session.js';
import {ask} from './spawner.js';

const TIMEOUTS = {spawnMs: 60_000, readyMs: 15_000, answerMs: 30_000, reconnectMs: 120_000};
const BUFFER_BYTES = 1_048_576;
/** A list has up to 64 asks of each session, with up to 17 KiB each. */
const LIST_BYTES_MAX = 16 * 1_048_576;
const AGENT_NAME_LENGTH_MAX = 128;

/** Starts subagents behind Brig's wall, over the spawner socket and the sockets of sessions, or over HTTP. */
export class SubagentProvider {
    #routing;
    #spawnerSocket;
    #workspaceBase;
    #policy;
    #bufferBytes;
    #maxLatencyMs;
    #timeouts;

    /** @param {import('../index.js').SubagentProviderOptions} [options] */
    constructor(options = {}) {
        const {
            remoteAgents = ['*'],
            localAgents = [],
            spawnerSocket = defaultSpawnerSocket(),
            url,
            token,
            workspaceBase,
            proxy,
            bufferBytes = BUFFER_BYTES,
            maxLatencyMs,
            timeouts = {},
            ...unknown
        } = options;
        refuseUnknown(unknown);
        refuseUnknown(timeouts, TIMEOUTS);
        if (workspaceBase !== undefined && !isAbsolute(workspaceBase)) {
            throw new BrigError('INVALID_FIELD', 'workspaceBase must be an absolute path');
        }
        this.#routing = new Routing(remoteAgents, localAgents);
        this.#spawnerSocket = url === undefined ? spawnerSocket : new HttpGateway(url, token);
        this.#workspaceBase = workspaceBase;
        this.#policy = toPolicy(proxy);
        this.#bufferBytes = bufferBytes;
        this.#maxLatencyMs = maxLatencyMs;
        this.#timeouts = {...TIMEOUTS, ...timeouts};
    }

    /** Whether an agent goes behind the wall; if not, it is the host's own. */
    isRemote(agent) {
        return typeof agent === 'string' && agent.length <= AGENT_NAME_LENGTH_MAX && this.#routing.isRemote(agent);
    }

    /**
     * Starts a worker, connects to it, and sends it the prompt, if there is one. What fails on the way ends the worker.
     *
     * @param {import('../index.js').StartRequest} request
     * @returns {Promise<Session>}
     */
    async start(request) {
        const {signal, prompt, ...wanted} = request;
        const answer = await this.#spawn(this.#toSpawn(wanted), wanted.wait ?? 0, signal);
        const place = {
            spawnId: answer.spawn_id,
            taskId: answer.task_id,
            workspace: answer.workspace,
            ioSocket: typeof this.#spawnerSocket === 'string' ? answer.io_socket : undefined,
            token: answer.auth_token,
            spawnerSocket: this.#spawnerSocket,
            maxLatencyMs: this.#maxLatencyMs,
        };
        return Session.begin(place, prompt, {bufferBytes: this.#bufferBytes, timeouts: this.#timeouts, signal});
    }

    /**
     * What agents ask now, the ask with the nearest deadline first.
     *
     * @param {string} [session] any name of a session; without it, of all that this user may read
     */
    async asks(session) {
        const {asks} = await this.#request('listing asks', {action: 'asks', tree: session});
        if (!Array.isArray(asks)) {
            throw new BrigError('PROTOCOL_VIOLATION', 'the answer to asks has no asks');
        }
        return asks;
    }

    /**
     * Answers an ask. The first answer counts: ASK_SETTLED where somebody else, the deadline or the agent was faster.
     *
     * @param {string} askId
     * @param {string | {text: string}} answer the id of an option, or an answer in own words
     */
    async answer(askId, answer) {
        await this.#request('answering', {action: 'answer_ask', id: askId, ...choiceOf(answer)});
    }

    #request(what, request) {
        return within(this.#timeouts.answerMs, what, undefined, (limit) =>
            ask(this.#spawnerSocket, request, limit, undefined, LIST_BYTES_MAX),
        );
    }

    /** The same request id makes it safe to ask again where the answer was lost. */
    #spawn(spawn, waitSeconds, signal) {
        let isLost = false;
        const mayPass = (failure) => {
            isLost ||= failure.code === 'CONNECTION_LOST';
            return isLost && failure.isPassing && failure.code.startsWith('CONNECTION_');
        };
        return within(this.#timeouts.spawnMs + waitSeconds * 1_000, 'the spawn', signal, (limit) =>
            persist(
                limit,
                async () => {
                    return requireSpawned(await ask(this.#spawnerSocket, spawn, limit, (late) => this.#end(late)));
                },
                mayPass,
            ),
        );
    }

    /** Ends a worker that came when nobody waited for it any more; nobody is left to be told of a failure either. */
    #end({spawn_id: id}) {
        const {answerMs} = this.#timeouts;
        within(answerMs, 'terminating', undefined, (limit) =>
            ask(this.#spawnerSocket, {action: 'terminate', id}, limit),
        ).catch(() => {});
    }

    #toSpawn(request) {
        const {
            agent,
            model,
            tools,
            systemPrompt,
            policy = this.#policy,
            once,
            workspace,
            workspaceMode,
            repository,
            project,
            taskId = this.#workspaceBase && `task-${randomUUID()}`,
            requestId = randomUUID(),
            envAllowlist,
            timeoutSeconds,
            budget,
            resume,
            record,
            host,
            on,
            shareWorkspace,
            wait,
            ...unknown
        } = request;
        refuseUnknown(unknown);
        if (!this.isRemote(agent)) {
            throw new BrigError(
                'LOCAL_AGENT',
                `${JSON.stringify(agent)} is not one of remoteAgents, or is one of localAgents`,
            );
        }
        const isOwnFolder = workspace === undefined && repository === undefined;
        return {
            action: 'spawn',
            task_id: taskId,
            agent_config: {name: agent, model, tools, system_prompt: systemPrompt},
            workspace: this.#inBase(isOwnFolder && this.#workspaceBase ? taskId : workspace),
            workspace_mode: workspaceMode,
            repository: this.#inBase(repository),
            once,
            policy,
            project,
            request_id: requestId,
            env_allowlist: envAllowlist,
            timeout_seconds: timeoutSeconds,
            budget: budget && {
                usd: budget.usd,
                tokens: budget.tokens,
                wall_ms: budget.wallMs,
                egress_bytes: budget.egressBytes,
                spawns: budget.spawns,
                on_limit: budget.onLimit,
            },
            resume,
            record,
            host,
            on,
            share_workspace: shareWorkspace,
            wait: wait === undefined ? undefined : `${wait}s`,
        };
    }

    /** A folder, which lies below the base where there is one. */
    #inBase(folder) {
        if (folder === undefined || this.#workspaceBase === undefined) {
            return folder;
        }
        const path = resolve(this.#workspaceBase, folder);
        const below = relative(this.#workspaceBase, path);
        if (below === '' || below === '..' || below.startsWith('../')) {
            throw new BrigError('WORKSPACE_OUTSIDE_BASE', `${folder} is not below ${this.#workspaceBase}`);
        }
        return path;
    }
}

/** Where Brig listens unless its configuration says otherwise. */
function defaultSpawnerSocket() {
    if (process.getuid?.() === 0) {
        return '/run/agent-spawner/spawner.sock';
    }
    const runtime = process.env.XDG_RUNTIME_DIR;
    return runtime?.startsWith('/')
        ? join(runtime, 'brig/spawner.sock')
        : `/tmp/brig-${process.getuid?.()}/spawner.sock`;
}

/**
 * The way out of the wall is Brig's own proxy, one for each worker, and the policy says where it leads: `proxy` names that
 * policy. An address would lead around the wall.
 */
function toPolicy(proxy) {
    if (proxy !== undefined && (typeof proxy !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(proxy))) {
        throw new BrigError(
            'INVALID_FIELD',
            'proxy is the name of a policy, which says what a worker may reach through ' +
                "Brig; a proxy of one's own would lead around the wall",
        );
    }
    return proxy;
}

function requireSpawned(answer) {
    const {spawn_id: spawnId} = answer;
    for (const field of ['spawn_id', 'task_id', 'workspace', 'io_socket', 'auth_token']) {
        if (typeof answer[field] !== 'string') {
            throw new BrigError('PROTOCOL_VIOLATION', `the answer to spawn has no ${field}`, {spawnId});
        }
    }
    return answer;
}

function refuseUnknown(given, known = {}) {
    for (const name of Object.keys(given)) {
        if (!Object.hasOwn(known, name)) {
            throw new BrigError('INVALID_FIELD', `there is no '${name}' here`);
        }
    }
}
