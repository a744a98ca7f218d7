// How each kind of row is drawn. Messages are bubbles, calls of tools are cards, and a sub-agent heads the thread of what it
// says. Calls that change files are open; others show the end of their output until somebody opens them.
import {html, nothing} from './vendor/lit.js';
import {coloured, marked, plain} from './ansi.js';
import {age, because, clip, howDone, plural, time, tokens, visible} from './format.js';
import {icon} from './icons.js';
import {spoken} from './spoken.js';
import {Threads} from './threads.js';

const AGENT_COLOURS = 6;
const PREVIEW_LINES = 3;
const PREVIEW_CHARS = 400;
const STATUS = {
    completed: 'check',
    failed: 'cross',
    killed: 'cross',
};
const ICONS = [
    [/bash|shell|exec|terminal|command/, 'shell'],
    [/edit|write|patch|change/, 'edit'],
    [/agent|task/, 'agent'],
    [/web|fetch|http|url/, 'globe'],
    [/grep|glob|search|find/, 'search'],
    [/read|file|view|ls/, 'file'],
];

/** One row; `view` says what is open, what is searched for, and what to do on a click. */
export const rowTemplate = (row, view) => KINDS[row.kind]?.(row, view) ?? nothing;

/** The classes by which a row is set: its kind, how deep its thread is, and whose. */
export function placeOfRow(row, view) {
    const depth = Math.min(row.depth ?? 0, 4);
    const whose = depth && row.agent ? ` of${view.numberOf(row.agent) % AGENT_COLOURS}` : '';
    return `k-${row.kind}${depth ? ` in in${depth}` : ''}${whose}${row.key === view.linked ? ' linked' : ''}`;
}

/** Something with a headline that opens; a preview stands below it while it is closed. */
function foldable(row, view, kind, head, body, {otherwise = false, preview = nothing} = {}) {
    const open = view.isOpen(row, otherwise);
    return html`<div class="fold ${kind}">
        <button class="head" aria-expanded=${open} @click=${() => view.toggle(row, otherwise)}>${head}<span class="arrow">${icon('right')}</span></button>
        ${open ? html`<div class="body">${body()}</div>` : preview}
    </div>`;
}

const event = (kind, mark, content) =>
    html`<div class="event ${kind}"><span class="sign"
        aria-hidden="true">${mark}</span><span>${content}</span></div>`;

/** Text with what is searched for in marks; without a search nothing is made anew at each drawing. */
const hits = (text, mark) => (mark ? marked(text, mark) : text);

/** What the call is about, of what its input says in the words of the known agents. */
export const subject = (input) =>
    input?.command ?? input?.pattern ?? input?.path ?? input?.file_path ?? input?.filePath ?? input?.url;

const iconOf = (row) => {
    const name = `${row.name} ${row.toolKind}`.toLowerCase();
    return ICONS.find(([pattern]) => pattern.test(name))?.[1] ?? 'tool';
};

/** How a call or a sub-agent stands: a sign where it is over, a moving dot while it runs. */
const sign = (status) =>
    html`<span class="status ${status}" title=${status}>${STATUS[status] ? icon(STATUS[status]) : html`<span class="dot ${LIVES.has(status) ? 'working' : ''}"></span>`}<span class="sr">${status}</span></span>`;

const LIVES = new Set(['running', 'spawned', 'pending']);

function toolHead(row, view) {
    const about = subject(row.input);
    const texts = [...new Set([row.title, typeof about === 'string' ? about : ''])].filter(
        (text) => text && typeof text === 'string',
    );
    return html`<span class="what">${icon(iconOf(row))}<span class="name">${row.name || row.toolKind || 'tool'}</span></span>
        <span class="title">${hits(clip(texts.join(' · ').replace(/\s+/g, ' '), 200), view.mark)}</span>${sign(row.status)}`;
}

/** Whether a call changes files: those are what a reader wants to see. */
const isEdit = ({input}) =>
    input !== null &&
    ((typeof (input.new_string ?? input.newString) === 'string' &&
        typeof (input.old_string ?? input.oldString) === 'string') ||
        isChanges(input) ||
        isNewFile(input));

const isNewFile = (input) =>
    typeof input.content === 'string' && typeof (input.file_path ?? input.filePath) === 'string';

/** The last lines that a closed call gave, as a terminal would show them. */
function outputPreview(row, view) {
    const output = (row.output || row.streamed).slice(-PREVIEW_CHARS).trimEnd();
    return output
        ? html`<pre class="preview">${hits(plain(linesOf(output).slice(-PREVIEW_LINES).join('\n')), view.mark)}</pre>`
        : nothing;
}

const linesOf = (text) => text.replace(/\n$/, '').split('\n');

const edited = (kind, sign, line, mark) => html`<div class=${kind}>${sign} ${hits(line, mark)}</div>`;

/** Changes of files as Codex tells them: a diff of each file, and only the content of a new or deleted one. */
const isChanges = (input) =>
    Object.keys(input).length === 1 &&
    Array.isArray(input.changes) &&
    input.changes.length > 0 &&
    input.changes.every((one) => typeof one?.path === 'string' && typeof one.diff === 'string');

function diffLine(line, mark) {
    switch (line[0]) {
        case '+':
            return edited('added', '+', line.slice(1), mark);
        case '-':
            return edited('removed', '−', line.slice(1), mark);
        case '@':
            return edited('hunk', '', line, mark);
        default:
            return edited('', ' ', line.slice(1), mark);
    }
}

/**
 * What a call was given: a command as a shell shows it, an edit as what goes and what comes, else its fields.
 *
 * @param isNamed whether the file of an edit stands above already
 */
export function given(input, mark, isNamed = false) {
    if (typeof input.command === 'string') {
        return html`<pre class="input">$ ${hits(input.command, mark)}</pre>`;
    }
    const lines = (text, kind, sign) => linesOf(text).map((one) => edited(kind, sign, one, mark));
    const before = input.old_string ?? input.oldString;
    const after = input.new_string ?? input.newString;
    if (typeof before === 'string' && typeof after === 'string') {
        return html`${isNamed ? nothing : html`<pre class="input">${hits(String(subject(input) ?? ''), mark)}</pre>`}
            <pre class="edit">${lines(before, 'removed', '−')}${lines(after, 'added', '+')}</pre>`;
    }
    if (isNewFile(input)) {
        return html`${isNamed ? nothing : html`<pre class="input">${hits(String(subject(input)), mark)}</pre>`}
            <pre class="edit">${lines(input.content, 'added', '+')}</pre>`;
    }
    if (isChanges(input)) {
        return input.changes.map(({path, kind, diff}) => {
            const more = {add: ' (new)', delete: ' (deleted)'}[kind?.type] ?? '';
            const to = typeof kind?.move_path === 'string' ? ` → ${kind.move_path}` : '';
            const shown =
                kind?.type === 'add'
                    ? lines(diff, 'added', '+')
                    : kind?.type === 'delete'
                      ? lines(diff, 'removed', '−')
                      : linesOf(diff).map((one) => diffLine(one, mark));
            return html`<pre class="input">${hits(path + more + to, mark)}</pre>
                <pre class="edit">${shown}</pre>`;
        });
    }
    const fields = Object.entries(input);
    return fields.every(([, value]) => value === null || typeof value !== 'object')
        ? html`<dl class="given">${fields.map(([name, value]) => html`<dt>${hits(visible(name), mark)}</dt><dd>${hits(visible(value), mark)}</dd>`)}</dl>`
        : html`<pre class="input">${hits(JSON.stringify(input, null, 2), mark)}</pre>`;
}

function toolBody(row, view) {
    const output = row.output || row.streamed;
    const nodes = output ? view.made.of(row, view.mark, () => coloured(output, view.mark)) : nothing;
    return html`${row.input ? given(row.input, view.mark, true) : nothing}
        ${output ? html`<pre class="output">${nodes}</pre>` : nothing}`;
}

function egress(row, view) {
    const {kind, host = '', port = '', method = '', path = '', rule = '', status, dropped} = row.frame;
    const where = html`<b>${host}${port ? `:${port}` : ''}</b>${path ? clip(path, 80) : ''}`;
    const more = dropped ? ` (${dropped} before it are left out)` : '';
    switch (kind) {
        case 'blocked':
            return event(
                'blocked',
                icon('stop'),
                html`blocked ${method} ${where} ${status ?? ''} <span class="dim">${rule}${more}</span>`,
            );
        case 'allowed':
            return event(
                'allowed',
                icon('globe'),
                html`reached ${where} <span class="dim">for the first time${more}</span>`,
            );
        case 'throttled_by_provider':
            return event('egress', '·', html`${where} limits the rate: requests wait for their turn`);
        case 'provider_resumed':
            return event('egress', '·', html`${where} takes requests again <span class="dim">${more}</span>`);
        default:
            return event('egress', '·', html`${kind} ${where} <span class="dim">${rule}${more}</span>`);
    }
}

function said(row, view) {
    const {kind, nodes} = view.made.of(row, view.mark, () => spoken(row, view.mark));
    return html`<div class="line ${kind}">${nodes}</div>`;
}

/** A sub-agent: whose thread stands below, how it is doing, and what it reported. */
function thread(row, view) {
    const node = view.nodeOf(row.of) ?? {status: 'unknown', prompt: '', type: ''};
    const open = !view.isFolded(row.of);
    const name = view.nameOf(row.of);
    const lasts = node.startedMs && node.endedMs ? age(node.endedMs - node.startedMs) : '';
    const facts = [node.type === name ? '' : node.type, plural(row.tools, 'tool call'), lasts]
        .filter(Boolean)
        .join(' · ');
    const outcome = node.error || node.summary;
    return html`<div class="fold thread of${view.numberOf(row.of) % AGENT_COLOURS}">
        <button class="head" aria-expanded=${open} @click=${() => view.toggle(row, !Threads.isOver(node))}>
            <span class="what">${icon('agent')}<span class="name">${clip(name, 80)}</span></span>
            <span class="title">${facts}</span>${sign(node.status)}<span class="arrow">${icon('right')}</span></button>
        ${outcome ? html`<p class="outcome">${hits(clip(outcome, 300), view.mark)}</p>` : nothing}
        <button class="quiet only" @click=${() => view.narrow(row.of)} title="Show only this agent">only this</button>
    </div>`;
}

const KINDS = {
    line: said,
    thread,
    thought: (row, view) =>
        foldable(
            row,
            view,
            'thought',
            html`<span class="what">${icon('thought')}<span class="name">Thought</span></span>
                <span class="title">${hits(clip(row.text.trim().replace(/\s+/g, ' '), 120), view.mark)}</span>`,
            () => html`<div class="text">${marked(row.text, view.mark)}</div>`,
        ),
    tool: (row, view) =>
        foldable(row, view, 'tool', toolHead(row, view), () => toolBody(row, view), {
            otherwise: isEdit(row) || row.status === 'failed',
            preview: iconOf(row) === 'shell' ? outputPreview(row, view) : nothing,
        }),
    raw: (row, view) =>
        foldable(
            row,
            view,
            'raw',
            html`<span class="name">raw</span> <span class="title">${hits(clip(row.text, 120), view.mark)}</span>`,
            () => html`<pre>${marked(row.text, view.mark)}</pre>`,
        ),
    subagent: (row, view) =>
        foldable(
            row,
            view,
            'subagent',
            html`<span class="what">${icon('agent')}<span class="name">${clip(view.nameOf(row.of), 40)}</span></span>
                <span class="title">${row.status} ${hits(clip(row.text.replace(/\s+/g, ' '), 120), view.mark)}</span>${LIVES.has(row.status) ? sign(view.nodeOf(row.of)?.status ?? row.status) : sign(row.status)}`,
            () => html`<div class="text">${marked(row.text, view.mark)}</div>`,
        ),
    egress: (row, view) => egress(row, view),
    budget: (row) =>
        event(
            row.refused ? 'blocked' : row.percent >= 80 ? 'warning' : 'budget',
            icon('coin'),
            html`${visible(row.text)} <span class="dim">${time(row.ts)}</span>`,
        ),
    restored: (row) => event('state', icon('back'), html`${row.text} <span class="dim">${time(row.ts)}</span>`),
    plan: (row) =>
        html`<ul class="plan">${row.entries.map(
            (entry) => html`<li class=${entry.status}>
        <span aria-hidden="true">${{completed: '☑', in_progress: '▶'}[entry.status] ?? '☐'}</span>
        ${entry.content}<span class="sr"> ${entry.status}</span></li>`,
        )}</ul>`,
    permission: (row) => {
        const about = subject(row.input);
        const allowed = row.decision === 'allow';
        return event(
            allowed ? 'allowed' : 'blocked',
            allowed ? icon('check') : icon('stop'),
            html`${allowed ? 'allowed' : 'denied'} <b>${row.name}</b>
            ${typeof about === 'string' ? html`<code>${clip(about, 200)}</code>` : nothing}
            <span class="dim">as the agent's profile says</span>`,
        );
    },
    ask: (row) =>
        event('ask', icon('inbox'), html`asks: ${visible(row.text)} <span class="dim">${time(row.ts)}</span>`),
    answered: (row) => event('answered', '·', html`${visible(row.text)} <span class="dim">${time(row.ts)}</span>`),
    error: (row) =>
        event(
            row.retrying ? 'warning' : 'error',
            '!',
            html`${row.text} <span class="dim">${row.code}${row.retrying ? ', tries again' : ''}</span>`,
        ),
    session: (row) => event('session', '◆', row.text),
    message: (row, view) =>
        html`<div class="sent"><span class="dim">${[row.by, row.via && `by ${row.via}`, time(row.ts)]
            .filter(Boolean)
            .join(' · ')}</span><div>${marked(row.text, view.mark)}</div></div>`,
    gap: (row) =>
        event(
            'gap',
            '⋯',
            row.reason === 'epoch_changed'
                ? 'The stream was lost here, and begins again.'
                : `Frames ${row.from} to ${row.to} are not here (${row.reason}).`,
        ),
    done: (row) =>
        event(
            row.reason === 'cancelled' ? 'state' : row.exitCode === 0 ? 'done' : 'error',
            row.reason === 'cancelled' ? icon('stop') : row.exitCode === 0 ? icon('check') : icon('cross'),
            html`${howDone(row)} <span class="dim">${time(row.ts)} ${tokens(row.usage)}</span>`,
        ),
    state: (row) =>
        event(
            'state',
            '■',
            html`${row.state}${row.reason ? `, ${because(row.reason)}` : ''} <span class="dim">${time(row.ts)}</span>`,
        ),
};
