// What agents ask, of all sessions, and the answers. The gateway tells the open asks first and then each change, so
// the list here is never older than the connection.
import {html, nothing, ref, repeat} from './vendor/lit.js';
import {attempt, isAdmin, isOffline, post, Refusal} from './api.js';
import {purses} from './budget.js';
import {age, ending, nameOf, plural, time, visible, visibleIn} from './format.js';
import {icon} from './icons.js';
import {placeOf} from './route.js';
import {given} from './rows.js';
import {changed, changedNow, open, state, whenShown} from './store.js';

const SETTLED_MS = 4000; // so long a settled ask says how it was settled
const AGAIN_MS = 1000;
const ARRIVAL_MS = 500; // so long a new ask takes no click: it was meant for what stood there before
const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 9;

/** Which ask the keys are for, and the option that Enter gives; by id, as entries come and go above it. */
const chosen = {ask: null, option: null};

/** Takes what the gateway tells. */
export function takeAsks(line) {
    if (line.type === 'asks') {
        state.asks = line.asks;
    } else if (line.type === 'ask') {
        // As it moves what is below, those that are over go with it.
        state.asks = [
            ...state.asks.filter((one) => one.ask_id !== line.ask_id && !one.settled),
            {...line, cameMs: performance.now()},
        ];
        setTimeout(changed, ARRIVAL_MS);
    } else {
        settle(line.ask_id, ending(line));
    }
}

/** Says how an ask was settled; after some seconds the entry goes, on Home not while a pointer is above what would move. */
function settle(id, how) {
    if (!state.asks.some((one) => one.ask_id === id)) {
        return;
    }
    state.asks = state.asks.map((one) => (one.ask_id === id ? {...one, settled: one.settled ?? how} : one));
    const leave = () => {
        if (document.querySelector('.overview:hover')) {
            setTimeout(leave, AGAIN_MS);
            return;
        }
        state.asks = state.asks.filter((one) => one.ask_id !== id || !one.settled);
        changed();
    };
    setTimeout(leave, SETTLED_MS);
    changed();
}

const waiting = () => state.asks.filter((one) => !one.settled);

/** How many wait, of one session or of all. */
export const openAsks = (id) => waiting().filter((one) => !id || one.spawn_id === id).length;

const mayAnswer = () => isAdmin() || state.me?.role === 'captain' || state.me?.role === 'approver';

/** An ask's id begins with the time at which it was made. */
const askedMs = ({ask_id: id}) =>
    [...id.slice(4, 4 + TIME_CHARACTERS)].reduce((ms, digit) => ms * 32 + BASE32.indexOf(digit), 0);

/** The button that opens the inbox. */
export function bell() {
    const number = openAsks();
    if (!number && !mayAnswer()) {
        return nothing;
    }
    const says = number ? `Inbox: ${plural(number, 'agent asks', 'agents ask')}` : 'Inbox: nobody asks';
    return html`<button class="bell ${number ? 'rings' : ''}" @click=${() => open('inbox')} aria-label=${says}
            title="What agents ask (a)"><span aria-hidden="true">${icon('inbox')} Inbox${number ? html` <span class="badge">${number}</span>` : nothing}</span></button>
        <span class="sr" role="status" aria-live="polite">${number ? says : ''}</span>`;
}

/** Since when the oldest waits. */
export const oldestMs = () => Math.max(0, state.nowMs - Math.min(...waiting().map(askedMs)));

/** The first asks of all sessions, each with its answers. */
export function firstAsks(max) {
    let number = 0;
    const first = state.asks.filter((one) => one.settled || number++ < max);
    return first.length
        ? html`<section class="waits" aria-label="What agents ask">${repeat(
              first,
              (ask) => ask.ask_id,
              (ask) => html`<div class="inline">${entry(ask, false, true)}</div>`,
          )}</section>`
        : nothing;
}

/** The dialogue with all asks. */
export function inbox() {
    if (!state.asks.length) {
        return html`<p class="dim">No agent waits for an answer.</p>`;
    }
    const at = selected();
    return html`<ul class="waits" tabindex="-1" autofocus>${repeat(
        state.asks,
        (ask) => ask.ask_id,
        (ask) => html`<li class=${ask === at ? 'on' : ''} aria-current=${ask === at ? 'true' : nothing}
            ${ask === at ? ref(intoView) : nothing}>${entry(ask, ask === at, true)}</li>`,
    )}</ul>
    <p class="hint dim">${mayAnswer() ? html`<kbd>j</kbd> <kbd>k</kbd> select · <kbd>1</kbd>…<kbd>9</kbd> choose · <kbd>Enter</kbd> gives the answer` : 'You may see these, and others answer them.'}</p>`;
}
inbox.title = 'Inbox';

/** The asks of one session, above its stream. */
export function sessionAsks(id) {
    const own = state.asks.filter((ask) => ask.spawn_id === id);
    return own.length
        ? html`<section class="waits" aria-label="What the agent asks" tabindex="0">${repeat(
              own,
              (ask) => ask.ask_id,
              (ask) => html`<div class="inline">${entry(ask, false, false)}</div>`,
          )}</section>`
        : nothing;
}

const intoView = whenShown((element) => element.scrollIntoView({block: 'nearest'}));

const selected = () => state.asks.find((ask) => ask.ask_id === chosen.ask) ?? waiting()[0] ?? state.asks[0];

function entry(ask, isSelected, named) {
    const who = [ask.profile, ask.agent && `sub-agent ${ask.agent}`].filter(Boolean).join(' · ');
    const left = Math.max(0, Math.ceil((ask.deadline - state.nowMs) / 1000)) * 1000;
    return html`<div class="asker">${named ? html`<a href=${placeOf(ask.spawn_id)} @click=${() => open(null)}><b>${nameOf({...ask, agent: ask.profile, created_ms: askedMs(ask)})}</b></a>` : nothing}
            <span class="dim">${visible(who)}</span> <span class="pill">${ask.kind ?? 'ask'}</span>
            <span class="left dim" title="At ${time(ask.deadline)} it gets the answer ${ask.default}">${left ? age(left) : '0s'} left, then ${otherwise(ask)}</span></div>
        <p class="title">${visible(ask.title)}</p>
        ${ask.detail === undefined || ask.detail === null ? nothing : detail(ask)}
        ${ask.settled ? html`<p class="settled" role="status">${visible(ask.settled)}</p>` : mayAnswer() ? answers(ask, isSelected) : nothing}`;
}

/** What to judge by. Everything of it was written by an agent: it is text, and what cannot be seen is spelled out. */
function detail({kind, title, detail: what}) {
    if (kind === 'spend' && what.limit) {
        return html`<div class="detail" role="group" aria-label="What is used up">${purses(what)}</div>`;
    }
    const shown = visibleIn(what);
    const isObject = typeof shown === 'object' && !Array.isArray(shown);
    if (isObject && kind !== 'tool') {
        return fields(shown, visible(title));
    }
    return html`<div class="detail" tabindex="0" role="group" aria-label="What it is about">${
        isObject
            ? given(shown, '')
            : html`<pre class="input">${typeof shown === 'string' ? shown : JSON.stringify(shown, null, 2)}</pre>`
    }</div>`;
}

/** What Brig says about a host or a question, without what the title says already. */
function fields(shown, title) {
    const all = Object.entries(shown).filter(([, value]) => value !== title);
    return all.length
        ? html`<div class="detail" tabindex="0" role="group" aria-label="What it is about">${all.map(
              ([name, value]) =>
                  html`<div><span class="dim">${name}</span> ${typeof value === 'string' ? value : JSON.stringify(value)}</div>`,
          )}</div>`
        : nothing;
}

/** A policy, and a budget of the operator's files, is for all sessions: only an admin changes it. */
const isForAdmins = ({kind, detail: what}, id) =>
    (kind === 'egress' && id === 'save') || (kind === 'spend' && id === 'raise' && what?.for_admins === true);
const optionsOf = (ask) => ask.options.filter(({id}) => isAdmin() || !isForAdmins(ask, id));

/** What happens when nobody answers, as its button says it. */
const otherwise = ({kind, options, default: id}) =>
    (kind === 'spend' && options.find((one) => one.id === id)?.name.toLowerCase()) || id;

function answers(ask, isSelected) {
    const off = isOffline() || ask.sending || performance.now() - ask.cameMs < ARRIVAL_MS;
    const button = (option, index) => {
        const isChosen = isSelected && chosen.option === option.id;
        return html`<button class=${isChosen ? 'primary' : ''} aria-pressed=${isChosen} ?disabled=${off}
            @click=${() => give(ask, {option: option.id})}>${isSelected && index < 9 ? html`<kbd>${index + 1}</kbd> ` : nothing}${visible(option.name || option.id)}${option.description ? html`<small>${visible(option.description)}</small>` : nothing}</button>`;
    };
    return html`<div class="answers">${optionsOf(ask).map(button)}</div>
        ${
            ask.text
                ? html`<form class="own" @submit=${(event) => giveText(event, ask)}><input name="text" maxlength="4000" autocomplete="off"
                    aria-label="An answer in your own words" placeholder="in your own words"><button ?disabled=${off}>Send</button></form>`
                : nothing
        }`;
}

function giveText(event, ask) {
    event.preventDefault();
    const text = new FormData(event.target).get('text').trim();
    if (text) {
        give(ask, {text});
    }
}

/** Gives an answer. Somebody else may have been faster: then the entry says so and goes. */
async function give(ask, answer) {
    chosen.option = null;
    mark(ask.ask_id, true);
    const done = await attempt(() =>
        post(`asks/${ask.ask_id}`, {...answer, client: 'page'}).catch((failure) => {
            if (!(failure instanceof Refusal) || failure.code !== 'ASK_SETTLED') {
                throw failure;
            }
            settle(ask.ask_id, failure.message);
        }),
    );
    if (!done) {
        mark(ask.ask_id, false);
    }
}

function mark(id, sending) {
    state.asks = state.asks.map((one) => (one.ask_id === id ? {...one, sending} : one));
    changed();
}

/** Keys of the inbox; nothing while somebody writes. */
export function handleInboxKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea')) {
        return;
    }
    if (step(event.key) || choose(event.key)) {
        event.preventDefault();
    }
}

function step(key) {
    const by = {j: 1, ArrowDown: 1, k: -1, ArrowUp: -1}[key];
    const next = by && state.asks[state.asks.indexOf(selected()) + by];
    if (next) {
        Object.assign(chosen, {ask: next.ask_id, option: null});
        changedNow();
    }
    return Boolean(by);
}

function choose(key) {
    const ask = selected();
    if (!ask || ask.settled || ask.sending || !mayAnswer() || isOffline()) {
        return false;
    }
    if (/^[1-9]$/.test(key)) {
        const option = optionsOf(ask)[key - 1];
        Object.assign(chosen, {ask: ask.ask_id, option: option?.id ?? null});
        changedNow();
        return true;
    }
    // The choice is of the ask for which it was made, not of one that stands in its place now.
    if (key === 'Enter' && chosen.option !== null && chosen.ask === ask.ask_id) {
        give(ask, {option: chosen.option});
        return true;
    }
    return false;
}
