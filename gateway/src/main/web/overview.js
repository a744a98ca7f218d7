// Home: what waits for a person, what runs (a tile each, with its newest lines), what it cost, what ended, and how full
// the gateway is.
import {guard, html, nothing, ref, repeat} from './vendor/lit.js';
import {mayStart, seesCosts} from './api.js';
import {budgetBrief, budgetNow, purseBrief} from './budget.js';
import {
    DOES,
    age,
    byNeed,
    clip,
    costOf,
    count,
    fitting,
    money,
    placed,
    plural,
    howEnded,
    time,
    tokens,
} from './format.js';
import {firstAsks, oldestMs, openAsks} from './inbox.js';
import {icon} from './icons.js';
import {COSTS_PLACE, placeOf} from './route.js';
import {subject} from './rows.js';
import {Made, spoken} from './spoken.js';
import {changed, open, state} from './store.js';
import {isSeen, tileRef} from './sight.js';
import {modelOf, titleOf} from './watch.js';
import {plainText} from './transcript.js';

const ASKS = 3;
const LATELY = 8;
const LINES = 8;
const CHARS_MAX = 600; // of all of them; the first may be longer
const UNTOLD = new Set(['session', 'state']); // what its head says already
const TURN_MS = 100; // nobody reads faster
const turns = new WeakMap(); // by model
let again = 0;

/**
 * The lines of a tile change ten times a second and not at every frame, and tiles take turns: so each animation frame
 * lays out and paints a few of them. What this returns changes when it is the tile's turn.
 */
function turn(model, index) {
    const slot = Math.floor((performance.now() + (index * TURN_MS) / 7) / TURN_MS);
    const {version} = model.live.transcript;
    let last = turns.get(model);
    if (last?.slot !== slot) {
        turns.set(model, (last = {slot, version}));
    } else if (last.version !== version) {
        again ||= setTimeout(() => {
            again = 0;
            changed();
        }, TURN_MS);
    }
    return last.version;
}

export function overview() {
    const live = fitting(state.sessions, state.route.find);
    return html`<main class="overview" id="main" tabindex="-1" aria-label="Home">
        <h1 class="sr">Sessions</h1>
        ${figures()}
        ${waitingFor()}
        ${state.sessions.length ? running(live) : empty()}
        ${lately()}
        ${state.status ? gauges(state.status) : nothing}
    </main>`;
}

/** What waits, what runs and what it cost, in three numbers. */
function figures() {
    const asks = openAsks();
    const number = (...names) => state.sessions.filter(({activity}) => names.includes(activity)).length;
    const doing = [
        [number('waiting'), 'waiting for you'],
        [number('starting', 'working', 'throttled_by_provider'), 'at work'],
        [number('idle'), 'idle'],
        [number('failed', 'unknown', 'unreachable'), 'in trouble'],
    ].filter(([many]) => many);
    return html`<section class="figures" aria-label="At a glance">
        <button class="figure ${asks ? 'rings' : ''}" @click=${() => open('inbox')}><span class="what">Waiting</span>
            <b>${asks}</b><span class="dim">${asks ? `the oldest for ${age(oldestMs())}` : 'no agent asks you anything'}</span></button>
        <div class="figure"><span class="what">Live</span><b>${count(state.sessions.length)}</b>
            <span class="dim">${doing.map(([many, what]) => `${many} ${what}`).join(' · ') || 'nothing runs'}</span></div>
        ${spent()}</section>`;
}

/** What the sessions of both lists used; what older ones used is not in them. */
function spent() {
    const known = [...state.sessions, ...state.ended].filter(({usage}) => usage);
    const sum = (of) => known.reduce((all, {usage}) => all + (usage[of] ?? 0), 0);
    const [first, second] = known
        .filter(({usage}) => usage.cost)
        .sort((one, other) => other.usage.cost - one.usage.cost);
    const dearest = first && first.usage.cost !== second?.usage.cost ? first : null;
    const used = plural(sum('input_tokens') + sum('output_tokens'), 'token');
    const what = `Cost${known.length ? ` of ${plural(known.length, 'session')} here` : ''}`;
    const budget = dearest?.budget && budgetBrief({...dearest.budget, limit: {usd: dearest.budget.limit.usd}});
    return html`<div class="figure leads"><span class="what">${seesCosts() ? html`<a href=${COSTS_PLACE} title="Costs by day, agent and model (c)">${what}</a>` : what}</span><b>${money(sum('cost'))}</b>
        <span class="dim" title="of the sessions that are listed here">${used}${dearest ? html`, most by <a href=${placeOf(dearest.spawn_id)}>${titleOf(dearest)}</a>${budget ? ` (${budget})` : ''}` : nothing}</span></div>`;
}

/** The first asks, to be answered here; the inbox has all. */
function waitingFor() {
    const cards = firstAsks(ASKS);
    const more = openAsks() - ASKS;
    return cards === nothing
        ? nothing
        : html`<section class="wait" aria-label="Waiting for you">${cards}
            ${more > 0 ? html`<button @click=${() => open('inbox')}>${plural(more, 'more ask', 'more asks')}</button>` : nothing}</section>`;
}

const running = (views) => html`<section class="running" aria-label="Live"><h2>Live</h2>${tiles(views)}</section>`;

/** The newest that ended, with how and for how much. */
function lately() {
    const views = fitting(state.ended, state.route.find).slice(0, LATELY);
    return views.length
        ? html`<section class="lately" aria-label="Ended"><h2>Ended</h2><table class="past">
            <thead><tr><th scope="col">session</th><th scope="col">agent</th><th scope="col">how</th><th scope="col" class="number">ran</th>
                <th scope="col" class="number">cost</th></tr></thead>
            <tbody>${repeat(views, (view) => view.spawn_id, past)}</tbody></table></section>`
        : nothing;
}

function past(view) {
    const {words, isBad} = howEnded(view);
    return html`<tr><td class="name"><a href=${placeOf(view.spawn_id)}>${titleOf(view)}</a></td>
    <td>${placed(view)}</td><td class=${isBad ? 'failed' : ''}>${words || 'done'} <span class="dim">${time(view.ended_ms)}</span></td>
    <td class="number">${age(view.ended_ms - view.created_ms)}</td>
    <td class="number" title=${tokens(view.usage)}>${costOf(view.usage) || '—'}</td></tr>`;
}

const tiles = (views) => html`<div class="tiles">${repeat(byNeed(views), (view) => view.spawn_id, tile)}</div>`;

function empty() {
    return html`<div class="empty"><h2>Nothing runs</h2>
        ${
            mayStart()
                ? html`<p>Start a session here, or in a terminal:</p><pre>brig run demo-writer</pre>
            <button class="primary" @click=${() => open('start')}>${icon('plus')}Start a session</button>`
                : html`<p>Sessions appear here as soon as they start.</p>`
        }</div>`;
}

function gauge(label, value, max, text) {
    const full = max > 0 ? value / max : 0;
    return html`<div class="gauge"><span>${label}</span>
        <meter aria-label=${label} min="0" max=${Math.max(max, 1)} low=${max * 0.7} high=${max * 0.9}
            optimum="0" value=${value}></meter>
        <span class=${full > 0.9 ? 'full' : ''}>${text}</span></div>`;
}

const POOLS = {
    open: 'starts sessions',
    paused: 'starts no sessions for now',
    draining: 'starts no more sessions',
    closed: 'is being stopped',
};

/** Limits and queue, as the gateway counts them. */
function gauges(status) {
    const {queue} = status;
    const waiting = Object.entries(queue.captains ?? {})
        .map(([captain, number]) => `${captain}: ${number}`)
        .join(', ');
    return html`<section class="gauges" aria-label="How full the gateway is">
        ${gauge('sessions that run', status.workers, status.workers_max, `${status.workers} of ${status.workers_max}`)}
        ${gauge('waiting to start', queue.waiting, queue.max, `${queue.waiting} of ${queue.max}`)}
        ${gauge('connections', status.connections, status.connections_max, `${status.connections} of ${status.connections_max}`)}
        ${queue.waiting ? html`<span class="dim" title=${waiting}>next place in ${queue.estimate_seconds} s</span>` : nothing}
        <span class="pool ${status.pool}">${POOLS[status.pool] ?? status.pool}</span>
        <span class="dim">${plural(status.spawns.running ?? 0, 'runs', 'run')}
            · up ${age(state.nowMs - status.started_ms)} · ${status.version}</span>
    </section>`;
}

/** Nobody sees how old the other ones are. */
const tile = (view, index) =>
    isSeen(view.spawn_id)
        ? tileOf(view, index)
        : guard([view, titleOf(view), openAsks(view.spawn_id)], () => tileOf(view, index));

function tileOf(view, index) {
    const model = modelOf(view.spawn_id);
    const asks = openAsks(view.spawn_id);
    return html`<a class="tile" data-session=${view.spawn_id} href=${placeOf(view.spawn_id)} ${ref(tileRef)}>
        <header><span class="dot ${view.activity}"></span><b>${titleOf(view)}</b>
            ${asks ? html`<span class="badge">${plural(asks, 'ask')}</span>` : html`<span class="does dim">${DOES[view.activity]}</span>`}</header>
        <div class="lines"
            aria-hidden="true">${view.tty ? onTerminal : model ? guard([model, turn(model, index)], () => newest(model)) : html`<div class="dim">${waiting(view)}</div>`}</div>
        <footer class="dim"><span>${placed(view)} · ${age(state.nowMs - view.created_ms)}</span>
            <span>${others(view, model)}</span>
            ${view.budget ? purseBrief(budgetNow(view.budget, state.nowMs - (view.running_ms ?? view.created_ms))) : html`<span title=${tokens(view.usage)}>${costOf(view.usage) || plural(view.last_seq, 'frame')}</span>`}</footer>
    </a>`;
}

/** Its subscribers beside this page. */
function others(view, model) {
    const number = view.readers - (model && !model.over ? 1 : 0);
    return number > 0 ? plural(number, 'other subscriber') : '';
}

const waiting = (view) => (view.state === 'running' ? '' : `${view.state}…`);

/** What stands in a tile: nobody could read a whole terminal in it. */
const onTerminal = html`<div class="dim">on a terminal of its own</div>`;

/** The newest rows, no more than a tile shows: what is above its edge would be laid out for nobody. */
function newest(model) {
    const {rows} = model.live.transcript;
    const shown = [];
    for (let at = rows.length - 1, chars = 0; at >= 0 && shown.length < LINES && chars < CHARS_MAX; at--) {
        if (!UNTOLD.has(rows[at].kind) && rows[at].text !== '') {
            chars += rows[at].text?.length ?? 0;
            shown.push(rows[at]);
        }
    }
    return shown.reverse().map(newestRow);
}

const made = new Made();

/** A tile is a link itself. */
function unlinked({kind, nodes}) {
    const all = document.createElement('span');
    all.append(...nodes);
    all.querySelectorAll('a').forEach((link) => link.replaceWith(...link.childNodes));
    return {kind, nodes: [...all.childNodes]};
}

function newestRow(row) {
    if (row.kind !== 'line') {
        return html`<div class="line dim">${clip(brief(row), 160)}</div>`;
    }
    const {kind, nodes} = made.of(row, '', () => unlinked(spoken(row, '')));
    return html`<div class="line ${kind}">${nodes}</div>`;
}

function brief(row) {
    const text = plainText(row).split('\n')[0];
    switch (row.kind) {
        case 'tool':
            return `${row.name} ${subject(row.input) ?? row.title}`;
        case 'thought':
            return `… ${row.text.slice(-150)}`;
        case 'message':
            return `› ${text}`;
        case 'ask':
            return `· asks: ${text}`;
        default:
            return `· ${text}`;
    }
}
