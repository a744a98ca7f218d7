// The tree of a session's agents, from its frames alone, by the rules of PROTOCOL.md 5.2. The gateway has the
// same at /tree; the page reads the frames anyhow, and so can also say how the tree was at any of them.
import {budgetAfter} from './budget.js';

const NODES_MAX = 2048;
const LIVES = new Set(['spawned', 'running']);
// How sure it is where a node belongs; a surer word moves it. An agent that names no parent may not know it yet.
const UNKNOWN = 0,
    READ_OFF = 1,
    TOLD = 2,
    TOLD_PARENT = 3;

const noUsage = () => ({any: false, input_tokens: 0, output_tokens: 0, cost: 0});

function newNode(id, parent) {
    return {
        id,
        parent,
        place: UNKNOWN,
        status: 'unknown',
        startedMs: 0,
        endedMs: 0,
        restsMs: 0, // since when it waits for the next message, where its turn is over
        background: false,
        type: '',
        prompt: '',
        summary: '',
        error: '',
        told: noUsage(),
        readOff: noUsage(),
    };
}

function add(usage, frame) {
    usage.any = true;
    usage.input_tokens += frame.input_tokens ?? 0;
    usage.output_tokens += frame.output_tokens ?? 0;
    usage.cost += frame.cost ?? 0;
}

/** What a node used: by its own word, or else as read off its requests. */
export const usageOf = (node) => (node.told.any ? node.told : node.readOff);

/** How it stands, in the word that a person reads: between two turns the agent itself rests. */
export const standingOf = ({status, restsMs}) => (status === 'running' && restsMs ? 'idle' : status);

/** What a person calls a sub-agent: what it is asked to do, or else what kind it is; empty where neither is known. */
export const nameOf = (node) => (node?.prompt.trim().split('\n')[0] ?? '') || node?.type || '';

export class AgentTree {
    main = newNode('', null);
    nodes = new Map();
    /** What is used up of the session's own budget; null without one. */
    budget = null;
    #sessionId = null;
    #exitCode = null;

    /** Takes a frame; those that do not concern the tree change nothing. */
    frame(frame) {
        if (this.main.status === 'unknown') {
            this.#become(this.main, 'running', frame.ts);
        }
        switch (frame.type) {
            case 'subagent':
                return this.#subagent(frame);
            case 'usage':
                return this.#usage(frame);
            case 'budget':
                this.budget = frame.scope === 'session' ? budgetAfter(this.budget, frame) : this.budget;
                return;
            case 'session':
                this.#sessionId = frame.session_id;
                this.main.type = frame.model ?? frame.agent ?? '';
                return;
            case 'done':
                this.#exitCode = frame.exit_code ?? frame.exitCode;
                this.main.restsMs = frame.ts;
                return;
            case 'message':
                this.main.restsMs = 0;
                return;
            case 'state':
                return frame.state === 'terminated' && this.#end(frame.ts);
            default:
        }
    }

    #subagent(frame) {
        const node = this.#node(frame.agent_id);
        if (!node || node === this.main) {
            return;
        }
        const told = frame.parent_id === undefined ? TOLD : TOLD_PARENT;
        this.#place(node, frame.parent_id, frame.source ? READ_OFF : told);
        if (frame.status) {
            this.#become(node, frame.status, frame.ts);
        }
        node.background = frame.background ?? node.background;
        node.type = frame.subagent_type ?? node.type;
        node.prompt = frame.prompt ?? node.prompt;
        node.summary = frame.summary ?? node.summary;
        node.error = frame.error ?? node.error;
        node.toolId = frame.parent_tool_id ?? node.toolId;
    }

    #place(node, parentId, place) {
        const parent = parentId === undefined ? this.main : this.#node(parentId);
        if (place > node.place && parent && !isWithin(parent, node)) {
            node.parent = parent;
            node.place = place;
        }
    }

    #usage(frame) {
        const node = frame.agent === undefined ? this.main : this.#node(frame.agent);
        if (node) {
            add(frame.source ? node.readOff : node.told, frame);
        }
    }

    /** That it was spawned is old news of one that was seen at work. */
    #become(node, status, ms) {
        node.startedMs ||= ms;
        if (status === 'spawned' && node.status !== 'unknown') {
            return;
        }
        node.endedMs = LIVES.has(status) ? 0 : node.endedMs || ms;
        node.status = status;
    }

    #end(ms) {
        this.#become(this.main, this.#exitCode === null ? 'lost' : this.#exitCode === 0 ? 'completed' : 'failed', ms);
        this.nodes.forEach((node) => LIVES.has(node.status) && this.#become(node, 'lost', ms));
    }

    #node(id) {
        if (id === this.#sessionId) {
            return this.main;
        }
        if (!this.nodes.has(id) && id && this.nodes.size < NODES_MAX) {
            this.nodes.set(id, {...newNode(id, this.main), number: this.nodes.size});
        }
        return this.nodes.get(id);
    }

    /** The agent itself with all below it: `{node, children}`. */
    root() {
        const below = new Map([[this.main, []]]);
        this.nodes.forEach((node) => below.set(node, []));
        this.nodes.forEach((node) => below.get(node.parent).push(node));
        const made = new Map();
        for (const node of [...below.keys()].reverse()) {
            made.set(node, {node, children: []});
        }
        below.forEach((children, node) => made.get(node).children.push(...children.map((child) => made.get(child))));
        return made.get(this.main);
    }

    /** The ids of a node and all below it; null for the agent itself, whose stream is all of it. */
    within(id) {
        const top = this.nodes.get(id);
        return top
            ? new Set([...this.nodes.values()].filter((node) => isWithin(node, top)).map((node) => node.id))
            : null;
    }

    /** What the requests of all of them came to at the route. */
    priced() {
        return [this.main, ...this.nodes.values()].reduce((sum, node) => sum + node.readOff.cost, 0);
    }

    /** What all of them used together; null where nothing is known. */
    usage() {
        const all = noUsage();
        [this.main, ...this.nodes.values()]
            .map(usageOf)
            .filter((usage) => usage.any)
            .forEach((usage) => add(all, usage));
        return all.any ? all : null;
    }
}

function isWithin(node, top) {
    for (let at = node; at; at = at.parent) {
        if (at === top) {
            return true;
        }
    }
    return false;
}
