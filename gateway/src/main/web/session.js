// One session: who it is, what can be done with it, and its parts as tabs.
import {html, nothing} from './vendor/lit.js';
import {attempt, isOffline, post} from './api.js';
import {agentsPart} from './tree.js';
import {changesPart} from './changes.js';
import {composer} from './composer.js';
import {askToEnd, drives} from './ending.js';
import {DOES, age, count, placed, plural, tokens} from './format.js';
import {sessionAsks} from './inbox.js';
import {goTo, PARTS, placeOf, TABS} from './route.js';
import {isNarrow, open, state} from './store.js';
import {streamPart} from './stream.js';
import {terminalPart} from './terminal.js';
import {viewing} from './viewing.js';
import {wallPart} from './wall.js';
import {isNobody, isReadable, modelOf, viewOf} from './watch.js';

export function session() {
    const id = state.route.session;
    const view = viewOf(id);
    const model = modelOf(id);
    if (!view && (!model || isNobody(id))) {
        return html`<main class="viewer" id="main" tabindex="-1">${isNobody(id) ? notFound(id) : looking}</main>`;
    }
    const look = viewing(id);
    const reading = model && look.read(model);
    const speaks = view && model && drives(view) && state.route.tab !== 'terminal';
    return html`<main class="viewer" id="main" tabindex="-1">
        ${header(id, view, model, reading)}
        ${sessionAsks(id)}
        ${problem(view, model)}
        ${tabs(id, reading)}
        <div class="parts of-${state.route.tab}">${reading ? part(id, view, model, reading, look) : nothing}</div>
        ${speaks ? composer(view, model, look) : nothing}
    </main>`;
}

const looking = html`<p class="empty">Looking for this session…</p>`;

const notFound = (id) => html`<div class="empty"><h2>There is no session ${id}</h2>
    <p>Its name may be misspelled, or what was left of it has been deleted.</p>
    <a class="button" href=${placeOf(null)}>All sessions</a></div>`;

function part(id, view, model, reading, look) {
    switch (state.route.tab) {
        case 'agents':
            return agentsPart(reading, look, id);
        case 'changes':
            return changesPart(id, view);
        case 'wall':
            return wallPart(id, view, model);
        case 'terminal':
            return terminalPart(view ?? {spawn_id: id}, model);
        default:
            return html`${streamPart(id, model, look)}
                ${reading.tree.nodes.size ? agentsPart(reading, look, id) : nothing}`;
    }
}

const paused = html`<span class="pill warning"
    title="A slow captain or the record has paused the worker">paused</span>`;

function header(id, view, model, reading) {
    const name = view?.task_id ?? id;
    const alive = view && !view.ended_ms && !model?.over;
    const usage = reading?.tree.usage() ?? view?.usage;
    return html`<header class="head">
        <a class="button quiet back" href=${placeOf(null)} aria-label="All sessions">←</a>
        <span class="dot ${view?.activity ?? ''}"></span>
        <h1 title=${id}>${name}</h1>
        <span class="pill ${view?.activity ?? ''}">${model?.over ? DOES.ended : (DOES[view?.activity] ?? 'read')}</span>
        ${model?.throttled ? paused : nothing}
        <span class="facts dim">
            <span>${view ? placed(view) : nothing}</span>
            ${view ? html`<span title="age">${age((view.ended_ms ?? state.nowMs) - view.created_ms)}</span>` : nothing}
            ${usage ? html`<span title="tokens of all agents">${tokens(usage)}</span>` : nothing}
            <span title="frames">${plural(model?.lastSeq ?? 0, 'frame')}</span>
            ${who(model?.presence)}
        </span>
        ${view && drives(view) ? menu(actions(view, alive)) : nothing}
    </header>`;
}

/** Who is connected: each captain by name, watchers by number. */
function who(presence) {
    if (!presence) {
        return nothing;
    }
    const captains = presence.captains.map((one) => `${one.captain}${one.control ? ' (control)' : ''}`).join(', ');
    return html`<span class="presence"
        title="who is connected now">${plural(presence.watchers, 'watcher')}${captains ? `, ${captains}` : ''}</span>`;
}

/** On a phone the actions open from one button, so that the head stays one line. */
const menu = (content) =>
    isNarrow() ? html`<details class="menu"><summary aria-label="Actions">⋯</summary>${content}</details>` : content;

function actions(view, alive) {
    const id = view.spawn_id;
    return html`<span class="actions">
        ${
            alive
                ? html`<button ?disabled=${!works(view)} title=${works(view) ? '' : 'It works on nothing'}
                    @click=${() => attempt(() => post(`sessions/${id}/cancel`), 'Cancelled what it is doing.')}>Cancel</button>
            <button class="danger" ?disabled=${isOffline()} @click=${() => askToEnd([view])}>Terminate</button>`
                : nothing
        }
        <button @click=${() => open('share')}>Share…</button></span>`;
}

/** Whether it works on a message, by its stream or by the list, whichever is newer. */
const works = (view) =>
    !isOffline() && (modelOf(view.spawn_id)?.works || ['working', 'waiting'].includes(view.activity));

function problem(view, model) {
    const text =
        model?.refusal?.error ??
        (view?.state === 'failed' ? view.last_error : '') ??
        (view && !isReadable(view) ? `The session is ${view.state}.` : '');
    return text ? html`<p class="problem" role="alert">${text}</p>` : nothing;
}

function tabs(id, reading) {
    const counts = {agents: reading?.tree.nodes.size ?? 0};
    const handleKey = (event) => {
        const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        if (by) {
            const next = TABS[(TABS.indexOf(state.route.tab) + by + TABS.length) % TABS.length];
            goTo(id, next);
            event.currentTarget.querySelector(`[data-tab=${next}]`)?.focus();
        }
    };
    return html`<div class="tabs" role="tablist" aria-label="Parts of the session"
        @keydown=${handleKey}>${TABS.map(
            (tab) => html`
        <button role="tab" data-tab=${tab} aria-selected=${tab === state.route.tab}
            tabindex=${tab === state.route.tab ? 0 : -1}
            @click=${() => goTo(id, tab)}>${PARTS[tab]}
            ${counts[tab] ? html`<span class="dim">${count(counts[tab])}</span>` : nothing}</button>`,
        )}
    </div>`;
}
