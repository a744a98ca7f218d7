// Where the person is: `#/`, `#/session/<id>`, `#/session/<id>/<part>`.
import {state} from './store.js';

export const PARTS = {
    stream: 'Stream',
    agents: 'Agents',
    changes: 'Changes',
    wall: 'Wall',
    terminal: 'Terminal',
};
export const TABS = Object.keys(PARTS);

const ROUTE = /^#\/session\/([^/]+)(?:\/(\w+))?$/;

export function goTo(id, tab = 'stream') {
    location.hash = id ? `#/session/${id}${tab === 'stream' ? '' : `/${tab}`}` : '#/';
}

/** Reads the address. Who may see one session only is always there. */
export function readRoute() {
    const found = ROUTE.exec(location.hash);
    const only = state.me?.spawn_id;
    state.route = {
        session: only ?? (found ? decodeURIComponent(found[1]) : null),
        tab: TABS.includes(found?.[2]) ? found[2] : 'stream',
    };
}
