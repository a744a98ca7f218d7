// What a worker asks, as OpenCode's own permission dialogue. A plugin cannot open one but within a tool, so the worker's
// model calls this tool when the worker asks, and goes on with the same turn when it has returned.
import {ask, BrigError} from './brig.js';

export const TOOL = 'brig_ask';
/** The permissions that are asked for with it: the dialogue shows nothing but the name of one. */
export const PERMISSIONS = `${TOOL}*`;
const DETAIL_CHARS_MAX = 4000;
const NAME_CHARS_MAX = 300;
const LOOK_AGAIN_MS = 1000;
const SETTLED = 'It is settled.';
const ABORTED = 'It is aborted.';
/** OpenCode aborts each call of a tool, also one that has returned. So long after that its next request may come. */
const RESUME_MS = 5000;
/** How long the event that tells "once" from "always" may be behind the dialogue's end. */
const REPLY_MS = 1000;

/** Whether a dialogue can answer it: it allows, always or once, or denies. Other asks are answered elsewhere. */
export function isDecidable({options}) {
    const ids = (options ?? []).map(({id}) => id);
    return ids.includes('allow') && ids.includes('deny');
}

/** The worker's call of the tool. A person sees its arguments beside the dialogue. */
export function callOf({ask_id: id, title, detail}) {
    const text = typeof detail === 'string' ? detail : (diffOf(detail) ?? JSON.stringify(detail) ?? '');
    const shown = text.length > DETAIL_CHARS_MAX ? `${text.slice(0, DETAIL_CHARS_MAX)}… (shortened)` : text;
    return {
        index: 0,
        id: `brig_${id}`,
        type: 'function',
        function: {name: TOOL, arguments: JSON.stringify({id, title, detail: shown})},
    };
}

function isChanges(detail) {
    const changes = detail?.changes;
    return (
        Array.isArray(changes) &&
        changes.length > 0 &&
        Object.keys(detail).length === 1 &&
        changes.every((one) => typeof one?.path === 'string' && typeof one.diff === 'string')
    );
}

/** What is asked, in one line of visible characters. */
function nameOf({title, detail}) {
    const about = isChanges(detail)
        ? detail.changes.map(({path}) => path).join(', ')
        : typeof detail === 'string'
          ? detail
          : (detail?.command ?? detail ?? '');
    const text = `${title}: ${typeof about === 'string' ? about : JSON.stringify(about)}`
        .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
        .replace(/[: ]+$/, '');
    return `${TOOL}: ${text.length > NAME_CHARS_MAX ? `${text.slice(0, NAME_CHARS_MAX)}… (shortened)` : text}`;
}

/** Changes of files as Codex tells them, as a diff. A new or deleted file comes as its content. */
function diffOf(detail) {
    if (!isChanges(detail)) return undefined;
    return detail.changes
        .map(({path, kind, diff}) => {
            const sign = {add: '+', delete: '-'}[kind?.type] ?? '';
            const moved = typeof kind?.move_path === 'string' ? ` -> ${kind.move_path}` : '';
            return `${path}${moved}\n${diff.replace(/\n$/, '').replace(/^/gm, sign)}`;
        })
        .join('\n');
}

export class Dialogues {
    #spawnerSocket;
    #client;
    #lookAgainMs;
    #resumeMs;
    /** Asks whose tool was called, by id, with what ends their worker. */
    #open = new Map();
    /** The dialogues of calls: the id that OpenCode gave them, and what was replied. */
    #replies = new Map();

    constructor(spawnerSocket, client, lookAgainMs = LOOK_AGAIN_MS, resumeMs = RESUME_MS) {
        this.#spawnerSocket = spawnerSocket;
        this.#client = client;
        this.#lookAgainMs = lookAgainMs;
        this.#resumeMs = resumeMs;
    }

    /**
     * The tool is about to be called.
     *
     * @param frame {@code ask}
     * @param session of the worker
     * @param end ends the worker, unless its turn went on
     */
    expect(frame, session, end) {
        this.#open.set(frame.ask_id, {frame, session, end});
    }

    handleEvent({type, properties}) {
        if (type === 'permission.asked' && properties.permission.startsWith(TOOL))
            this.#reply(properties.tool?.callID).request = properties.id;
        if (type !== 'permission.replied') return;
        for (const reply of this.#replies.values())
            if (reply.request === properties.requestID) reply.resolve(properties.reply);
    }

    #reply(call) {
        if (!this.#replies.has(call)) {
            const reply = {request: undefined};
            reply.given = new Promise((resolve) => (reply.resolve = resolve));
            this.#replies.set(call, reply);
        }
        return this.#replies.get(call);
    }

    async #execute({id}, context) {
        const waiting = this.#open.get(id);
        if (!waiting) return 'Nothing is asked under this id.';
        const over = new AbortController();
        const abort = aborted(context.abort);
        // Where the dialogue is rejected first, the abort comes when the tool has returned. Then only the next request tells
        // whether OpenCode goes on.
        abort.then(() => (over.signal.aborted ? pause(this.#resumeMs).then(waiting.end) : waiting.end()));
        try {
            if (!(await this.#isOpen(waiting))) return SETTLED;
            const outcome = await Promise.race([
                this.#decide(waiting.frame, context),
                this.#settled(waiting, over.signal),
                abort,
            ]);
            if (outcome === SETTLED) await this.#close(context.callID);
            if (outcome === ABORTED || outcome === SETTLED) return outcome;
            await ask(this.#spawnerSocket, {action: 'answer_ask', id, option: outcome, client: 'opencode'});
            return `Answered: ${outcome}`;
        } catch (error) {
            // The first answer counts; whatever else goes wrong, the ask keeps its deadline.
            if (error instanceof BrigError) return error.message;
            throw error;
        } finally {
            over.abort();
            this.#open.delete(id);
            this.#replies.delete(context.callID);
        }
    }

    /** Shows the dialogue. */
    async #decide(frame, context) {
        const {title, options} = frame;
        const reply = this.#reply(context.callID);
        try {
            await context.ask({permission: nameOf(frame), patterns: [title], always: [], metadata: {}});
        } catch {
            return 'deny';
        }
        if (!options.some(({id}) => id === 'allow_session')) return 'allow';
        const given = await Promise.race([reply.given, pause(REPLY_MS)]);
        return given === 'always' ? 'allow_session' : 'allow';
    }

    /** Completes when the ask no longer waits: somebody else answered, or its deadline has come. */
    async #settled(waiting, signal) {
        do await pause(this.#lookAgainMs, signal);
        while (!signal.aborted && (await this.#isOpen(waiting)));
        return SETTLED;
    }

    async #isOpen({frame, session}) {
        try {
            const {asks} = await ask(this.#spawnerSocket, {action: 'asks', tree: session.id});
            return asks.some((one) => one.ask_id === frame.ask_id);
        } catch (error) {
            // The gateway may start again; the session may be gone.
            if (error instanceof BrigError) return error.code !== 'NOT_FOUND';
            throw error;
        }
    }

    /** Closes the dialogue. "Once" concerns this one alone, and its outcome is not used any more. */
    async #close(call) {
        const {request} = this.#reply(call);
        if (request === undefined || !this.#client._client) return;
        await this.#client._client
            .post({
                url: '/permission/{requestID}/reply',
                path: {requestID: request},
                body: {reply: 'once'},
                headers: {'Content-Type': 'application/json'},
            })
            .catch(() => {});
    }

    tools() {
        const text = (description) => ({type: 'string', description});
        return {
            [TOOL]: {
                description: 'Only for workers of Brig.',
                args: {
                    id: text('The ask'),
                    title: text('What is asked'),
                    detail: text('What to judge by'),
                },
                execute: (args, context) => this.#execute(args, context),
            },
        };
    }
}

function aborted(signal) {
    return new Promise((resolve) => {
        if (signal.aborted) resolve(ABORTED);
        signal.addEventListener('abort', () => resolve(ABORTED), {once: true});
    });
}

function pause(milliseconds, signal) {
    return new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        timer.unref();
        signal?.addEventListener('abort', () => {
            clearTimeout(timer);
            resolve();
        });
    });
}
