// The page: signs in, watches, and draws everything from the state.
import './theme.js';
import {html, nothing, render, repeat} from './vendor/lit.js';
import {announcer} from './announce.js';
import {costs, forgetCosts} from './costs.js';
import {dialogs, settleDialog} from './dialogs.js';
import {openAsks} from './inbox.js';
import {handleKey} from './keys.js';
import {notice} from './notify.js';
import {overview} from './overview.js';
import {readRoute} from './route.js';
import {session} from './session.js';
import {sidebar} from './sidebar.js';
import {secretOfLink, signIn, signInByLink} from './signin.js';
import {changed, drawWith, open, state} from './store.js';
import {forgetView, forgetViews, viewing} from './viewing.js';
import {drawn as tellDrawn, follow, modelOf, startWatching, stopWatching, titleOf, viewOf} from './watch.js';

const CLOCK_MS = 1000;
const FAULTS_MAX = 2;
let root = document.getElementById('page');
let watching = null;
let drawn = false; // until then there is what the document itself has
let faults = {place: '', number: 0}; // how many times that place could not be drawn

function page() {
    if (!state.me) {
        return html`<main class="welcome" id="main"><h1>Brig</h1>
            ${state.why ? html`<p role="alert">${state.why}</p>` : nothing}
            ${state.route.session ? html`<p role="alert">This link leads to a session, and is for those who are signed in here.</p>` : nothing}
            ${state.issuer ? html`<p><a class="button" href=${state.issuer.url}>Sign in with ${state.issuer.label}</a></p>` : nothing}
            <p>${state.issuer ? 'Or sign' : 'Sign'} in from a terminal on the gateway's host, then open the link again:</p><pre>brig open</pre>
            <p class="dim">Without an account: ask for a link that is made with Share…, or by <code>brig open --share ID</code>.</p></main>`;
    }
    const {session: id} = state.route;
    return html`<a class="skip" href="#main" @click=${skip}>To the content</a>
        <div class="frame ${place() ? 'one' : 'all'}">${sidebar()}${anew(place(), () => (faults.number === FAULTS_MAX ? notDrawn() : id ? session() : state.route.costs ? costs() : overview()))}</div>
        ${state.notice ? told(state.notice) : nothing}
        ${announcer()}${dialogs()}`;
}

/** Home, the costs, or the session that is looked at. */
const place = () => state.route.session ?? (state.route.costs ? 'costs' : '');

/** No element that showed one session is used for another. */
const anew = (key, draw) => repeat([key], (one) => one, draw);

const notDrawn =
    () => html`<main class="viewer" id="main" tabindex="-1"><div class="empty"><h1>This cannot be shown</h1>
    <p role="alert">The page failed while it drew this. What is there is not lost.</p>
    <button @click=${() => location.reload()}>Load the page again</button></div></main>`;

const told = ({kind, text}) =>
    html`<p class="notice ${kind}" role="status" aria-live="polite">${typeof text === 'function' ? text() : text}</p>`;

function skip(event) {
    event.preventDefault();
    document.getElementById('main').focus();
}

function draw() {
    if (state.me !== watching) {
        if (watching) {
            stopWatching();
            forgetViews();
            forgetCosts();
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
    drawPage();
    settleDialog();
    entitle();
    notice();
    if (state.me && state.route.session) {
        viewing(state.route.session).list.place();
    }
    tellDrawn();
}

/**
 * A drawing that fails leaves a page of which some is of before: it is thrown away and made anew, with what is known of the place
 * forgotten. Where it fails again the page says so, until the person goes elsewhere.
 */
function drawPage() {
    if (faults.place !== place()) {
        faults = {place: place(), number: 0};
    }
    try {
        render(page(), root);
    } catch (fault) {
        reportError(fault);
        forgetView(place());
        const fresh = root.cloneNode(false);
        root.replaceWith(fresh);
        root = fresh;
        if (++faults.number <= FAULTS_MAX) {
            drawPage();
        }
    }
}

/** How many asks wait stands first, where a narrow tab shows it. */
function entitle() {
    const {session: id} = state.route;
    const view = id && viewOf(id);
    const name = id ? (view ? titleOf(view) : modelOf(id)?.asked || id) : state.route.costs ? 'Costs' : '';
    const place = name ? `${name} · Brig` : 'Brig';
    const asks = openAsks();
    const title = asks ? `(${asks}) ${place}` : place;
    if (document.title !== title) {
        document.title = title;
    }
}

/** A link may be opened in a tab that shows the page already: then only the fragment is another. */
async function handleAddress() {
    const secret = secretOfLink();
    handleRoute();
    await signInByLink(secret);
    changed();
}

function handleRoute() {
    const before = place();
    readRoute();
    follow();
    if (before !== place() && state.dialog && state.dialog !== 'start') {
        open(null);
    }
    changed();
    if (before !== place()) {
        requestAnimationFrame(() => state.dialog || document.getElementById('main')?.focus({preventScroll: true}));
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
readRoute();
changed();
