// How each kind of row is drawn. Tools and thoughts are folded until somebody opens them.
import {html, nothing} from './vendor/lit.js';
import {coloured, marked} from './ansi.js';
import {clip, time, tokens, visible} from './format.js';

const AGENT_COLOURS = 6;
const STATUS = {
    completed: '✓',
    failed: '✗',
    running: '●',
    pending: '○',
    spawned: '●',
    killed: '✗',
    lost: '?',
};

/** One row; `view` says what is open, what is searched for, and what to do on a click. */
export function rowTemplate(row, view) {
    const agent =
        row.agent && view.showAgents
            ? html`<button class="who of${view.numberOf(row.agent) % AGENT_COLOURS}" @click=${() => view.narrow(row.agent)}
                title="Show only this agent">${clip(view.nameOf(row.agent), 14)}</button>`
            : nothing;
    return html`${agent}${KINDS[row.kind]?.(row, view) ?? nothing}`;
}

/** Something with a headline that opens. */
function foldable(row, view, kind, head, body) {
    const open = view.isOpen(row);
    return html`<div class="fold ${kind}">
        <button class="head" aria-expanded=${open} @click=${() => view.toggle(row)}><span class="arrow"
            aria-hidden="true"></span>${head}</button>
        ${open ? html`<div class="body">${body()}</div>` : nothing}
    </div>`;
}

const event = (kind, sign, content) =>
    html`<div class="event ${kind}"><span class="sign"
        aria-hidden="true">${sign}</span><span>${content}</span></div>`;

/** Text with what is searched for in marks; without a search nothing is made anew at each drawing. */
const hits = (text, mark) => (mark ? marked(text, mark) : text);

/** What the call is about, of what its input says in the words of the known agents. */
const subject = (input) =>
    input?.command ?? input?.path ?? input?.file_path ?? input?.filePath ?? input?.pattern ?? input?.url;

function toolHead(row, view) {
    const about = [...new Set([row.title, subject(row.input)])].filter((text) => text && typeof text === 'string');
    return html`<span class="status ${row.status}" title=${row.status}>${STATUS[row.status] ?? '·'}</span>
        <span class="name">${row.name || row.toolKind || 'tool'}</span>
        <span class="title">${hits(clip(about.join(' · '), 200), view.mark)}</span>`;
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

/** What a call was given: a command as a shell shows it, an edit as what goes and what comes, else its fields. */
export function given(input, mark) {
    if (typeof input.command === 'string') {
        return html`<pre class="input">$ ${hits(input.command, mark)}</pre>`;
    }
    const lines = (text, kind, sign) => linesOf(text).map((one) => edited(kind, sign, one, mark));
    const before = input.old_string ?? input.oldString;
    const after = input.new_string ?? input.newString;
    if (typeof before === 'string' && typeof after === 'string') {
        return html`<pre class="input">${hits(String(subject(input) ?? ''), mark)}</pre>
            <pre class="edit">${lines(before, 'removed', '−')}${lines(after, 'added', '+')}</pre>`;
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
    return html`<pre class="input">${hits(JSON.stringify(input, null, 2), mark)}</pre>`;
}

function toolBody(row, view) {
    const output = row.output || row.streamed;
    const line = {
        text: output,
        sgr: '',
        version: row.version,
        shown: row.outputShown,
        nodes: row.outputNodes,
    };
    const nodes = coloured(line, view.mark);
    row.outputShown = line.shown;
    row.outputNodes = line.nodes;
    return html`${row.input ? given(row.input, view.mark) : nothing}
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
                '⊘',
                html`blocked ${method} ${where} ${status ?? ''} <span class="dim">${rule}${more}</span>`,
            );
        case 'allowed':
            return event('allowed', '↗', html`reached ${where} <span class="dim">for the first time${more}</span>`);
        default:
            return event('egress', '·', html`${kind} ${where} <span class="dim">${rule}${more}</span>`);
    }
}

const KINDS = {
    line: (row, view) => html`<div class="line ${row.stream}">${coloured(row, view.mark)}</div>`,
    thought: (row, view) =>
        foldable(
            row,
            view,
            'thought',
            html`<span class="name">thought</span> <span
                class="title">${hits(clip(row.text.trim().replace(/\s+/g, ' '), 120), view.mark)}</span>`,
            () => html`<div class="text">${marked(row.text, view.mark)}</div>`,
        ),
    tool: (row, view) => foldable(row, view, 'tool', toolHead(row, view), () => toolBody(row, view)),
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
            html`<span class="status ${row.status}">${STATUS[row.status] ?? '·'}</span>
        <span class="name">${clip(view.nameOf(row.of), 40)}</span> ${row.status} <span
            class="title">${hits(clip(row.text.replace(/\s+/g, ' '), 120), view.mark)}</span>`,
            () => html`<div class="text">${marked(row.text, view.mark)}</div>`,
        ),
    egress: (row, view) => egress(row, view),
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
            allowed ? '✓' : '⊘',
            html`${allowed ? 'allowed' : 'denied'} <b>${row.name}</b>
            ${typeof about === 'string' ? html`<code>${clip(about, 200)}</code>` : nothing}
            <span class="dim">as the agent's profile says</span>`,
        );
    },
    ask: (row) => event('ask', '?', html`asks: ${visible(row.text)} <span class="dim">${time(row.ts)}</span>`),
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
            row.exitCode === 0 ? 'done' : 'error',
            row.exitCode === 0 ? '✓' : '✗',
            html`${['done', row.exitCode && `exit code ${row.exitCode}`, row.signal, row.reason].filter(Boolean).join(', ')}
        <span class="dim">${time(row.ts)} ${tokens(row.usage)}</span>`,
        ),
    state: (row) =>
        event(
            'state',
            '■',
            html`${row.state}${row.reason ? `, ${row.reason}` : ''} <span class="dim">${time(row.ts)}</span>`,
        ),
};
