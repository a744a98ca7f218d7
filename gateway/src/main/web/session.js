// One session: who it is, what can be done with it, and its parts as tabs.
import {html, nothing} from './vendor/lit.js';
import {attempt, isOffline, post} from './api.js';
import {agentsPart} from './tree.js';
import {budgetNow, purseBrief} from './budget.js';
import {changesPart} from './changes.js';
import {composer} from './composer.js';
import {askToEnd, drives} from './ending.js';
import {DOES, age, costOf, count, placed, plural, tokens} from './format.js';
import {icon} from './icons.js';
import {sessionAsks} from './inbox.js';
import {rail} from './rail.js';
import {goTo, placeOf} from './route.js';
import {isNarrow, open, state} from './store.js';
import {streamPart} from './stream.js';
import {terminalPart} from './terminal.js';
import {ttyPart} from './tty.js';
import {viewing} from './viewing.js';
import {wallPart} from './wall.js';
import {isNobody, isReadable, modelOf, partShown, partsOf, titleOf, viewOf} from './watch.js';

export function session() {
    const id = state.route.session;
    const view = viewOf(id);
    const model = modelOf(id);
    if (!view && (!model || isNobody(id))) {
        return html`<main class="viewer" id="main" tabindex="-1">${isNobody(id) ? notFound(id) : looking}</main>`;
    }
    const look = viewing(id);
    if (state.route.frame !== null && !state.route.isReached) {
        state.route.isReached = true;
        look.goToFrame(state.route.frame);
    }
    const reading = model && look.read(model);
    const shown = partShown(id);
    const speaks = view && model && !model.isTty && drives(view) && shown !== 'terminal';
    return html`<main class="viewer" id="main" tabindex="-1">
        ${header(id, view, model, reading)}
        ${sessionAsks(id)}
        ${problem(view, model)}
        ${tabs(id, shown, reading)}
        <div class="parts of-${shown}">${reading ? part(shown, id, view, model, reading, look) : nothing}</div>
        ${speaks ? composer(view, model, look) : nothing}
    </main>`;
}

const looking = html`<h1 class="empty">Looking for this session…</h1>`;

const notFound = (id) => html`<div class="empty"><h1>There is no session ${id}</h1>
    <p>Its name may be misspelled, or what was left of it has been deleted.</p>
    <a class="button" href=${placeOf(null)}>All sessions</a></div>`;

function part(shown, id, view, model, reading, look) {
    switch (shown) {
        case 'agents':
            return agentsPart(reading, look, id);
        case 'changes':
            return changesPart(id, view, look);
        case 'wall':
            return wallPart(id, view, model, look);
        case 'terminal':
            return terminalPart(view ?? {spawn_id: id}, model, look);
        default:
            return html`${shown === 'stream' && model.isTty ? ttyPart(view, model, look) : streamPart(id, model, look)}
                ${isNarrow() ? nothing : rail(id, view, model, reading, look, budgetOf(view, reading))}`;
    }
}

const paused = html`<span class="pill warning"
    title="A slow captain or the record has paused the worker">paused</span>`;

function header(id, view, model, reading) {
    const name = view ? titleOf(view) : model?.asked || id;
    const alive = view && !view.ended_ms && !model?.over;
    const usage = reading?.tree.usage() ?? view?.usage;
    const budget = budgetOf(view, reading);
    return html`<header class="head">
        <a class="button quiet back" href=${placeOf(null)} aria-label="All sessions">${icon('back')}</a>
        <h1 title=${id}>${name}</h1>
        <span class="pill ${view?.activity ?? ''}">${model?.over ? DOES.ended : (DOES[view?.activity] ?? 'read')}</span>
        ${model?.throttled ? paused : nothing}
        <span class="facts dim">
            <span>${view ? placed(view) : nothing}</span>
            ${view ? html`<span title="age">${age((view.ended_ms ?? state.nowMs) - view.created_ms)}</span>` : nothing}
            ${budget ? purseBrief(budget) : nothing}
            ${usage && !budget?.limit.usd ? html`<span class="cost" title=${tokens(usage)}>${costOf(usage)}</span>` : nothing}
            ${who(model?.presence, model?.wish.role === 'watcher')}
        </span>
        ${view && drives(view) ? menu(actions(view, alive)) : nothing}
    </header>`;
}

/** What is used up of its budget at the time that is looked at; null without one. */
function budgetOf(view, reading) {
    const budget = reading?.tree.budget;
    const beganMs = view?.running_ms || reading?.tree.main.startedMs || state.nowMs;
    const atMs = view?.ended_ms || state.nowMs;
    return budget ? budgetNow(budget, atMs - beganMs, reading.tree.priced()) : null;
}

/** Who else is connected: each captain by name, watchers by number. */
function who(presence, isCounted) {
    if (!presence) {
        return nothing;
    }
    // A stream that this page reads counts as a watcher, where it does not type.
    const others = presence.watchers - (isCounted ? 1 : 0);
    const captains = presence.captains.map((one) => `${one.captain}${one.control ? ' (control)' : ''}`).join(', ');
    return html`<span class="presence"
        title="who is connected now, besides this page">${[others > 0 ? plural(others, 'other watcher') : '', captains].filter(Boolean).join(', ')}</span>`;
}

/** On a phone the actions open from one button, so that the head stays one line. */
const menu = (content) =>
    isNarrow()
        ? html`<details class="menu"><summary aria-label="Actions">${icon('dots')}</summary>${content}</details>`
        : content;

function actions(view, alive) {
    const id = view.spawn_id;
    return html`<span class="actions">
        ${
            alive
                ? html`${
                      view.tty
                          ? nothing
                          : html`<button ?disabled=${!works(view)} title=${works(view) ? 'Ends what it works on now; the session goes on (x)' : 'It works on nothing'}
                    @click=${() => attempt(() => post(`sessions/${id}/cancel`), 'The turn is cancelled.')}>Cancel turn</button>`
                  }
            <button class="danger" ?disabled=${isOffline()} title="Ends the session and everything that runs in it" @click=${() => askToEnd([view])}>Terminate…</button>`
                : nothing
        }
        <button @click=${() => open('share')}>${icon('share')}Share…</button></span>`;
}

/** Whether it works on a message, by its stream or by the list, whichever is newer. */
const works = (view) =>
    !isOffline() &&
    (modelOf(view.spawn_id)?.works || ['working', 'throttled_by_provider', 'waiting'].includes(view.activity));

function problem(view, model) {
    const text =
        model?.refusal?.error ??
        (view?.state === 'failed' ? view.last_error : '') ??
        (view && !isReadable(view) ? `The session is ${view.state}.` : '');
    return text ? html`<p class="problem" role="alert">${text}</p>` : nothing;
}

function tabs(id, shown, reading) {
    const parts = partsOf(id);
    const counts = {agents: reading?.tree.nodes.size ?? 0};
    const handleKey = (event) => {
        const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        if (by) {
            const names = Object.keys(parts);
            const next = names[(names.indexOf(shown) + by + names.length) % names.length];
            goTo(id, next);
            event.currentTarget.querySelector(`[data-tab=${next}]`)?.focus();
        }
    };
    return html`<div class="tabs" role="tablist" aria-label="Parts of the session"
        @keydown=${handleKey}>${Object.entries(parts).map(
            ([tab, name]) => html`
        <button role="tab" data-tab=${tab} aria-selected=${tab === shown}
            tabindex=${tab === shown ? 0 : -1}
            @click=${() => goTo(id, tab)}>${name}
            ${counts[tab] ? html`<span class="dim">${count(counts[tab])}</span>` : nothing}</button>`,
        )}
    </div>`;
}
