// Sessions are terminated, one or many at once.
import {attempt, isAdmin, isCaptain, remove} from './api.js';
import {plural} from './format.js';
import {confirmFirst, state} from './store.js';
import {titleOf, viewOf} from './watch.js';

const NAMED_MAX = 12;

/** Whether whoever is signed in may drive that session. */
export const drives = (view) =>
    isAdmin() || (isCaptain() && (!state.me.spawn_id || state.me.spawn_id === view.spawn_id));

/** Asks whether these sessions are to be terminated, and does it. */
export function askToEnd(views) {
    const one = views.length === 1;
    const names = views.slice(0, NAMED_MAX).map(titleOf);
    const more = views.length - names.length;
    confirmFirst({
        what: `${one ? names[0] : plural(views.length, 'session')} and everything that runs in ${one ? 'it' : 'them'} will be terminated. What was said stays readable.`,
        names: one ? '' : names.join(', ') + (more ? ` and ${more} more` : ''),
        verb: 'Terminate',
        act: () => endAll(views),
    });
}

async function endAll(views) {
    const one = views.length === 1;
    const what = one ? `${titleOf(views[0])} is` : `${plural(views.length, 'session')} are`;
    const isOver = () => views.every(({spawn_id: id}) => viewOf(id)?.ended_ms);
    await attempt(
        () => Promise.all(views.map((view) => remove(`spawns/${view.spawn_id}`))),
        () => `${what} ${isOver() ? '' : 'being '}terminated.`,
    );
}
