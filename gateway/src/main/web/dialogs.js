// Dialogues: start a session, share one, the keys. The browser's own <dialog> keeps the focus inside and
// closes on Esc.
import {html, nothing, repeat} from './vendor/lit.js';
import {attempt, get, post} from './api.js';
import {fork} from './checkpoints.js';
import {clip} from './format.js';
import {handleInboxKey, inbox} from './inbox.js';
import {icon} from './icons.js';
import {palette} from './palette.js';
import {goTo} from './route.js';
import {leaveShare, share} from './share.js';
import {changed, open, state} from './store.js';
import {lookAround} from './watch.js';

const KEYS = [
    ['ctrl K', 'everything by name: sessions, parts, commands'],
    ['h', 'home'],
    ['c', 'what requests to models cost'],
    ['j  k', 'next, previous session'],
    ['Esc', 'close, or back to all sessions'],
    ['/', 'search in a conversation; at home: filter the sessions'],
    ['n  N', 'next, previous place found'],
    ['f', 'follow the newest line'],
    ['g  G', 'to the beginning, to the end'],
    ['[  ]', 'previous, next message'],
    ['1 … 5', 'the parts of the session, in their order'],
    ['i', 'write a message'],
    ['x', 'cancel the turn: what it works on now'],
    ['a', 'what agents ask; there j, k or arrows select, 1 … 9 choose, Enter gives the answer'],
    ['s', 'start a session'],
    ['shift Esc', "out of the agent's own terminal, where all keys go to it"],
    ['t', 'dark, light, as the system'],
    ['?', 'this'],
];

let starting = false;
let drawn = 0; // which opening
let mode = ''; // where the session that is being started is to work
let place = ''; // on which host
let agent = ''; // the profile that is chosen; empty for the first
let repositories = null; // those that kept worktrees and copies were made from, and those of this browser's earlier starts

function handleMode(event) {
    mode = event.target.value;
    changed();
}

function handleAgent(event) {
    agent = event.target.value;
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
    const content = {inbox, start, fork, share, help, confirm, palette}[state.dialog];
    if (!content) {
        leaveShare();
        mode = '';
        place = '';
        agent = '';
        repositories = null;
        return nothing;
    }
    return html`<dialog class=${state.dialog} aria-label=${content.title} @close=${handleClose}
        @click=${closeOutside} @keydown=${state.dialog === 'inbox' ? handleInboxKey : null}>
        <div class="top"><h2>${content.title}</h2><button class="quiet" @click=${() => open(null)}
            aria-label="Close">${icon('cross')}</button></div>
        ${content()}</dialog>`;
}

/** The browser tells it late: meanwhile another dialogue may have been opened, and the same element may show it. */
const handleClose = (event) => !event.target.open && drawn === state.opened && open(null);

/** After drawing: an element may have been another dialogue before, or one that was just closed. */
export function settleDialog() {
    const element = document.querySelector('dialog');
    if (element && !element.open) {
        element.showModal();
    }
    if (element && drawn !== state.opened) {
        element.querySelector('[autofocus]')?.focus();
        if (state.dialog === 'start') {
            lookAround();
        }
    }
    drawn = state.opened;
}

const closeOutside = (event) => event.target === event.currentTarget && event.target.close();

function help() {
    return html`<dl
        class="keys">${KEYS.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>`;
}
help.title = 'Keys';

/** What somebody is about to do, once more before it is done. */
function confirm() {
    const {what, names = '', verb, act, isSafe = false, otherwise = {verb: 'No', act() {}}} = state.asked;
    return html`<p>${what}</p>
        ${names ? html`<p class="dim">${names}</p>` : nothing}
        <footer><button @click=${() => choose(otherwise.act)}>${otherwise.verb}</button>
            <button class=${isSafe ? 'primary' : 'danger'} autofocus @click=${() => choose(act)}>${verb}</button></footer>`;
}
confirm.title = 'Are you sure?';

async function choose(act) {
    open(null);
    await act();
}

const STATES = {not_installed: 'not installed', no_route: 'no route to its model', faulty: 'cannot be used'};

/** Agents that can be started come first, and of them the one that was started last. */
const byReadiness = (agents) =>
    [...agents].sort(
        (one, other) => isReady(other) - isReady(one) || (other.name === kept().agent) - (one.name === kept().agent),
    );

const KEPT = 'brig-start'; // what the next start begins with: {agent, paths}
const PATHS_MAX = 12;

function kept() {
    try {
        return {paths: [], ...JSON.parse(localStorage.getItem(KEPT))};
    } catch {
        return {paths: []};
    }
}

function keep(form) {
    const path = form.get('path')?.trim();
    const paths = path ? [path, ...kept().paths.filter((one) => one !== path)].slice(0, PATHS_MAX) : kept().paths;
    localStorage.setItem(KEPT, JSON.stringify({agent: form.get('agent'), paths}));
}

async function findRepositories() {
    repositories = kept().paths;
    const {workspaces} = await get('workspaces').catch(() => ({workspaces: []}));
    repositories = [...new Set([...repositories, ...workspaces.map(({source}) => source)])];
    changed();
}
const isReady = (agent) => !(agent.state in STATES);

/** Those that cannot be started say why, and cannot be chosen. */
const agentChoice = (one) =>
    html`<option value=${one.name} ?disabled=${!isReady(one)}>${one.name}${isReady(one) ? '' : ` – ${STATES[one.state]}`}</option>`;

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
    const choices = byReadiness(agents);
    const chosen = choices.find(({name}) => name === agent) ?? choices[0];
    if (repositories === null) {
        findRepositories();
    }
    return html`<form class="start" @submit=${submit}>
        <label>Agent<select name="agent" required @change=${handleAgent}>${repeat(choices, ({name}) => name, agentChoice)}</select>
            <small class="dim">${chosen?.description ?? ''}</small></label>
        <label>Message<textarea name="prompt" rows="4" autofocus placeholder="What it is to do; without one it waits"></textarea></label>
        <label>Name<input name="task_id" pattern="[A-Za-z0-9][A-Za-z0-9._\\-]{0,127}" placeholder="made from the message if empty"
            title="Letters, digits, dot, underscore and hyphen" autocomplete="off"></label>
        <label>Wall<select name="policy"><option value="">the one of the agent's profile</option>
            ${policies.map(choice)}</select></label>
        <label>Tools<select name="permissions"><option value="">what the agent's profile says: it may ask you or not</option>
            <option value="allow">uses them freely, behind the wall</option><option value="ask">asks me before each</option>
            <option value="deny">uses none that it would have to ask for</option></select></label>
        ${hostChoice()}
        <label>Where<select name="mode" @change=${handleMode}><option value="" selected>a new folder</option>
            <option value="folder">an existing folder</option>
            <option value="worktree">a worktree of a repository</option>
            <option value="copy">a copy of a folder</option></select></label>
        ${
            mode
                ? html`<label>${{worktree: 'Repository', copy: 'Folder to copy', folder: 'Folder'}[mode]}${whose()}<input name="path"
            required pattern="/.*" placeholder="/absolute/path" title="An absolute path" autocomplete="off" list="paths"></label>
            <datalist id="paths">${repositories.map((path) => html`<option value=${path}></option>`)}</datalist>`
                : nothing
        }
        <fieldset class="limits"><legend>Budget</legend>
            <label><span class="sr">Dollars</span><span class="unit">$</span><input name="usd" type="number" min="0.01" max="1000000" step="any" placeholder="any" inputmode="decimal"></label>
            <label><span class="sr">Minutes</span><input name="minutes" type="number" min="1" max="525600" step="1" placeholder="any" inputmode="numeric"><span class="unit">minutes</span></label>
            <label><span class="sr">When the money is used up</span><select name="on_limit"><option value="refuse">then refuse requests</option>
                <option value="ask" selected>ask me at 80 %</option><option value="end">then end it</option></select></label></fieldset>
        <label class="check"><input type="checkbox" name="once"> terminate it when the message is done</label>
        <footer><button type="button" @click=${() => open(null)}>Close</button>
            <button class="primary" ?disabled=${starting}>${starting ? 'Starting…' : 'Start'}</button></footer>
    </form>`;
}
start.title = 'Start a session';

const NAME_WORDS = 5;
const NAME_MAX = 40;

/** A name of the first words of a message, which no session has that is listed; empty where there are no words. */
function madeOf(message) {
    const words = message.toLowerCase().match(/[a-z0-9]+/g) ?? [];
    const name = words.slice(0, NAME_WORDS).join('-').slice(0, NAME_MAX);
    const taken = new Set([...state.sessions, ...state.ended].map((view) => view.task_id));
    let number = 1;
    while (name && taken.has(number === 1 ? name : `${name}-${number}`)) {
        number++;
    }
    return number === 1 ? name : `${name}-${number}`;
}

/** What it may use up; undefined where the form limits nothing. */
function budgetOf(form) {
    const [usd, minutes] = [Number(form.get('usd')), Number(form.get('minutes'))];
    return usd || minutes
        ? {...(usd && {usd}), ...(minutes && {wall_ms: minutes * 60_000}), ...(usd && {on_limit: form.get('on_limit')})}
        : undefined;
}

/** The request that the form stands for. */
function wish(form) {
    const text = (name) => form.get(name).trim();
    const body = {
        agent_config: {name: form.get('agent'), ...(form.get('permissions') && {permissions: form.get('permissions')})},
        once: form.get('once') === 'on',
        client: 'page',
    };
    const put = (name, value) => value && (body[name] = value);
    put('prompt', text('prompt'));
    put('task_id', text('task_id') || madeOf(text('prompt')));
    put('policy', form.get('policy'));
    put('budget', budgetOf(form));
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
    const form = new FormData(event.target);
    const body = wish(form);
    starting = true;
    changed();
    await attempt(async () => {
        const {spawn_id: id} = await post('spawns?wait=15s', body);
        keep(form);
        open(null);
        goTo(id);
    });
    starting = false;
    changed();
}
