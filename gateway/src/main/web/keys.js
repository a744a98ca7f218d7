// Keys for the whole page. They do nothing while somebody writes, or while a dialogue is open.
import {mayStart} from './api.js';
import {byNeed, fitting} from './format.js';
import {goTo, TABS} from './route.js';
import {open, state} from './store.js';
import {toggleFinder, toggleFollow} from './stream.js';
import {nextTheme} from './theme.js';
import {viewing} from './viewing.js';

const WRITES = 'input:not([type=checkbox]):not([type=range]), textarea, select, .xterm';

export function handleKey(event) {
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
        case 'Escape':
            return leave(look);
        default:
            return /^[1-5]$/.test(key) && (goTo(state.route.session, TABS[key - 1]) ?? true);
    }
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
