// What the page knows of the gateway: the lists, asked for every few seconds, and the streams, which come by
// themselves.
import {get, isAdmin, mayStart} from './api.js';
import {fitting} from './format.js';
import {Feed} from './feed.js';
import {takeAsks} from './inbox.js';
import {Model} from './model.js';
import {rename} from './route.js';
import {state, changed} from './store.js';

const LIST_MS = 2000;
const ENDED_EVERY = 5; // lists
const TILES_MAX = 60; // sessions whose newest lines are shown side by side
const KEPT_MAX = 6; // sessions that were looked at, and stay in memory

const feed = new Feed(takeAsks);
const models = new Map();
let round = 0;
let timer = 0;

/** Begins, when somebody is signed in. */
export function startWatching() {
    clearTimeout(timer);
    round = 0;
    feed.start();
    poll();
}

export function stopWatching() {
    clearTimeout(timer);
    feed.stop();
    models.clear();
    Object.assign(state, {asks: [], sessions: [], ended: [], status: null});
}

/** Asks for the lists now. */
export function refresh() {
    clearTimeout(timer);
    round = 0;
    return poll();
}

async function poll() {
    if (!state.me) {
        return;
    }
    try {
        await lists();
    } catch {
        // The connection's own state says that the gateway is not there.
    }
    follow();
    changed();
    clearTimeout(timer);
    timer = setTimeout(poll, LIST_MS);
}

async function lists() {
    const wanted = [get('sessions?limit=500')];
    if (round++ % ENDED_EVERY === 0) {
        wanted.push(get('sessions?status=inactive&limit=60'), get('agents'), mayStart() ? get('hosts') : {hosts: []});
    }
    const [status, active, ended, agents, known] = await Promise.all([isAdmin() ? get('status') : null, ...wanted]);
    const gone = state.sessions.some((old) => active.sessions.every((now) => now.spawn_id !== old.spawn_id));
    state.sessions = active.sessions;
    if (ended) {
        state.ended = ended.sessions;
        // One that ended between the two answers is in both.
        const over = new Set(state.ended.map((view) => view.spawn_id));
        state.sessions = active.sessions.filter((view) => !over.has(view.spawn_id));
        state.moreEnded = ended.next !== undefined;
        state.agents = agents;
        state.hosts = known.hosts;
    } else if (gone) {
        round = 0;
    }
    state.status = status;
}

export const isReadable = (view) => view.state !== 'requested' && view.state !== 'spawning' && view.state !== 'failed';

export const viewOf = (id) =>
    state.sessions.find((one) => one.spawn_id === id) ?? state.ended.find((one) => one.spawn_id === id);

/** Names that were looked up and name no session. */
const nobody = new Set();

/** Whether the gateway knows no session of that name. */
export const isNobody = (id) => nobody.has(id) || models.get(id)?.refusal?.code === 'NOT_FOUND';

/**
 * The session that the address names. A task_id is one that people write, and streams come under the spawn_id; of several
 * that had it the newest is meant, one that lives before all others.
 *
 * @return null while that is being looked up, and where there is none
 */
function named() {
    const {session: id} = state.route;
    if (!id || id.startsWith('spn_') || viewOf(id)) {
        return id;
    }
    const view = [...state.sessions, ...state.ended].find((one) => one.task_id === id);
    if (view) {
        rename(view.spawn_id);
        return view.spawn_id;
    }
    if (!nobody.has(id)) {
        nobody.add(id);
        lookUp(id);
    }
    return null;
}

/** One that ended too long ago to be in the lists. */
async function lookUp(id) {
    try {
        const {spawns} = await get(`spawns?limit=1&task_id=${encodeURIComponent(id)}`);
        if (spawns.length && state.route.session === id) {
            nobody.delete(id);
            rename(spawns[0].spawn_id);
            follow();
            changed();
        }
    } catch {
        nobody.delete(id);
    }
}

/** The model of a session, if it is known already. */
export const modelOf = (id) => models.get(id);

/** Follows what is looked at: one session from its beginning, or the newest lines of all. */
export function follow() {
    const session = named();
    const wanted = state.route.session
        ? [session].filter(Boolean)
        : fitting(state.sessions, state.route.find)
              .filter(isReadable)
              .slice(0, TILES_MAX)
              .map((view) => view.spawn_id);
    for (const id of models.keys()) {
        if (!wanted.includes(id) && feed.follows(id)) {
            feed.unfollow(id);
        }
    }
    wanted.forEach((id) => followOne(id, id === session));
    forget(wanted);
}

function followOne(id, whole) {
    let model = models.get(id);
    if (!model || (whole && model.isTail)) {
        feed.unfollow(id);
        model = new Model(id, whole ? 0 : (viewOf(id)?.last_seq ?? 1));
    }
    // What is used goes to the end: the first are forgotten first.
    models.delete(id);
    models.set(id, model);
    if (!model.over && !feed.follows(id) && !model.refusal) {
        feed.follow(id, model);
    }
}

function forget(wanted) {
    const idle = [...models.keys()].filter((id) => !wanted.includes(id));
    idle.slice(0, Math.max(0, idle.length - KEPT_MAX)).forEach((id) => models.delete(id));
}
