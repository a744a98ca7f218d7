// What the page knows of the gateway: the lists and the streams, which come by themselves, and what it asks for beside them.
import {get, isAdmin, isCaptain, mayStart} from './api.js';
import {nameOf} from './format.js';
import {Feed} from './feed.js';
import {takeAsks} from './inbox.js';
import {Model} from './model.js';
import {PARTS, rename, TERMINAL_PARTS} from './route.js';
import {followSessions, forgetSessions, takeSessions} from './sessions.js';
import {isSeen, whenSeen} from './sight.js';
import {state, changed} from './store.js';

const KEPT_MAX = 6; // sessions that were looked at, and stay in memory
const KEPT_TAILS_MAX = 200; // the same of tiles that are out of sight
const STATUS_SOON_MS = 300;
const STATUS_AGAIN_MS = 5000;

const feed = new Feed({asks: takeAsks, ask: takeAsks, answered: takeAsks, sessions: take, sessions_changed: take}, [
    {action: 'follow_asks'},
    followSessions,
]);
const models = new Map();
let statusTimer = 0;
let statusOf = ''; // for which sessions the status was asked for

/** Begins, when somebody is signed in. */
export function startWatching() {
    feed.start();
}

export function stopWatching() {
    clearTimeout(statusTimer);
    statusTimer = 0;
    feed.stop();
    models.clear();
    forgetSessions();
    Object.assign(state, {asks: [], status: null});
}

/** Takes what the gateway tells of the sessions. */
function take(line) {
    takeSessions(line);
    if (line.type === 'sessions') {
        statusOf = '';
        lookAround();
    }
    line.sessions.filter(isReadable).forEach(({spawn_id: id}) => feed.hurry(id));
    follow();
}

/** Asks for what is needed to start a session, and is not told. */
export async function lookAround() {
    try {
        const [agents, {hosts}] = await Promise.all([get('agents'), mayStart() ? get('hosts') : {hosts: []}]);
        Object.assign(state, {agents, hosts});
        changed();
    } catch {
        // The connection's own state says that the gateway is not there.
    }
}

/** How full the gateway is, is asked for where that is shown: when sessions came or went, and while somebody may wait for a place. */
function lookAtStatus() {
    const isShown = isAdmin() && !state.route.session && !document.hidden;
    const sessions = isShown ? `${state.sessions.length} ${state.sessions[0]?.spawn_id}` : '';
    if (isShown && sessions !== statusOf) {
        statusTimer ||= setTimeout(askStatus, STATUS_SOON_MS);
    }
    statusOf = sessions;
}

async function askStatus() {
    statusTimer = 0;
    try {
        state.status = await get('status');
        changed();
    } catch {
        return;
    }
    const {queue, workers, workers_max: most} = state.status;
    if (statusOf && (queue.waiting > 0 || workers >= most)) {
        statusTimer ||= setTimeout(askStatus, STATUS_AGAIN_MS);
    }
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

/** Sends a line about the session that is looked at. @return whether it went */
export const sendLine = (line) => feed.send(line);

/** The model of a session, if it is known already. */
export const modelOf = (id) => models.get(id);

/** What a person calls a session, with what this page read of it. */
export const titleOf = (view) => nameOf(view, models.get(view.spawn_id)?.asked);

/** The parts of a session in their order, by name. One on a terminal has a conversation only where somebody said something. */
export function partsOf(id) {
    const model = models.get(id);
    if (!(viewOf(id)?.tty ?? model?.isTty)) {
        return PARTS;
    }
    const speaks = model && (model.live.transcript.speaks || model.isWhole);
    return speaks ? {...TERMINAL_PARTS, conversation: PARTS.stream} : TERMINAL_PARTS;
}

/** The part that the address names or, of a frame, where it is; otherwise the first. */
export function partShown(id) {
    const {frame, tab} = state.route;
    const parts = partsOf(id);
    return frame !== null && parts.conversation ? 'conversation' : tab in parts ? tab : 'stream';
}

/** What was read is drawn. */
export function drawn() {
    if (!document.hidden) {
        feed.drawn();
    }
}

/** Follows what is looked at: one session from its beginning, or the newest lines of the tiles that are in sight. */
export function follow() {
    const session = named();
    const wanted = new Set(
        state.route.session
            ? [session].filter(Boolean)
            : state.sessions
                  .filter((view) => isSeen(view.spawn_id) && isReadable(view) && !view.tty)
                  .map((view) => view.spawn_id),
    );
    for (const id of models.keys()) {
        if (!wanted.has(id) && feed.follows(id)) {
            feed.unfollow(id);
        }
    }
    wanted.forEach((id) => followOne(id, id === session));
    forget(wanted);
    lookAtStatus();
}

whenSeen(() => {
    follow();
    changed();
});
document.addEventListener('visibilitychange', lookAtStatus);

function followOne(id, whole) {
    let model = models.get(id);
    const view = viewOf(id);
    const isTty = whole && view?.tty === true;
    // What was said beside a terminal is read when somebody wants to see it.
    const isWhole = !isTty || state.route.tab === 'conversation' || state.route.frame !== null;
    const lacks = model && whole && (model.isTail || (isTty && !model.isTty) || (isWhole && !model.isWhole));
    if (!model || lacks) {
        feed.unfollow(id);
        const typed = isTty && isCaptain() && !view.ended_ms;
        model = new Model(id, whole ? 0 : (view?.last_seq ?? 1), isTty, typed, isWhole);
    }
    // What is used goes to the end: the first are forgotten first.
    models.delete(id);
    models.set(id, model);
    if (!model.over && !feed.follows(id) && !model.refusal) {
        feed.follow(id, model);
    }
}

function forget(wanted) {
    const idle = [...models.values()].filter((model) => !wanted.has(model.id));
    forgetFirst(
        idle.filter((model) => !model.isTail),
        KEPT_MAX,
    );
    forgetFirst(
        idle.filter((model) => model.isTail),
        KEPT_TAILS_MAX,
    );
}

const forgetFirst = (idle, kept) => idle.slice(0, Math.max(0, idle.length - kept)).forEach(({id}) => models.delete(id));
