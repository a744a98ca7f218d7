// The end of sessions, one or many at once.
import {attempt, isAdmin, isCaptain, remove} from './api.js';
import {plural} from './format.js';
import {confirmFirst, state} from './store.js';
import {refresh} from './watch.js';

const NAMED_MAX = 12;

/** Whether whoever is signed in may drive that session. */
export const drives = (view) =>
    isAdmin() || (isCaptain() && (!state.me.spawn_id || state.me.spawn_id === view.spawn_id));

/** Asks whether these sessions are to be ended, and ends them. */
export function askToEnd(views) {
    const one = views.length === 1;
    const names = views.slice(0, NAMED_MAX).map((view) => view.task_id);
    const more = views.length - names.length;
    confirmFirst({
        what: `${one ? names[0] : plural(views.length, 'session')} and everything that runs in ${one ? 'it' : 'them'} will be ended. What was said stays readable.`,
        names: one ? '' : names.join(', ') + (more ? ` and ${more} more` : ''),
        verb: one ? 'End it' : 'End them',
        act: () => endAll(views),
    });
}

async function endAll(views) {
    await attempt(
        () => Promise.all(views.map((view) => remove(`spawns/${view.spawn_id}`))),
        views.length === 1 ? 'It is being ended.' : `${plural(views.length, 'session')} are being ended.`,
    );
    await refresh();
}
