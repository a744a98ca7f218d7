// Where the person is: `#/`, `#/costs`, `#/session/<id>` (its first part), `#/session/<id>/<part>`, `#/session/<id>/frame/<seq>`, each with
// `?find=<words>` where the list is filtered.
import {changed, state} from './store.js';

export const PARTS = {
    stream: 'Conversation',
    agents: 'Agents',
    changes: 'Changes',
    wall: 'Wall',
    terminal: 'Terminal',
};
/** Of one whose agent is on a terminal. */
export const TERMINAL_PARTS = {...PARTS, stream: PARTS.terminal};
delete TERMINAL_PARTS.terminal;
const TABS = [...Object.keys(PARTS), 'conversation'];

const ROUTE = /^#\/session\/([^/?]+)(?:\/(\w+)(?:\/(\d{1,15}))?)?(?:\?|$)/;
const COSTS = /^#\/costs(?:\?|$)/;
const FIND_MAX = 200;

/** The fragment of a place; the filter of the list stays as it is. */
export function placeOf(id, tab = 'stream', find = state.route.find) {
    const path = id ? `#/session/${id}${tab === 'stream' ? '' : `/${tab}`}` : '#/';
    return find ? `${path}?${new URLSearchParams({find})}` : path;
}

/** The fragment that leads to a frame of a session. */
export const frameOf = (id, seq) => `#/session/${id}/frame/${seq}`;

export const COSTS_PLACE = '#/costs';

export function goTo(id, tab) {
    location.hash = placeOf(id, tab);
}

/** The same place under another name of the session, with no step back to the first. */
export function rename(id) {
    const {frame, tab} = state.route;
    history.replaceState(null, '', frame === null ? placeOf(id, tab) : frameOf(id, frame));
    readRoute();
}

/** The address is that of a frame of the session that is shown; nothing moves, and no step back leads here. */
export function stayAt(id, seq) {
    history.replaceState(null, '', frameOf(id, seq));
    state.route.frame = seq;
    state.route.isReached = true;
    changed();
}

/** Reads the address. Who may see one session only is always there. */
export function readRoute() {
    const found = ROUTE.exec(location.hash);
    const only = state.me?.spawn_id;
    const query = new URLSearchParams(location.hash.split('?')[1] ?? '');
    state.route = {
        costs: !only && COSTS.test(location.hash),
        session: only ?? (found ? decodeURIComponent(found[1]) : null),
        tab: TABS.includes(found?.[2]) ? found[2] : 'stream',
        frame: found?.[2] === 'frame' && found[3] ? Number(found[3]) : null,
        find: (query.get('find') ?? '').slice(0, FIND_MAX),
    };
}

/** Takes other words to filter by; no step back leads to each letter that was typed. */
export function findBy(words) {
    state.route.find = words.slice(0, FIND_MAX);
    state.route.frame = null;
    if (!state.route.costs) {
        history.replaceState(null, '', placeOf(state.route.session, state.route.tab));
    }
}
