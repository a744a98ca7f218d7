// Every session at a glance: a tile each, with its newest lines, and how full the gateway is.
import {guard, html, nothing, repeat} from './vendor/lit.js';
import {coloured} from './ansi.js';
import {mayStart} from './api.js';
import {DOES, age, byNeed, clip, fitting, placed, plural, tokens} from './format.js';
import {oldest, openAsks} from './inbox.js';
import {placeOf} from './route.js';
import {changed, open, state} from './store.js';
import {modelOf} from './watch.js';
import {plainText} from './transcript.js';

const LINES = 9;
const CHARS_MAX = 600; // of all of them; the first may be longer
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
    return html`<main class="overview" id="main" tabindex="-1">
        ${state.status ? gauges(state.status) : nothing}
        ${oldest()}
        ${state.sessions.length ? tiles() : empty()}
    </main>`;
}

const tiles = () =>
    html`<div class="tiles">${repeat(byNeed(fitting(state.sessions, state.route.find)), (view) => view.spawn_id, tile)}</div>`;

function empty() {
    return html`<div class="empty"><h2>Nothing runs</h2>
        ${
            mayStart()
                ? html`<p>Start a session here, or in a terminal:</p><pre>brig run demo-writer</pre>
            <button class="primary" @click=${() => open('start')}>Start a session</button>`
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

/** Limits and queue, as the gateway counts them. */
function gauges(status) {
    const {queue} = status;
    const waiting = Object.entries(queue.captains ?? {})
        .map(([captain, number]) => `${captain}: ${number}`)
        .join(', ');
    return html`<section class="gauges" aria-label="Limits">
        ${gauge('workers', status.workers, status.workers_max, `${status.workers} of ${status.workers_max}`)}
        ${gauge('queue', queue.waiting, queue.max, `${queue.waiting} of ${queue.max}`)}
        ${gauge('connections', status.connections, status.connections_max, `${status.connections} of ${status.connections_max}`)}
        ${queue.waiting ? html`<span class="dim" title=${waiting}>next place in ${queue.estimate_seconds} s</span>` : nothing}
        <span class="pool ${status.pool}">pool ${status.pool}</span>
        <span class="dim">${plural(status.spawns.running ?? 0, 'runs', 'run')}
            · up ${age(state.nowMs - status.started_ms)} · ${status.version}</span>
    </section>`;
}

function tile(view, index) {
    const model = modelOf(view.spawn_id);
    const asks = openAsks(view.spawn_id);
    return html`<a class="tile" href=${placeOf(view.spawn_id)}>
        <header><span class="dot ${view.activity}" title=${DOES[view.activity]}></span><b>${view.task_id}</b>
            ${asks ? html`<span class="badge">${plural(asks, 'ask')}</span>` : html`<span class="does dim">${DOES[view.activity]}</span>`}
            <span class="dim">${placed(view)}</span></header>
        <div class="lines"
            aria-hidden="true">${model ? guard([model, turn(model, index)], () => newest(model)) : html`<div class="dim">${waiting(view)}</div>`}</div>
        <footer class="dim"><span>${age(state.nowMs - view.created_ms)}</span>
            <span>${tokens(view.usage) || plural(view.last_seq, 'frame')}</span>
            <span>${others(view, model)}</span></footer>
    </a>`;
}

/** Its subscribers beside this page. */
function others(view, model) {
    const number = view.readers - (model && !model.over ? 1 : 0);
    return number > 0 ? plural(number, 'other subscriber') : '';
}

const waiting = (view) => (view.state === 'running' ? '' : `${view.state}…`);

/** The newest rows, no more than a tile shows: what is above its edge would be laid out for nobody. */
function newest(model) {
    const {rows} = model.live.transcript;
    let first = rows.length;
    for (let chars = 0; first > 0 && rows.length - first < LINES && chars < CHARS_MAX; first--) {
        chars += rows[first - 1].text?.length ?? 0;
    }
    return rows.slice(first).map(newestRow);
}

const newestRow = (row) =>
    row.kind === 'line'
        ? html`<div class="line ${row.stream}">${coloured(row, '')}</div>`
        : html`<div class="line dim">${clip(brief(row), 160)}</div>`;

function brief(row) {
    const text = plainText(row).split('\n')[0];
    return row.kind === 'tool'
        ? `⚙ ${row.name} ${text}`
        : row.kind === 'thought'
          ? `… ${row.text.slice(-150)}`
          : `· ${row.kind === 'ask' ? 'asks: ' : ''}${text}`;
}
