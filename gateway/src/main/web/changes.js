// What the session changed in its worktree, as git tells it, with the words that differ within a line.
import {html, nothing} from './vendor/lit.js';
import {get, isAdmin, post, Refusal, remove} from './api.js';
import {drives} from './ending.js';
import {dateTime, plural, time} from './format.js';
import {copy} from './links.js';
import {placeOf} from './route.js';
import {changed, confirmFirst, state, tell} from './store.js';
import {viewing} from './viewing.js';
import {titleOf, viewOf} from './watch.js';

const AGAIN_MS = 5000;
const BRIEF_FILES = 8;
const LINES_OPEN = 800; // a file with more is folded
const WORDS_LINES_MAX = 2000; // beyond, only lines are compared

let library = null;

/** Asks for the difference when it is looked at, and again while it is; a glance asks again only after another turn or call. */
async function load(id, entry, turn = null) {
    if (Date.now() - entry.atMs < AGAIN_MS || (turn !== null && entry.turn === turn)) {
        return;
    }
    Object.assign(entry, {atMs: Date.now(), turn: turn ?? entry.turn});
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

/** The files that are changed, in short; nothing where the session has no changes that could be told. */
export function changesBrief(id, look, turn) {
    load(id, look.changes, turn);
    const {files, refusal} = look.changes;
    if (!files) {
        return refusal ? null : html`<p class="dim">Asking git…</p>`;
    }
    const sum = (of) => files.reduce((all, one) => all + one[of], 0);
    return files.length
        ? html`<p>${plural(files.length, 'file')} ${sum('added') ? html`<span class="added">+${sum('added')}</span>` : nothing} ${sum('removed') ? html`<span class="removed">−${sum('removed')}</span>` : nothing}</p>
            <ul class="files">${files
                .slice(0, BRIEF_FILES)
                .map((one) => html`<li><code title=${one.name}>${one.name}</code>${numbers(one)}</li>`)}</ul>
            <a class="button" href=${placeOf(id, 'changes')}>Review${files.length > BRIEF_FILES ? ` all ${files.length}` : ''}</a>`
        : html`<p class="dim">Nothing has changed yet.</p>`;
}

/** The changes of a session, beside those of another one of the same origin where a person chose one. */
export function changesPart(id, view, look) {
    const relatives = view ? relativesOf(view) : [];
    const beside = relatives.find((one) => one.spawn_id === look.beside);
    const choice = relatives.length ? choiceOf(relatives, beside, look) : nothing;
    return html`${side(id, view, look, choice, beside ? titleOf(view) : '')}
        ${beside ? side(beside.spawn_id, beside, viewing(beside.spawn_id), nothing, titleOf(beside)) : nothing}`;
}

/** The session that it and all its forks came from. */
function originOf(view) {
    let id = view.spawn_id;
    for (let from = view.forked_from; from; from = viewOf(id)?.forked_from) {
        id = from.spawn_id;
    }
    return id;
}

/** The others whose worktrees began at the same commit. */
function relativesOf(view) {
    const origin = originOf(view);
    return [...state.sessions, ...state.ended].filter(
        (one) => one.spawn_id !== view.spawn_id && originOf(one) === origin,
    );
}

function choiceOf(relatives, beside, look) {
    const handleChange = (event) => {
        look.beside = event.target.value;
        changed();
    };
    return html`<label class="beside">Beside <select name="beside" @change=${handleChange}>
        <option value="" ?selected=${!beside}>no other session</option>
        ${relatives.map((one) => html`<option value=${one.spawn_id} ?selected=${one === beside}>${titleOf(one)}</option>`)}
    </select></label>`;
}

/** @param title where there are two */
function side(id, view, look, choice, title) {
    const entry = look.changes;
    const label = title ? `Changes of ${title}` : 'Changes';
    const heading = title ? html`<h2>${title}</h2>` : nothing;
    load(id, entry);
    if (entry.refusal && !entry.files) {
        return html`<section class="changes" aria-label=${label}>${heading}${choice}<p class="empty">${entry.refusal}</p>
            <p class="dim">Sessions in a worktree or a copy (<code>--repository</code>, <code>--copy</code>) tell what
                they changed.</p></section>`;
    }
    return html`<section class="changes" aria-label=${label} tabindex="0">${heading}${choice}
        <p class="dim">${entry.files ? plural(entry.files.length, 'file') : 'Asking git…'}
            ${entry.branch ? html`· <code>${entry.branch}</code>` : nothing}
            ${entry.askedMs ? `· as of ${dateTime(entry.askedMs)}` : nothing}
            ${entry.truncated ? '· cut off, there is more in the workspace' : nothing}</p>
        ${entry.text ? actions(id, view, look) : nothing}
        ${entry.said ? html`<p class="problem" role="status">${entry.said}</p>` : nothing}
        ${entry.files?.length > 1 ? contents(id, entry.files) : nothing}
        ${entry.files?.length === 0 ? unchanged(view) : nothing}
        ${entry.files?.map(
            (
                one,
                index,
            ) => html`<details id=${fileId(id, index)} ?open=${one.lines.length <= LINES_OPEN}><summary><code>${one.name}</code>
            ${one.badges.map((badge) => html`<span class="pill">${badge}</span> `)}${numbers(one)}</summary>
            <div class="diff" role="group" aria-label=${`Changes of ${one.name}`}
                tabindex="0"><table><tbody>${one.lines.map(line)}</tbody></table></div></details>`,
        )}
    </section>`;
}

const numbers = (one) =>
    one.lines.length
        ? html`${one.added ? html`<span class="added">+${one.added}</span> ` : nothing}${one.removed ? html`<span class="removed">−${one.removed}</span>` : nothing}`
        : nothing;

/** The files by name; a click shows one. */
const contents = (id, files) =>
    html`<ul class="files" aria-label="Files">${files.map(
        (one, index) => html`<li><button class="quiet" @click=${() => show(id, index)}><code>${one.name}</code>
        ${one.badges.map((badge) => html`<span class="dim">${badge}</span> `)}${numbers(one)}</button></li>`,
    )}</ul>`;

const fileId = (id, index) => `file-${id}-${index}`;

function show(id, index) {
    const details = document.getElementById(fileId(id, index));
    details.open = true;
    // The list alone moves, and not the page around it.
    const list = details.closest('.changes');
    list.scrollBy({top: details.getBoundingClientRect().top - list.getBoundingClientRect().top});
}

function actions(id, view, look) {
    const entry = look.changes;
    const mine = view && drives(view);
    return html`<p class="actions">
        <button @click=${() => copyPatch(entry)}>Copy patch</button>
        ${mine && entry.branch ? html`<button class=${isApplied(entry) ? '' : 'primary'} @click=${() => askToApply(id, view, entry)}>${isApplied(entry) ? 'Apply again…' : 'Apply…'}</button>` : nothing}
        ${entry.applied ? html`<span class="dim" role="status">Applied to ${entry.applied.where} at ${time(entry.applied.ms)}${isApplied(entry) ? '' : ', and changed since'}.</span>` : nothing}
        ${
            view?.ended_ms && isAdmin()
                ? html`<button class="danger" @click=${() => askToDiscard(id, view, look)}>Discard…</button>`
                : nothing
        }</p>`;
}

const copyPatch = (entry) => copy(entry.text, 'Copied. In the repository: git apply');

const isApplied = ({applied, text}) => applied?.text === text;

function askToApply(id, view, entry) {
    confirmFirst({
        what: `The changes of ${titleOf(view)} (${plural(entry.files.length, 'file')}) are taken over into its repository, as changes that are not committed. Where they do not fit, nothing is changed there.`,
        verb: 'Apply',
        isSafe: true,
        act: () => apply(id, entry),
    });
}

/** Takes the changes over into the repository, or says what is in the way; then nothing was changed there. */
async function apply(id, entry) {
    entry.said = '';
    const {text} = entry;
    try {
        const answer = await post(`spawns/${id}/apply`, {});
        if (answer.conflicts.length) {
            entry.said = `Nothing was changed in ${answer.repository}: ${answer.conflicts.join('; ')}`;
        } else if (answer.withheld.length) {
            const files = answer.withheld.map((one) => `${one.path} (${one.reason})`).join(', ');
            entry.said = `Nothing was changed in ${answer.repository}. These have to be named: ${files}. In a terminal: brig apply ${id} --allow FILE`;
        } else {
            entry.applied = {where: answer.repository, text, ms: Date.now()};
            tell(answer.patch ? `Applied to ${answer.repository}.` : `${answer.repository} has all of it already.`);
        }
    } catch (failure) {
        tell(failure instanceof Refusal ? failure.message : 'The gateway does not answer.', 'error');
    }
    changed();
}

function askToDiscard(id, view, look) {
    confirmFirst({
        what: `The workspace of ${titleOf(view)} will be removed, with all changes in it and its branch.`,
        verb: 'Discard',
        act: () => discard(id, look),
    });
}

async function discard(id, look) {
    try {
        await remove(`workspaces/${id}`);
        look.changes = {atMs: 0, turn: null};
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
