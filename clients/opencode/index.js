// The plugin of OpenCode: what goes behind the wall of Brig, and what stays here.
import {Delegation} from './lib/delegation.js';
import {Dialogues} from './lib/dialogues.js';
import {Mirror} from './lib/mirror.js';
import {readOptions} from './lib/options.js';
import {Rules} from './lib/rules.js';
import {Sandbox} from './lib/sandbox.js';
import {Workers} from './lib/workers.js';

/**
 * OpenCode goes on without a plugin that fails, and its agents would work on the host: nothing runs then. What a hook
 * throws it shows to nobody, so its log and its screen are told.
 */
function closed(error, client) {
    const refuse = async () => {
        const {message} = error;
        await Promise.allSettled([
            client.app?.log({body: {service: 'opencode-brig', level: 'error', message}}),
            client.tui?.showToast({body: {title: 'Brig', message, variant: 'error'}}),
        ]);
        throw error;
    };
    return {'chat.message': refuse, 'tool.execute.before': refuse};
}

export const BrigPlugin = async (input, given) => {
    let options;
    try {
        options = readOptions(given);
    } catch (error) {
        return closed(error, input.client);
    }
    const place = {directory: input.directory, worktree: input.worktree};
    const workers = new Workers(options, place);
    const mirror = new Mirror(input.client);
    const dialogues = new Dialogues(options.spawnerSocket, input.client);
    const delegation = new Delegation(options, workers, mirror, dialogues);
    const sandbox = options.sandbox && new Sandbox(options.sandbox, workers, mirror, place);
    const rules = options.sandbox && new Rules(options.sandbox.allow);
    const hooks = {
        config: async (config) => {
            try {
                rules?.configure(config);
                delegation.configure(config);
            } catch (error) {
                Object.assign(hooks, closed(error, input.client));
            }
        },
        event: async ({event}) => {
            mirror.handleEvent(event);
            dialogues.handleEvent(event);
        },
        'chat.message': async ({agent, model}) => delegation.check(agent, model),
        'tool.execute.before': async ({tool}) => rules?.check(tool),
        'tool.definition': async ({toolID}, definition) => sandbox?.define(toolID, definition),
        tool: {...sandbox?.tools(), ...(options.remoteAgents.length > 0 ? dialogues.tools() : {})},
        dispose: async () => {
            sandbox?.close();
            workers.endAll();
        },
    };
    return hooks;
};
