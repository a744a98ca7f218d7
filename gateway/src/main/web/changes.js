// What the session changed in its worktree, as git tells it, with the words that differ within a line.
import {html, nothing} from './vendor/lit.js';
import {get, Refusal} from './api.js';
import {dateTime, plural} from './format.js';
import {changed} from './store.js';

const AGAIN_MS = 5000;
const LINES_OPEN = 800; // a file with more is folded
const WORDS_LINES_MAX = 2000; // beyond, only lines are compared

let library = null;
const known = new Map(); // by session: {files, branch, truncated, refusal, atMs}

/** Asks for the difference when it is looked at, and again while it is. */
async function load(id) {
    const entry = known.get(id) ?? {atMs: 0};
    known.set(id, entry);
    if (Date.now() - entry.atMs < AGAIN_MS) {
        return;
    }
    entry.atMs = Date.now();
    try {
        library ??= await import('./vendor/diff.js');
        const answer = await get(`spawns/${id}/diff`);
        if (answer.diff !== entry.text) {
            entry.files = library.parsePatch(answer.diff).map(file);
        }
        Object.assign(entry, {
            text: answer.diff,
            branch: answer.branch,
            truncated: answer.truncated,
            refusal: null,
            askedMs: Date.now(),
        });
    } catch (failure) {
        entry.refusal = failure instanceof Refusal ? failure.message : 'The gateway does not answer.';
    }
    changed();
}

export function changesPart(id, view) {
    load(id);
    const entry = known.get(id);
    if (entry.refusal && !entry.files) {
        return html`<section class="changes" aria-label="Changes"><p class="empty">${entry.refusal}</p>
            <p class="dim">Sessions in a worktree or a copy (<code>--repository</code>, <code>--copy</code>) tell what
                they changed.</p></section>`;
    }
    return html`<section class="changes" aria-label="Changes" tabindex="0">
        <p class="dim">${entry.files ? plural(entry.files.length, 'file') : 'Asking git…'}
            ${entry.branch ? html`· <code>${entry.branch}</code>` : nothing}
            ${entry.askedMs ? `· as of ${dateTime(entry.askedMs)}` : nothing}
            ${entry.truncated ? '· cut off, there is more in the workspace' : nothing}</p>
        ${entry.files?.length === 0 ? unchanged(view) : nothing}
        ${entry.files?.map(
            (one) => html`<details ?open=${one.lines.length <= LINES_OPEN}><summary><code>${one.name}</code>
            <span class="added">+${one.added}</span> <span class="removed">−${one.removed}</span></summary>
            <div class="diff" role="group" aria-label=${`Changes of ${one.name}`}
                tabindex="0"><table><tbody>${one.lines.map(line)}</tbody></table></div></details>`,
        )}
    </section>`;
}

const unchanged = (view) => html`<p class="empty">Nothing has changed${view?.ended_ms ? '' : ' yet'}.</p>`;

const textOf = (one) =>
    one.words?.map((word) => (word.differs ? html`<mark>${word.value}</mark>` : word.value)) ?? one.text;

const line = (one) => html`<tr class=${one.kind}><td class="number">${one.from ?? ''}</td><td
    class="number">${one.to ?? ''}</td>
    <td class="text">${textOf(one)}</td></tr>`;

const nameOf = (patch) =>
    (patch.newFileName === '/dev/null' ? patch.oldFileName : (patch.newFileName ?? patch.index ?? '')).replace(
        /^[ab]\//,
        '',
    );

function file(patch) {
    const lines = patch.hunks.flatMap(hunk);
    const number = (kind) => lines.filter((one) => one.kind === kind).length;
    return {name: nameOf(patch), lines, added: number('added'), removed: number('removed')};
}

function hunk(part) {
    let from = part.oldStart;
    let to = part.newStart;
    const lines = [{kind: 'hunk', text: `@@ ${part.oldStart},${part.oldLines} → ${part.newStart},${part.newLines}`}];
    for (const raw of part.lines) {
        const text = raw.slice(1);
        switch (raw[0]) {
            case '+':
                lines.push({kind: 'added', text, to: to++});
                break;
            case '-':
                lines.push({kind: 'removed', text, from: from++});
                break;
            case ' ':
                lines.push({kind: 'same', text, from: from++, to: to++});
                break;
            default:
                lines.push({kind: 'hunk', text: raw});
        }
    }
    if (lines.length < WORDS_LINES_MAX) {
        compareWords(lines);
    }
    return lines;
}

/** Lines that stand for one another: as many removed as added ones behind them. */
function compareWords(lines) {
    for (let i = 0; i < lines.length;) {
        const removed = run(lines, i, 'removed');
        const added = run(lines, i + removed, 'added');
        if (removed > 0 && removed === added) {
            for (let k = 0; k < removed; k++) {
                compare(lines[i + k], lines[i + removed + k]);
            }
        }
        i += Math.max(1, removed + added);
    }
}

function run(lines, from, kind) {
    let length = 0;
    while (lines[from + length]?.kind === kind) {
        length++;
    }
    return length;
}

function compare(before, after) {
    const parts = library.diffWordsWithSpace(before.text, after.text);
    before.words = parts.filter((part) => !part.added).map((part) => ({value: part.value, differs: part.removed}));
    after.words = parts.filter((part) => !part.removed).map((part) => ({value: part.value, differs: part.added}));
}
