// The page: signs in, watches, and draws everything from the state.
import './theme.js';
import {html, nothing, render} from './vendor/lit.js';
import {announcer} from './announce.js';
import {dialogs} from './dialogs.js';
import {openAsks} from './inbox.js';
import {handleKey} from './keys.js';
import {overview} from './overview.js';
import {readRoute} from './route.js';
import {session} from './session.js';
import {sidebar} from './sidebar.js';
import {signIn, signInByLink} from './signin.js';
import {changed, drawWith, state} from './store.js';
import {viewing} from './viewing.js';
import {follow, startWatching, stopWatching} from './watch.js';

const CLOCK_MS = 1000;
const root = document.getElementById('page');
let watching = null;
let drawn = false; // until then there is what the document itself has

function page() {
    if (!state.me) {
        return html`<main class="welcome" id="main"><h1>Brig</h1>
            ${state.why ? html`<p role="alert">${state.why}</p>` : nothing}
            <p>This page is opened from a terminal on the gateway's host:</p><pre>brig open</pre>
            <p class="dim">or with a link that a captain made: <code>brig open --share ID</code></p></main>`;
    }
    const {session: id} = state.route;
    return html`<a class="skip" href="#main" @click=${skip}>To the content</a>
        <div class="frame ${id ? 'one' : 'all'}">${sidebar()}${id ? session() : overview()}</div>
        ${state.notice ? notice(state.notice) : nothing}
        ${announcer()}${dialogs()}`;
}

const notice = ({kind, text}) => html`<p class="notice ${kind}" role="status" aria-live="polite">${text}</p>`;

function skip(event) {
    event.preventDefault();
    document.getElementById('main').focus();
}

function draw() {
    if (state.me !== watching) {
        if (watching) {
            stopWatching();
        }
        watching = state.me;
        readRoute();
        if (state.me) {
            startWatching();
        }
    }
    if (!drawn) {
        root.replaceChildren();
        drawn = true;
    }
    render(page(), root);
    entitle();
    if (state.me && state.route.session) {
        viewing(state.route.session).list.place();
    }
}

/** How many asks wait stands first, where a narrow tab shows it. */
function entitle() {
    const place = state.route.session ? `${state.route.session} · Brig` : 'Brig';
    const asks = openAsks();
    const title = asks ? `(${asks}) ${place}` : place;
    if (document.title !== title) {
        document.title = title;
    }
}

/** A link may be opened in a tab that shows the page already: then only the fragment is another. */
async function handleAddress() {
    await signInByLink();
    handleRoute();
}

function handleRoute() {
    const before = state.route.session;
    readRoute();
    follow();
    changed();
    if (before !== state.route.session) {
        requestAnimationFrame(() => document.getElementById('main')?.focus({preventScroll: true}));
    }
}

drawWith(draw);
addEventListener('hashchange', handleAddress);
addEventListener('keydown', handleKey);
setInterval(() => {
    state.nowMs = Date.now();
    changed();
}, CLOCK_MS);
await signIn();
changed();
