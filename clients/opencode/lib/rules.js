// Which tools a walled session has: those of the sandbox and those that touch nothing but the conversation.
import {fits} from './options.js';

/** Tools that touch nothing but the conversation. */
const HARMLESS = [
    'sandbox_*',
    'brig_ask',
    'task',
    'todowrite',
    'todoread',
    'question',
    'skill',
    'invalid',
    'plan_enter',
    'plan_exit',
];
/**
 * Those of OpenCode that a model is not to be offered; others that touch the host are refused when they are
 * called.
 */
const OF_THE_HOST = [
    'bash',
    'read',
    'edit',
    'write',
    'patch',
    'apply_patch',
    'multiedit',
    'glob',
    'grep',
    'list',
    'webfetch',
    'websearch',
    'codesearch',
    'lsp',
    'execute',
    'external_directory',
];
/** The tools of the sandbox, and whose rules count for them. */
const COUNTERPARTS = {
    sandbox_bash: 'bash',
    sandbox_read: 'read',
    sandbox_write: 'edit',
    sandbox_edit: 'edit',
};
/** What OpenCode's own agents may do, said of these tools. */
const BUILT_IN = {
    plan: {sandbox_write: 'deny', sandbox_edit: 'deny'},
    explore: {sandbox_bash: 'allow', sandbox_read: 'allow'},
};

export class Rules {
    #allowed;

    /** @param allow tools that may touch the host nevertheless, as patterns */
    constructor(allow) {
        this.#allowed = [...HARMLESS, ...allow];
    }

    #isAllowed(tool) {
        return this.#allowed.some((pattern) => fits(pattern, tool));
    }

    /** Rules for the tools of the host go over to those of the sandbox; then the former are refused. */
    #walled(permission, more = {}) {
        const rules = typeof permission === 'string' ? {'*': permission} : {...permission};
        for (const [tool, host] of Object.entries(COUNTERPARTS)) {
            const rule = rules[tool] ?? rules[host] ?? more[tool];
            if (rule !== undefined) rules[tool] = rule;
        }
        // The last rule that fits counts, so these have to come last.
        for (const host of OF_THE_HOST.filter((tool) => !this.#isAllowed(tool))) {
            delete rules[host];
            rules[host] = 'deny';
        }
        return rules;
    }

    /** What the model of each agent is offered. */
    configure(config) {
        config.permission = this.#walled(config.permission);
        const agents = {plan: {}, explore: {}, ...config.agent};
        for (const [name, agent] of Object.entries(agents)) {
            const {tools, ...rest} = agent;
            agents[name] = {...rest, permission: this.#walled(agent.permission, BUILT_IN[name])};
        }
        config.agent = agents;
    }

    /** @throws Error for a tool that would touch the host */
    check(tool) {
        if (!this.#isAllowed(tool)) {
            throw new Error(
                `'${tool}' would touch the host; use sandbox_bash, sandbox_read, sandbox_write or sandbox_edit`,
            );
        }
    }
}
