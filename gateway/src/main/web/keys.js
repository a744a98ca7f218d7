// Keys for the whole page. They do nothing while somebody writes, or while a dialogue is open.
import {attempt, mayStart, post, seesCosts} from './api.js';
import {drives} from './ending.js';
import {byNeed, fitting} from './format.js';
import {openPalette} from './palette.js';
import {COSTS_PLACE, goTo} from './route.js';
import {changedNow, open, state} from './store.js';
import {toggleFinder, toggleFollow} from './stream.js';
import {nextTheme} from './theme.js';
import {viewing} from './viewing.js';
import {partsOf, viewOf} from './watch.js';

const TYPED = '.tty.typed .xterm'; // all keys are the agent's
const WRITES = 'input:not([type=checkbox]):not([type=range]), textarea, select, .xterm';

export function handleKey(event) {
    if (event.target.closest?.(TYPED)) {
        return;
    }
    if (state.me && (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
        changedNow();
        return;
    }
    if (!state.me || state.dialog || event.ctrlKey || event.metaKey || event.altKey) {
        return;
    }
    if (event.target.closest?.(WRITES)) {
        if (event.key === 'Escape') {
            event.target.blur();
        }
        return;
    }
    const done =
        (state.route.session ? inSession(event.key, viewing(state.route.session)) : false) || anywhere(event.key);
    if (done) {
        event.preventDefault();
    }
    if (state.dialog) {
        changedNow();
    }
}

function anywhere(key) {
    switch (key) {
        case 'j':
        case 'k':
            return step(key === 'j' ? 1 : -1);
        case '/':
            return document.querySelector('.filter input')?.focus() ?? true;
        case '?':
            return open('help') ?? true;
        case 't':
            return nextTheme() ?? true;
        case 'a':
            return open('inbox') ?? true;
        case 'h':
            return goTo(null) ?? true;
        case 'c':
            return seesCosts() && toCosts();
        case 'Escape':
            return state.route.costs && (goTo(null) ?? true);
        case 's':
            return mayStart() && (open('start') ?? true);
        default:
            return false;
    }
}

function inSession(key, look) {
    switch (key) {
        case '/':
            return (look.finding ? document.querySelector('.finder input')?.focus() : toggleFinder(look)) ?? true;
        case 'n':
        case 'N':
            return look.step(key === 'n' ? -1 : 1) ?? true;
        case 'f':
            return toggleFollow(look) ?? true;
        case 'g':
            return look.list.toTop() ?? true;
        case 'G':
            return look.list.followEnd() ?? true;
        case 'i':
            return document.querySelector('.composer textarea')?.focus() ?? true;
        case '[':
        case ']':
            return look.toMessage(key === ']' ? 1 : -1) ?? true;
        case 'x':
            return cancel();
        case 'Escape':
            return leave(look);
        default:
            return /^[1-5]$/.test(key) && toPart(Object.keys(partsOf(state.route.session))[key - 1]);
    }
}

function toCosts() {
    location.hash = COSTS_PLACE;
    return true;
}

function toPart(part) {
    if (part) {
        goTo(state.route.session, part);
    }
    return true;
}

function cancel() {
    const view = viewOf(state.route.session);
    if (view && drives(view) && !view.ended_ms) {
        attempt(() => post(`sessions/${view.spawn_id}/cancel`), 'The turn is cancelled.');
    }
    return true;
}

/** Out of what is innermost: the search, the narrowing, the past, the session. */
function leave(look) {
    if (look.finding) {
        look.stopFinding();
    } else if (look.agent !== null) {
        look.narrow(null);
    } else if (look.at !== null) {
        look.travel(null);
    } else {
        goTo(null);
    }
    return true;
}

function step(by) {
    const shown = fitting([...byNeed(state.sessions), ...state.ended], state.route.find);
    const ids = shown.map((view) => view.spawn_id);
    const at = ids.indexOf(state.route.session);
    const next = at < 0 ? (by > 0 ? 0 : ids.length - 1) : at + by;
    if (ids[next]) {
        goTo(ids[next]);
        requestAnimationFrame(() => document.querySelector('.entry.on')?.scrollIntoView({block: 'nearest'}));
    }
    return true;
}
