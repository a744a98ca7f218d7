// The list of sessions, and who is signed in.
import {html, live, nothing, repeat} from './vendor/lit.js';
import {mayStart} from './api.js';
import {askToEnd, drives} from './ending.js';
import {DOES, age, byNeed, fitting, placed, plural, time, tokens, tokensBrief} from './format.js';
import {bell, openAsks} from './inbox.js';
import {findBy, placeOf} from './route.js';
import {signOut} from './signin.js';
import {changed, open, state} from './store.js';
import {theme, nextTheme} from './theme.js';
import {follow} from './watch.js';

const LINK = {live: 'live', connecting: 'connecting…', lost: 'connection lost, trying again…'};

export function sidebar() {
    const {session} = state.route;
    return html`<nav class="sidebar" aria-label="Sessions">
        <header><a class="brand" href=${placeOf(null)} aria-label="Brig, all sessions">Brig</a>
            <span class="link ${state.link.state}" role="status"
                aria-live="polite">${LINK[state.link.state]}</span></header>
        <div class="bar">
            ${state.me.spawn_id ? nothing : allLive(session)}
            ${bell()}
            ${mayStart() ? html`<button class="primary" @click=${() => open('start')}>Start…</button>` : nothing}
        </div>
        ${state.me.spawn_id ? nothing : filter()}
        <div class="sessions">
            ${group('Live', byNeed(state.sessions), endMany)}
            ${state.ended.length ? group('Ended', state.ended, () => nothing) : nothing}
            ${state.moreEnded ? html`<p class="dim more">older ones: <code>brig sessions --all</code></p>` : nothing}
        </div>
        <footer><span class="dim me" title="Who is signed in">${state.me.captain} · ${state.me.role}</span>
            <button class="quiet" @click=${nextTheme} title="Colours: ${theme()}"
                aria-label="Colours: ${theme()}">${{auto: '◐', dark: '☾', light: '☀'}[theme()]}</button>
            <button class="quiet" @click=${() => open('help')} aria-label="Keyboard shortcuts"
                title="Keyboard (?)">?</button>
            <button class="quiet" @click=${signOut}>Sign out</button></footer>
    </nav>`;
}

/** Words that a session has to have in its name, its agent or what it does. */
const filter = () => html`<search class="filter"><input type="search" aria-label="Filter the sessions"
        placeholder="name, agent or state  ( / )" autocomplete="off" spellcheck="false" .value=${live(state.route.find)}
        @input=${handleFilter}></search>`;

function handleFilter(event) {
    findBy(event.target.value);
    follow();
    changed();
}

const allLive = (session) =>
    html`<a class="button ${session ? '' : 'on'}" href=${placeOf(null)}
                aria-current=${session ? nothing : 'page'}>All live</a>`;

/** Ends all that are listed, or those that the filter leaves. */
function endMany(views) {
    const mine = views.filter(drives);
    return mine.length > 1
        ? html`<button class="quiet" @click=${() => askToEnd(mine)}>End ${state.route.find ? 'these' : 'all'}…</button>`
        : nothing;
}

function group(name, all, actions) {
    const views = fitting(all, state.route.find);
    const some = views.length === all.length ? '' : ` of ${all.length}`;
    return html`<div class="heading"><h2>${name} <span class="dim">${views.length}${some}</span></h2>${actions(views)}</div>
        <ul>${repeat(views, (view) => view.spawn_id, entry)}</ul>`;
}

/** When it ended, and why where that is not all well. */
const how = (view) => [`ended ${time(view.ended_ms)}`, why(view)].filter(Boolean).join(', ');

function why({state: at, last_error: error, exit}) {
    if (at === 'failed') {
        return `failed: ${(error ?? '').split(':')[0]}`;
    }
    return exit?.reason || exit?.signal || (exit?.exit_code ? `exit code ${exit.exit_code}` : '');
}

const badge = (asks) => html`<span class="badge" title="requests that wait for a person">${asks}</span>`;

function entry(view) {
    const current = state.route.session === view.spawn_id;
    const asks = openAsks(view.spawn_id);
    const since = (view.ended_ms ?? state.nowMs) - view.created_ms;
    return html`<li><a class="entry ${current ? 'on' : ''}" href=${placeOf(view.spawn_id)}
        aria-current=${current ? 'page' : nothing}>
        <span class="first"><span class="dot ${view.activity}" title=${DOES[view.activity]}></span><span
            class="name">${view.task_id}</span>
            ${asks ? badge(asks) : nothing}<span class="dim"
                title=${view.ended_ms ? 'how long it ran' : 'how long it has been there'}>${age(since)}</span></span>
        <span class="second dim"><span class="agent">${placed(view)}${view.throttled ? ' · paused' : ''}<span
            class="does"> · ${view.ended_ms ? how(view) : DOES[view.activity]}${
                view.percent === undefined ? '' : `, brings the repository: ${view.percent} %`
            }</span></span>
            <span title=${tokens(view.usage)}>${tokensBrief(view.usage)}</span>
            <span title="connections that read it now">${view.readers ? plural(view.readers, 'subscriber') : ''}</span></span>
    </a></li>`;
}
