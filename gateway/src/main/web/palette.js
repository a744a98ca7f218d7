// The palette: everything that can be done or gone to, found by a few letters of its name.
import {html, live, nothing, ref, repeat} from './vendor/lit.js';
import {attempt, mayStart, post, seesCosts} from './api.js';
import {askToEnd, drives} from './ending.js';
import {DOES, byNeed, placed} from './format.js';
import {icon} from './icons.js';
import {copyLink} from './links.js';
import {notifies, sounds, toggleNotices, toggleSound} from './notify.js';
import {COSTS_PLACE, frameOf, goTo, placeOf} from './route.js';
import {askToSignOut} from './signin.js';
import {changed, open, state, whenShown} from './store.js';
import {toggleFinder, toggleFollow} from './stream.js';
import {nextTheme, theme} from './theme.js';
import {viewing} from './viewing.js';
import {partsOf, titleOf, viewOf} from './watch.js';

const SHOWN_MAX = 40;

let typed = '';
let at = 0;

/** Begins anew at each opening. */
export function openPalette() {
    typed = '';
    at = 0;
    open('palette');
}

const command = (sign, what, act, key = '') => ({id: what, sign, what, act, key});

function ofSession(view) {
    const id = view.spawn_id;
    const look = viewing(id);
    const mine = drives(view) && !view.ended_ms;
    return [
        ...Object.entries(partsOf(id)).map(([tab, name], index) =>
            command('right', `${titleOf(view)}: ${name}`, () => goTo(id, tab), String(index + 1)),
        ),
        command('search', 'Search in the conversation', () => toggleFinder(look), '/'),
        command('down', 'Follow the newest line', () => toggleFollow(look), 'f'),
        command('link', 'Copy a link to this session', () => copyLink(placeOf(id, 'stream', ''))),
        command('link', 'Copy a link to the place in sight', () =>
            copyLink(frameOf(id, look.list.inSight()?.seq ?? 1)),
        ),
        ...(drives(view) ? [command('share', 'Share this session…', () => open('share'))] : []),
        ...(mine
            ? [
                  command(
                      'stop',
                      'Cancel the turn: what it works on now',
                      () => attempt(() => post(`sessions/${id}/cancel`), 'The turn is cancelled.'),
                      'x',
                  ),
                  command('cross', `Terminate ${titleOf(view)}…`, () => askToEnd([view])),
              ]
            : []),
    ];
}

function everywhere() {
    return [
        ...(mayStart() ? [command('plus', 'Start a session…', () => open('start'), 's')] : []),
        command('home', 'Home', () => goTo(null), 'h'),
        ...(seesCosts()
            ? [command('coin', 'Costs: by day, agent, captain and model', () => (location.hash = COSTS_PLACE), 'c')]
            : []),
        command('inbox', 'Inbox: what agents ask', () => open('inbox'), 'a'),
        command('bell', `Notifications: turn ${notifies() ? 'off' : 'on'}`, toggleNotices),
        command('bell', `Sound: turn ${sounds() ? 'off' : 'on'}`, toggleSound),
        command(theme(), `Colours: ${theme()}; take the next`, nextTheme, 't'),
        command('keys', 'Keyboard shortcuts', () => open('help'), '?'),
        command('back', 'Sign out…', askToSignOut),
    ];
}

const toSession = (view) => ({
    id: view.spawn_id,
    activity: view.activity,
    what: titleOf(view),
    more: `${placed(view)} · ${DOES[view.activity] ?? ''}`,
    act: () => goTo(view.spawn_id),
});

/** What fits the words: what belongs to the session in sight first, then sessions, then everything else. */
function matches() {
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    const says = (one) => words.every((word) => `${one.what} ${one.more ?? ''}`.toLowerCase().includes(word));
    const here = viewOf(state.route.session);
    const sessions = [...byNeed(state.sessions), ...state.ended].map(toSession);
    const all = typed
        ? [...sessions, ...(here ? ofSession(here) : []), ...everywhere()]
        : [...(here ? ofSession(here) : everywhere()), ...sessions, ...(here ? everywhere() : [])];
    return all.filter(says).slice(0, SHOWN_MAX);
}

function run(one) {
    open(null);
    one.act();
}

const toSight = whenShown((element) => element.scrollIntoView({block: 'nearest'}));

export function palette() {
    const found = matches();
    at = Math.max(0, Math.min(at, found.length - 1));
    return html`<div class="lookup"><input type="text" role="combobox" autofocus aria-label="Command or session" aria-expanded="true"
            aria-controls="commands" aria-activedescendant=${found.length ? `command-${at}` : nothing} autocomplete="off" spellcheck="false"
            placeholder="Go to a session, or do something…" .value=${live(typed)} @input=${handleInput}
            @keydown=${handleKey}></div>
        <div class="found" id="commands" role="listbox" aria-label="Commands and sessions">${repeat(
            found,
            (one) => one.id,
            (one, index) => html`<div role="option" id="command-${index}" aria-selected=${index === at}
                @click=${() => run(one)} ${index === at ? ref(toSight) : nothing}>${
                    one.sign ? icon(one.sign) : html`<span class="dot ${one.activity}"></span>`
                }<span class="what">${one.what} <span class="dim">${one.more ?? ''}</span></span>${one.key ? html`<kbd>${one.key}</kbd>` : nothing}</div>`,
        )}</div>
        ${found.length ? nothing : html`<p class="none dim" role="status">Nothing is called that.</p>`}`;
}
palette.title = 'Commands';

function handleInput(event) {
    typed = event.target.value;
    at = 0;
    changed();
}

/** Of what the words fit now: what was typed last may not be drawn yet. */
function handleKey(event) {
    const found = matches();
    const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (by) {
        at = (at + by + found.length) % Math.max(found.length, 1);
        changed();
    } else if (event.key === 'Enter' && found[at]) {
        run(found[at]);
    } else {
        return;
    }
    event.preventDefault();
}
