// The list of sessions, and who is signed in.
import {guard, html, live, nothing, repeat} from './vendor/lit.js';
import {mayStart} from './api.js';
import {askToEnd, drives} from './ending.js';
import {DOES, age, byNeed, costOf, fitting, placed, howEnded, time, tokens} from './format.js';
import {icon} from './icons.js';
import {bell, openAsks} from './inbox.js';
import {openPalette} from './palette.js';
import {findBy, placeOf} from './route.js';
import {askToSignOut} from './signin.js';
import {changed, open, state} from './store.js';
import {theme, nextTheme} from './theme.js';
import {follow, titleOf} from './watch.js';

const LINK = {live: 'live', connecting: 'connecting…', lost: 'connection lost, trying again…'};

export function sidebar() {
    const {session} = state.route;
    return html`<nav class="sidebar" aria-label="Sessions">
        <header><a class="brand" href=${placeOf(null)} aria-label="Brig, all sessions">Brig</a>
            <span class="link ${state.link.state}" role="status"
                aria-live="polite">${LINK[state.link.state]}</span>
            <button class="quiet" @click=${openPalette} title="Commands (ctrl K)"><span class="sr">Commands</span><span class="for-phone">${icon('search')}</span><kbd>ctrl K</kbd></button></header>
        <div class="bar">
            ${state.me.spawn_id ? nothing : home(session ?? state.route.costs)}
            ${bell()}
            ${mayStart() ? html`<button class="primary" @click=${() => open('start')}>Start…</button>` : nothing}
        </div>
        ${state.me.spawn_id ? nothing : filter()}
        <div class="sessions">
            ${group('Live', byNeed(state.sessions), endMany)}
            ${state.ended.length ? group('Ended', state.ended, () => nothing) : nothing}
            ${state.moreEnded ? html`<p class="dim more">older ones: <code>brig sessions --all</code></p>` : nothing}
        </div>
        <footer><span class="dim me" title="Who is signed in"><span>${state.me.captain}</span> <b>${state.me.role}</b></span>
            <button class="quiet" @click=${nextTheme} title="Colours: ${theme()}"
                aria-label="Colours: ${theme()}">${icon(theme())}</button>
            <button class="quiet" @click=${() => open('help')} aria-label="Keyboard shortcuts"
                title="Keyboard (?)">${icon('keys')}</button>
            <button class="quiet" @click=${askToSignOut}>Sign out</button></footer>
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

const home = (session) =>
    html`<a class="button ${session ? '' : 'on'}" href=${placeOf(null)}
                aria-current=${session ? nothing : 'page'}>${icon('home')}Home</a>`;

/** Ends all that are listed, or those that the filter leaves. */
function endMany(views) {
    const mine = views.filter(drives);
    return mine.length > 1
        ? html`<button class="quiet" @click=${() => askToEnd(mine)}>Terminate ${state.route.find ? 'these' : 'all'}…</button>`
        : nothing;
}

function group(name, all, actions) {
    const views = fitting(all, state.route.find);
    const some = views.length === all.length ? '' : ` of ${all.length}`;
    return html`<div class="heading"><h2>${name} <span class="dim">${views.length}${some}</span></h2>${actions(views)}</div>
        <ul>${repeat(views, (view) => view.spawn_id, entry)}</ul>`;
}

/** When it ended, and why where that is not all well. */
const how = (view) => [`ended ${time(view.ended_ms)}`, howEnded(view).words].filter(Boolean).join(', ');

const badge = (asks) => html`<span class="badge" title="requests that wait for a person">${asks}</span>`;

function entry(view) {
    const current = state.route.session === view.spawn_id;
    const asks = openAsks(view.spawn_id);
    const since = age((view.ended_ms ?? state.nowMs) - view.created_ms);
    const place = placeOf(view.spawn_id);
    return guard([view, titleOf(view), current, asks, since, place], () => entryOf(view, current, asks, since, place));
}

function entryOf(view, current, asks, since, place) {
    return html`<li><a class="entry ${current ? 'on' : ''}" href=${place}
        aria-current=${current ? 'page' : nothing}>
        <span class="first"><span class="dot ${view.activity}" title=${DOES[view.activity]}></span><span
            class="name">${titleOf(view)}</span>
            ${asks ? badge(asks) : nothing}<span class="dim"
                title=${view.ended_ms ? 'how long it ran' : 'how long it has been there'}>${since}</span></span>
        <span class="second dim"><span class="agent">${placed(view)}${view.throttled ? ' · paused' : ''}<span
            class="does"> · ${view.ended_ms ? how(view) : DOES[view.activity]}${
                view.percent === undefined ? '' : `, brings the repository: ${view.percent} %`
            }</span></span>
            <span title=${tokens(view.usage)}>${costOf(view.usage)}</span></span>
    </a></li>`;
}
