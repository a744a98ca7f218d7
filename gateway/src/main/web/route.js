// Where the person is: `#/`, `#/session/<id>`, `#/session/<id>/<part>`, each with `?find=<words>` where the list is filtered.
import {state} from './store.js';

export const PARTS = {
    stream: 'Stream',
    agents: 'Agents',
    changes: 'Changes',
    wall: 'Wall',
    terminal: 'Terminal',
};
export const TABS = Object.keys(PARTS);

const ROUTE = /^#\/session\/([^/?]+)(?:\/(\w+))?(?:\?|$)/;
const FIND_MAX = 200;

/** The fragment of a place; the filter of the list stays as it is. */
export function placeOf(id, tab = 'stream', find = state.route.find) {
    const path = id ? `#/session/${id}${tab === 'stream' ? '' : `/${tab}`}` : '#/';
    return find ? `${path}?${new URLSearchParams({find})}` : path;
}

export function goTo(id, tab) {
    location.hash = placeOf(id, tab);
}

/** The same place under another name of the session, with no step back to the first. */
export function rename(id) {
    history.replaceState(null, '', placeOf(id, state.route.tab));
    readRoute();
}

/** Reads the address. Who may see one session only is always there. */
export function readRoute() {
    const found = ROUTE.exec(location.hash);
    const only = state.me?.spawn_id;
    const query = new URLSearchParams(location.hash.split('?')[1] ?? '');
    state.route = {
        session: only ?? (found ? decodeURIComponent(found[1]) : null),
        tab: TABS.includes(found?.[2]) ? found[2] : 'stream',
        find: (query.get('find') ?? '').slice(0, FIND_MAX),
    };
}

/** Takes other words to filter by; no step back leads to each letter that was typed. */
export function findBy(words) {
    state.route.find = words.slice(0, FIND_MAX);
    history.replaceState(null, '', placeOf(state.route.session, state.route.tab));
}
