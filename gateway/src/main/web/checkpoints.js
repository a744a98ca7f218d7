// The checkpoints of a session's worktree: marks on the scrubber, what is known of the one that is looked at, and for who
// drives the session the ways on from there: a fork, or back.
import {html, nothing, ref} from './vendor/lit.js';
import {attempt, get, isOffline, mayStart, post, Refusal} from './api.js';
import {drives} from './ending.js';
import {dateTime} from './format.js';
import {goTo} from './route.js';
import {changed, confirmFirst, open} from './store.js';
import {viewing} from './viewing.js';
import {titleOf, viewOf} from './watch.js';

const MARKS_MAX = 500; // the newest; more could not be told apart

const CAUSES = {
    beginning: 'what the session began with',
    asked: 'by hand',
    message: 'automatic, before a message',
};

const causeOf = ({cause, restored}) =>
    cause === 'restore' ? `automatic, before going back to ${restored}` : (CAUSES[cause] ?? '');

const nameOf = (one) =>
    [`Checkpoint ${one.seq}`, one.ts ? dateTime(one.ts) : '', causeOf(one)].filter(Boolean).join(', ');

/** All that the stream tells of, with the frame at which each is looked at. Who has any has the beginning too. */
function marked({checkpoints}, first, began) {
    const at = checkpoints.slice(-MARKS_MAX).map((one) => ({...one, at: one.seq}));
    return at.length ? [{seq: 0, at: first, ts: began, cause: 'beginning'}, ...at] : at;
}

const chosen = (marks, look) => marks.find((one) => one.at === look.at);

const placedAt = (part) => ref((element) => element && (element.style.left = `${part * 100}%`));

/** One stop of the Tab key; arrows lead from mark to mark. */
export function checkpointMarks(model, look, first, began) {
    const marks = marked(model, first, began);
    const current = chosen(marks, look);
    const stop = current ?? marks.at(-1);
    return marks.length
        ? html`<div class="marks" role="toolbar" aria-label="Checkpoints" @keydown=${stepAlong}>${marks.map(
              (one) => html`<button class="mark" tabindex=${one === stop ? 0 : -1} aria-pressed=${one === current}
            aria-label=${nameOf(one)} title=${nameOf(one)} @click=${() => choose(one, look)}
            ${placedAt((one.at - first) / (model.lastSeq - first))}></button>`,
          )}</div>`
        : nothing;
}

function choose(one, look) {
    look.checkpoints.number = -1; // asks anew
    look.travel(one.at);
}

function stepAlong(event) {
    const buttons = [...event.currentTarget.children];
    const here = buttons.indexOf(event.target);
    const next = {ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: buttons.length - 1}[event.key];
    if (next !== undefined) {
        event.preventDefault();
        buttons[next]?.focus();
    }
}

/** Which are still there, asked for again when there is one more. */
async function load(id, entry, number) {
    if (entry.number === number) {
        return;
    }
    entry.number = number;
    try {
        const {checkpoints} = await get(`spawns/${id}/checkpoints`);
        Object.assign(entry, {kept: new Set(checkpoints.map(({seq}) => seq)), refusal: ''});
    } catch (failure) {
        entry.refusal = failure instanceof Refusal ? failure.message : 'The gateway does not answer.';
    }
    changed();
}

/** What is known of the checkpoint that is looked at, and what can be done with it. */
export function checkpointPart(id, model, look, first, began) {
    const one = chosen(marked(model, first, began), look);
    if (!one) {
        return nothing;
    }
    const view = viewOf(id);
    return html`<div class="checkpoint" role="group" aria-label=${`Checkpoint ${one.seq}`}>
        <span role="status"><b>Checkpoint ${one.seq}</b>${one.ts ? ` · ${dateTime(one.ts)}` : ''} · ${causeOf(one)}</span>
        ${view && drives(view) ? waysOn(view, one, model, look.checkpoints) : nothing}</div>`;
}

function waysOn(view, one, model, entry) {
    load(view.spawn_id, entry, model.checkpoints.length);
    if (entry.refusal || !entry.kept) {
        return html`<span>${entry.refusal || 'Asking whether it is still there…'}</span>`;
    }
    if (!entry.kept.has(one.seq)) {
        return html`<span>It is no longer kept.</span>`;
    }
    return html`<span class="actions">${
        mayStart()
            ? html`<button ?disabled=${isOffline()} title="Starts a session that begins here; this one stays as it is"
                @click=${() => askToFork(view, one.seq)}>Fork from here…</button>`
            : nothing
    }<button ?disabled=${isOffline()} title="Makes the worktree of this session what it was here"
            @click=${() => askToRestore(view, one.seq)}>Restore…</button></span>`;
}

function askToRestore(view, seq) {
    confirmFirst({
        what: `The worktree of ${titleOf(view)} becomes what it was at checkpoint ${seq}. What is there now becomes a checkpoint first. The agent is not told.`,
        verb: 'Restore',
        isSafe: true,
        act: () => restore(view.spawn_id, seq),
    });
}

async function restore(id, seq) {
    let kept = null;
    await attempt(
        async () => {
            kept = await post(`spawns/${id}/restore`, {at: seq});
            viewing(id).travel(null);
        },
        () => `The worktree is what it was at checkpoint ${seq}; what was there before is checkpoint ${kept.seq}.`,
    );
}

let origin = null; // of the fork that is asked for: the view of a session, and the number of its checkpoint
let starting = false;

function askToFork(view, seq) {
    origin = {view, seq};
    open('fork');
}

/** A dialogue. */
export function fork() {
    return html`<form @submit=${submit}><p>A session of its own, with the files that <b>${titleOf(origin.view)}</b> had at checkpoint ${origin.seq},
            and its agent, wall and limits. ${titleOf(origin.view)} stays as it is.</p>
        <label>Message<textarea name="prompt" rows="3" autofocus placeholder="What it is to do; without one it waits"></textarea></label>
        <label>Name<input name="task_id" pattern="[A-Za-z0-9][A-Za-z0-9._\\-]{0,127}" placeholder="made for you if empty"
            title="Letters, digits, dot, underscore and hyphen" autocomplete="off"></label>
        <label class="check"><input type="checkbox" name="once"> terminate it when the message is done</label>
        <footer><button type="button" @click=${() => open(null)}>Close</button>
            <button class="primary" ?disabled=${starting}>${starting ? 'Starting…' : 'Fork'}</button></footer></form>`;
}
fork.title = 'Fork from a checkpoint';

async function submit(event) {
    event.preventDefault();
    const form = new FormData(event.target);
    const {view, seq} = origin;
    const [prompt, name] = [form.get('prompt').trim(), form.get('task_id').trim()];
    starting = true;
    changed();
    await attempt(async () => {
        const {spawn_id: id} = await post(`spawns/${view.spawn_id}/fork`, {
            at: seq,
            ...(prompt && {prompt}),
            ...(name && {task_id: name}),
            ...(form.get('once') === 'on' && {once: true}),
        });
        open(null);
        goTo(id);
    });
    starting = false;
    changed();
}
