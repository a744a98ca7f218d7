// Starts workers of this OpenCode, and ends them with it. Whatever becomes of the process, Brig ends them
// too: each has a lease, which only this process's own connection to it keeps.
import {randomBytes} from 'node:crypto';
import path from 'node:path';
import {ask, BrigError, Session} from './brig.js';
import {taskId} from './options.js';

const WAIT = '30s';
const FILES_NAMED_MAX = 20;

export class Workers {
    #options;
    #place;
    #sessions = new Set();

    /** @param place {@code directory} and {@code worktree} of the OpenCode instance */
    constructor(options, place) {
        this.#options = options;
        this.#place = place;
    }

    /** What the worker works in, as fields of the request. */
    #workspace(mode, task) {
        const {directory, worktree} = this.#place;
        switch (mode) {
            case 'folder':
                // As OpenCode's own sub-agents, which work beside each other.
                return {workspace: directory, share_workspace: true};
            case 'copy':
                return {workspace_mode: 'copy', workspace: directory};
            case 'worktree':
                if (worktree === '/')
                    throw new BrigError(
                        `${directory} is no git repository: set the option 'workspace'`,
                        'INVALID_FIELD',
                    );
                return {workspace_mode: 'snapshot', repository: worktree};
            default:
                return this.#options.workspaceBase === undefined
                    ? {}
                    : {workspace: path.join(this.#options.workspaceBase, task)};
        }
    }

    /** The folder of the host that is /workspace inside; null where it is none of the user's. */
    root(mode) {
        return mode === 'new' ? null : mode === 'worktree' ? this.#place.worktree : this.#place.directory;
    }

    /**
     * Starts a worker and connects to it.
     *
     * @param what for whom: a name that people recognize it by
     * @param how {@code profile}, {@code workspace}, {@code proxy}, {@code model} (undefined for its own),
     *     {@code tools} (undefined for all)
     * @throws BrigError as Brig refuses it
     */
    async start(what, how, signal) {
        const task = taskId(what, randomBytes(4).toString('hex'));
        const granted = await ask(
            this.#options.spawnerSocket,
            {
                action: 'spawn',
                task_id: task,
                agent_config: {name: how.profile, model: how.model, tools: how.tools},
                policy: how.proxy,
                lease_seconds: this.#options.leaseSeconds,
                wait: WAIT,
                ...this.#workspace(how.workspace, task),
            },
            signal,
        );
        const session = new Session(granted);
        this.#sessions.add(session);
        return session;
    }

    end(session) {
        this.#sessions.delete(session);
        session.end();
    }

    endAll() {
        for (const session of this.#sessions) this.end(session);
    }

    /** What a person or a model has to know about what the worker changed; empty for nothing. */
    async changes(session, mode) {
        if (mode !== 'worktree' && mode !== 'copy') return '';
        const {diff, branch} = await ask(this.#options.spawnerSocket, {action: 'diff', id: session.id});
        const files = [...diff.matchAll(/^diff --git a\/.* b\/(.*)$/gm)].map((match) => match[1]);
        if (files.length === 0) return '';
        const named = files.slice(0, FILES_NAMED_MAX).join(', ') + (files.length > FILES_NAMED_MAX ? ', …' : '');
        const where = branch ? `a worktree on the branch ${branch}` : 'a copy';
        const next = branch ? `, brig apply ${session.taskId} brings it here` : '';
        return `[Brig: ${files.length} changed in ${where}, not here: ${named}. brig diff ${session.taskId} shows it${next}]`;
    }
}
