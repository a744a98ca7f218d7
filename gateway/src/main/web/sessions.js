// The sessions as the gateway tells them: first all that there are, then those that are other than before.
import {state} from './store.js';

const ENDED_MAX = 60;
const known = new Map(); // views by spawn_id

export const followSessions = {action: 'follow_sessions', ended: ENDED_MAX};

/** Takes what the gateway tells. */
export function takeSessions(line) {
    if (line.type === 'sessions') {
        known.clear();
        state.moreEnded = line.more === true;
    }
    line.sessions.forEach((view) => known.set(view.spawn_id, view));
    line.removed?.forEach((id) => known.delete(id));
    const newest = [...known.values()].sort((one, other) => (one.spawn_id < other.spawn_id ? 1 : -1));
    const ended = newest.filter((view) => view.ended_ms);
    state.sessions = newest.filter((view) => !view.ended_ms);
    state.ended = ended.slice(0, ENDED_MAX);
    for (const {spawn_id: id} of ended.slice(ENDED_MAX)) {
        known.delete(id);
        state.moreEnded = true;
    }
}

/** Knows of none. */
export function forgetSessions() {
    takeSessions({type: 'sessions', sessions: []});
}
