// Dialogues: start a session, share one, the keys. The browser's own <dialog> keeps the focus inside and
// closes on Esc.
import {html, nothing, ref} from './vendor/lit.js';
import {attempt, post, remove} from './api.js';
import {age, clip} from './format.js';
import {handleInboxKey, inbox} from './inbox.js';
import {goTo} from './route.js';
import {changed, open, state, tell, whenShown} from './store.js';
import {refresh, viewOf} from './watch.js';

const KEYS = [
    ['j  k', 'next, previous session'],
    ['Esc', 'close, or back to all sessions'],
    ['/', 'search; where all sessions are shown: filter them'],
    ['n  N', 'next, previous place found'],
    ['f', 'follow the newest line'],
    ['g  G', 'to the beginning, to the end'],
    ['1 … 5', 'stream, agents, changes, wall, terminal'],
    ['i', 'write a message'],
    ['a', 'what agents ask; there j, k or arrows select, 1 … 9 choose, Enter gives the answer'],
    ['s', 'start a session'],
    ['t', 'dark, light, as the system'],
    ['?', 'this'],
];

let shared = null; // the link that was made
let starting = false;
let mode = ''; // where the session that is being started is to work
let place = ''; // on which host

function handleMode(event) {
    mode = event.target.value;
    changed();
}

function handlePlace(event) {
    place = event.target.value;
    changed();
}

/** Which host a path is of, once there is a choice. */
function whose() {
    if (!place) {
        return '';
    }
    return mode === 'worktree' ? ' on this host' : ` on ${place.startsWith('host ') ? place.slice(5) : 'that host'}`;
}

export function dialogs() {
    const content = {inbox, start, share, help, confirm}[state.dialog];
    if (!content) {
        shared = null;
        mode = '';
        place = '';
        return nothing;
    }
    return html`<dialog class=${state.dialog} aria-label=${content.title} ${ref(show)} @close=${() => open(null)}
        @click=${closeOutside} @keydown=${state.dialog === 'inbox' ? handleInboxKey : null}>
        <header><h2>${content.title}</h2><button class="quiet" @click=${() => open(null)}
            aria-label="Close">✕</button></header>
        ${content()}</dialog>`;
}

const show = whenShown((element) => element.open || element.showModal());
const closeOutside = (event) => event.target === event.currentTarget && event.target.close();

function help() {
    return html`<dl
        class="keys">${KEYS.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>`;
}
help.title = 'Keys';

/** What somebody is about to do, once more before it is done. */
function confirm() {
    const {what, names = '', verb} = state.asked;
    return html`<p>${what}</p>
        ${names ? html`<p class="dim">${names}</p>` : nothing}
        <footer><button @click=${() => open(null)}>Cancel</button>
            <button class="danger" autofocus @click=${confirmed}>${verb}</button></footer>`;
}
confirm.title = 'Are you sure?';

async function confirmed() {
    const {act} = state.asked;
    open(null);
    await act();
}

const STATES = {not_installed: 'not installed', no_route: 'no route to its model', faulty: 'cannot be used'};

/** Agents that can be started come first. */
const byReadiness = (agents) => [...agents].sort((one, other) => isReady(other) - isReady(one));
const isReady = (agent) => !(agent.state in STATES);

const agentChoice = (agent) => choice({...agent, description: STATES[agent.state] ?? agent.description});

const choice = ({name, description}) =>
    html`<option value=${name} title=${description ?? ''}>${name}${
        description ? ` – ${clip(description, 60)}` : ''
    }</option>`;

/** Other hosts, and the labels by which any of them may be chosen. */
function hostChoice() {
    const hosts = state.hosts.filter((host) => !host.tunnel_only);
    if (hosts.length === 0) {
        return nothing;
    }
    const labels = [...new Set(hosts.filter(isUp).flatMap((host) => host.labels))].sort();
    return html`<label>Host<select name="place" @change=${handlePlace}><option value="" selected>this host</option>
        ${hosts.map(
            (host) =>
                html`<option value="host ${host.name}" ?disabled=${!isUp(host)}>${host.name}${
                    isUp(host) ? '' : ` – ${host.state}`
                }</option>`,
        )}
        ${labels.map((label) => html`<option value="on ${label}">any with ${label}</option>`)}</select></label>`;
}

const isUp = (host) => host.state === 'up';

function start() {
    const {agents, policies = []} = state.agents;
    return html`<form class="start" @submit=${submit}>
        <label>Agent<select name="agent" required>${byReadiness(agents).map(agentChoice)}</select></label>
        <label>Message<textarea name="prompt" rows="4" autofocus placeholder="What it is to do; without one it waits"></textarea></label>
        <label>Name<input name="task_id" pattern="[A-Za-z0-9][A-Za-z0-9._\\-]{0,127}" placeholder="one is made up if empty"
            title="Letters, digits, dot, underscore and hyphen" autocomplete="off"></label>
        <label>Wall<select name="policy"><option value="">as the agent's profile says</option>
            ${policies.map(choice)}</select></label>
        ${hostChoice()}
        <label>Where<select name="mode" @change=${handleMode}><option value="" selected>a new folder</option>
            <option value="folder">a folder that is there</option>
            <option value="worktree">a worktree of a repository</option>
            <option value="copy">a copy of a folder</option></select></label>
        ${
            mode
                ? html`<label>${{worktree: 'Repository', copy: 'Folder to copy', folder: 'Folder'}[mode]}${whose()}<input name="path"
            required pattern="/.*" placeholder="/absolute/path" title="An absolute path" autocomplete="off"></label>`
                : nothing
        }
        <label class="check"><input type="checkbox" name="once"> end it when the message is done</label>
        <footer><button type="button" @click=${() => open(null)}>Cancel</button>
            <button class="primary" ?disabled=${starting}>${starting ? 'Starting…' : 'Start'}</button></footer>
    </form>`;
}
start.title = 'Start a session';

/** The request that the form stands for. */
function wish(form) {
    const text = (name) => form.get(name).trim();
    const body = {
        agent_config: {name: form.get('agent')},
        once: form.get('once') === 'on',
        client: 'page',
    };
    const put = (name, value) => value && (body[name] = value);
    put('prompt', text('prompt'));
    put('task_id', text('task_id'));
    put('policy', form.get('policy'));
    const [kind, name] = place.split(' ');
    put(kind, kind === 'on' ? [name] : name);
    if (mode) {
        body.workspace_mode = mode;
        body[mode === 'worktree' ? 'repository' : 'workspace'] = text('path');
    }
    return body;
}

async function submit(event) {
    event.preventDefault();
    const body = wish(new FormData(event.target));
    starting = true;
    changed();
    await attempt(async () => {
        const {spawn_id: id} = await post('spawns?wait=15s', body);
        await refresh();
        open(null);
        goTo(id);
    });
    starting = false;
    changed();
}

function share() {
    const view = viewOf(state.route.session);
    if (shared) {
        return html`<p>Whoever has this link watches <b>${view?.task_id}</b>, and nothing else,
            for ${age(shared.expires_ms - Date.now())}.</p>
            <input class="link" readonly aria-label="Link" .value=${shared.url}
                @focus=${(event) => event.target.select()}>
            <footer><button @click=${revoke}>Revoke</button><button class="primary"
                @click=${copyLink}>Copy the link</button></footer>`;
    }
    return html`<form
        @submit=${makeLink}><p>A link with which somebody may watch <b>${view?.task_id}</b> without an account.
            It shows this session and nothing else.</p>
        <label>Good for<select name="seconds"><option value="3600">an hour</option><option
            value="86400" selected>a day</option><option value="604800">a week</option></select></label>
        <footer><button type="button" @click=${() => open(null)}>Cancel</button><button
            class="primary">Make a link</button></footer></form>`;
}
share.title = 'Share';

async function makeLink(event) {
    event.preventDefault();
    const seconds = Number(new FormData(event.target).get('seconds'));
    const session = state.route.session;
    await attempt(async () => {
        const made = await post('tokens', {role: 'watcher', session, expires_seconds: seconds});
        shared = {...made, url: `${location.origin}/#${made.token}/session/${made.spawn_id}`};
    });
    changed();
}

async function revoke() {
    if (
        await attempt(
            () => remove(`tokens/${shared.id}?session=${shared.spawn_id}`),
            'The link is good for nothing now.',
        )
    ) {
        open(null);
    }
}

async function copyLink() {
    await navigator.clipboard.writeText(shared.url).then(
        () => tell('Copied.'),
        () => tell('The browser does not allow copying here.', 'error'),
    );
}
