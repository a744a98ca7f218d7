// What the session changed in its worktree, as git tells it, with the words that differ within a line.
import {html, nothing} from './vendor/lit.js';
import {get, isAdmin, post, Refusal, remove} from './api.js';
import {drives} from './ending.js';
import {dateTime, plural} from './format.js';
import {changed, confirmFirst, tell} from './store.js';

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
            const texts = answer.diff.split(/^diff --git /m).slice(1);
            entry.files = library.parsePatch(answer.diff).map((patch, index) => file(patch, texts[index] ?? ''));
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
        ${entry.text ? actions(id, view, entry) : nothing}
        ${entry.said ? html`<p class="problem" role="status">${entry.said}</p>` : nothing}
        ${entry.files?.length > 1 ? contents(entry.files) : nothing}
        ${entry.files?.length === 0 ? unchanged(view) : nothing}
        ${entry.files?.map(
            (
                one,
                index,
            ) => html`<details id=${`file-${index}`} ?open=${one.lines.length <= LINES_OPEN}><summary><code>${one.name}</code>
            ${one.badges.map((badge) => html`<span class="pill">${badge}</span> `)}${numbers(one)}</summary>
            <div class="diff" role="group" aria-label=${`Changes of ${one.name}`}
                tabindex="0"><table><tbody>${one.lines.map(line)}</tbody></table></div></details>`,
        )}
    </section>`;
}

const numbers = (one) =>
    one.lines.length
        ? html`<span class="added">+${one.added}</span> <span class="removed">−${one.removed}</span>`
        : nothing;

/** The files by name; a click shows one. */
const contents = (files) =>
    html`<ul class="files" aria-label="Files">${files.map(
        (one, index) => html`<li><button class="quiet" @click=${() => show(index)}><code>${one.name}</code>
        ${one.badges.map((badge) => html`<span class="dim">${badge}</span> `)}${numbers(one)}</button></li>`,
    )}</ul>`;

function show(index) {
    const details = document.getElementById(`file-${index}`);
    details.open = true;
    details.scrollIntoView({block: 'start'});
}

function actions(id, view, entry) {
    const mine = view && drives(view);
    return html`<p class="actions">
        <button @click=${() => copyPatch(entry)}>Copy patch</button>
        ${mine && entry.branch ? html`<button class="primary" @click=${() => apply(id, entry)}>Apply</button>` : nothing}
        ${
            view?.ended_ms && isAdmin()
                ? html`<button class="danger" @click=${() => askToDiscard(id, view)}>Discard…</button>`
                : nothing
        }</p>`;
}

const copyPatch = (entry) =>
    navigator.clipboard.writeText(entry.text).then(
        () => tell('Copied. In the repository: git apply'),
        () => tell('The browser does not allow copying here.', 'error'),
    );

/** Takes the changes over into the repository, or says what is in the way; then nothing was changed there. */
async function apply(id, entry) {
    entry.said = '';
    try {
        const answer = await post(`spawns/${id}/apply`, {});
        if (answer.conflicts.length) {
            entry.said = `Nothing was changed in ${answer.repository}: ${answer.conflicts.join('; ')}`;
        } else if (answer.withheld.length) {
            const files = answer.withheld.map((one) => `${one.path} (${one.reason})`).join(', ');
            entry.said = `Nothing was changed in ${answer.repository}. These have to be named: ${files}. In a terminal: brig apply ${id} --allow FILE`;
        } else {
            tell(answer.patch ? `Applied to ${answer.repository}.` : `${answer.repository} has all of it already.`);
        }
    } catch (failure) {
        tell(failure instanceof Refusal ? failure.message : 'The gateway does not answer.', 'error');
    }
    changed();
}

function askToDiscard(id, view) {
    confirmFirst({
        what: `The workspace of ${view.task_id} will be removed, with all changes in it and its branch.`,
        verb: 'Discard',
        act: () => discard(id),
    });
}

async function discard(id) {
    try {
        await remove(`workspaces/${id}`);
        known.delete(id);
        tell('Discarded.');
    } catch (failure) {
        tell(failure instanceof Refusal ? failure.message : 'The gateway does not answer.', 'error');
    }
    changed();
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

/** @param text the file's part of the patch, behind its first words */
function file(patch, text) {
    const lines = patch.hunks.flatMap(hunk);
    const number = (kind) => lines.filter((one) => one.kind === kind).length;
    const badges = [
        patch.isCreate && 'new',
        patch.isDelete && 'deleted',
        patch.isRename && `renamed from ${patch.oldFileName.replace(/^a\//, '')}`,
        patch.newMode === '100755' && 'executable',
        patch.newMode === '120000' && 'link',
        !lines.length && /^(GIT binary patch|Binary files )/m.test(text) && 'binary',
    ].filter(Boolean);
    return {name: nameOf(patch), lines, badges, added: number('added'), removed: number('removed')};
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
