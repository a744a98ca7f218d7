export {BrigError} from './lib/errors.js';
export {Session} from './lib/session.js';
export {SubagentProvider} from './lib/provider.js';
