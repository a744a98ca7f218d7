// Which sub-agents are behind the wall, and how OpenCode is told.
import {PERMISSIONS as ASK_PERMISSIONS, TOOL as ASK_TOOL} from './dialogues.js';
import {modelFetch} from './model.js';
import {fits, profileOf} from './options.js';

export const PROVIDER = 'brig-plugin';
/** Sub-agents that OpenCode has of its own, and does not name in its configuration. */
const BUILT_IN = ['general', 'explore'];
/** Longer than any conversation: it is the worker's to shorten. */
const TOKENS_MAX = 100_000_000;

/** Tools that all agents of Brig have, by the names that its requests have for them. */
const TOOLS = ['bash', 'read', 'edit', 'write', 'grep', 'glob', 'task'];

/** What OpenCode's rules for an agent say of a tool: the last that fits. */
function ruleFor(permission, tool) {
    if (typeof permission === 'string') return permission;
    const names = ['*', tool, ...(tool === 'write' ? ['edit'] : [])];
    return Object.entries(permission ?? {})
        .filter(([name, rule]) => names.includes(name) && typeof rule === 'string')
        .at(-1)?.[1];
}

/**
 * What an agent may use behind the wall; undefined for all that its worker has: where its rules take nothing away, and
 * where they take everything, which says that it uses nothing here.
 */
export function toolsOf({permission, tools}) {
    const left = TOOLS.filter((tool) => tools?.[tool] !== false && ruleFor(permission, tool) !== 'deny');
    return left.length === 0 || left.length === TOOLS.length ? undefined : left;
}

/**
 * The model that a worker is to ask: what the options say for that agent, where an empty name leaves it to the worker; else
 * the agent's own, without the provider, which is not behind the wall.
 */
export function modelOf(options, name, {model}) {
    const chosen = options.models.find(([pattern]) => fits(pattern, name))?.[1];
    return (chosen ?? model?.slice(model.indexOf('/') + 1)) || undefined;
}

export class Delegation {
    #options;
    #fetch;
    /** What the agents are told to be, by name. */
    #agents = new Map();

    constructor(options, workers, mirror, dialogues) {
        this.#options = options;
        this.#fetch = modelFetch(workers, mirror, {
            agent: (name) => this.#agent(name),
            keepMs: options.keepSeconds * 1000,
            dialogues,
        });
    }

    #agent(name) {
        const {workspace, proxy} = this.#options;
        const agent = this.#agents.get(name);
        return {
            how: {profile: profileOf(this.#options, name), workspace, proxy, model: agent?.model, tools: agent?.tools},
            instructions: agent?.prompt,
        };
    }

    /** Whether that agent may run behind the wall only. */
    isRemote(name) {
        return this.#agents.has(name);
    }

    /** The agents that are remote: those that are there, and those that the options name outright. */
    #names(agents) {
        const named = this.#options.remoteAgents
            .map(([pattern]) => pattern)
            .filter((pattern) => !pattern.includes('*'));
        const there = Object.keys(agents).filter((name) => agents[name].mode !== 'primary' && !agents[name].disable);
        return [...new Set([...BUILT_IN, ...there, ...named])].filter(
            (name) => profileOf(this.#options, name) !== null && agents[name]?.disable !== true,
        );
    }

    /**
     * Gives each remote agent a model of its own, which is its worker, and no tool but the one that asks for it: what it
     * does it does behind the wall. OpenCode's own task tool does the rest, for the model's calls, for mentions and for
     * commands with subtask.
     */
    configure(config) {
        const agents = (config.agent ??= {});
        const models = {};
        for (const name of this.#names(agents)) {
            const profile = profileOf(this.#options, name);
            const agent = agents[name] ?? {};
            this.#agents.set(name, {
                prompt: agent.prompt ?? '',
                model: modelOf(this.#options, name, agent),
                tools: toolsOf(agent),
            });
            const fresh = BUILT_IN.includes(name)
                ? {}
                : {description: `Works behind the wall of Brig, as ${profile}.`, mode: 'subagent'};
            agents[name] = {
                ...fresh,
                ...agent,
                model: `${PROVIDER}/${name}`,
                permission: {'*': 'deny', [ASK_PERMISSIONS]: 'ask'},
            };
            delete agents[name].tools;
            models[name] = {
                name: `${name} (Brig: ${profile})`,
                tool_call: true,
                reasoning: true,
                limit: {context: TOKENS_MAX, output: TOKENS_MAX},
            };
        }
        if (Object.keys(models).length === 0) return;
        // Other agents have nothing to ask with it. The last rule that fits counts.
        const rules = typeof config.permission === 'string' ? {'*': config.permission} : config.permission;
        config.permission = {...rules, [ASK_TOOL]: 'deny'};
        config.provider = {
            ...config.provider,
            [PROVIDER]: {
                npm: '@ai-sdk/openai-compatible',
                name: 'Brig',
                models,
                options: {
                    baseURL: 'http://brig.invalid/v1',
                    apiKey: 'none',
                    fetch: this.#fetch,
                    chunkTimeout: false,
                    headerTimeout: false,
                },
            },
        };
        config.enabled_providers?.push(PROVIDER);
    }

    /** @throws Error where a remote agent is about to run on another model, here */
    check(agent, model) {
        if (agent !== undefined && this.isRemote(agent) && model !== undefined && model.providerID !== PROVIDER) {
            throw new Error(
                `opencode-brig: the agent '${agent}' runs behind Brig's wall only; another model would run it here`,
            );
        }
    }
}
