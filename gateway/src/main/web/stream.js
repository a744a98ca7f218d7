// The conversation: the rows with search, follow, copy and download, and the scrubber through its
// history.
import {html, live, nothing, ref, svg} from './vendor/lit.js';
import {checkpointMarks, checkpointPart} from './checkpoints.js';
import {count, dateTime, plural, time} from './format.js';
import {icon} from './icons.js';
import {copy, copyLink} from './links.js';
import {frameOf, stayAt} from './route.js';
import {placeOfRow, rowTemplate} from './rows.js';
import {changed, changedNow, whenShown} from './store.js';
import {plainText} from './transcript.js';

const HIDEABLE = {thought: 'thoughts', tool: 'tools', stderr: 'stderr', egress: 'egress'};

export function streamPart(id, model, look) {
    return html`<section class="stream" aria-label="Conversation">
        ${toolbar(id, model, look)}
        ${look.finding ? finder(look) : nothing}
        ${look.list.template('What the session says', (row, index) => placed(id, row, index, look))}
        ${model.record.length ? scrubber(id, model, look) : html`<p class="dim waiting">Nothing was said yet.</p>`}
    </section>`;
}

const placed = (id, row, index, look) =>
    html`<div class="at ${placeOfRow(row, look)} ${index === look.found[look.place] ? 'found' : ''}">${rowTemplate(row, look)}${
        row.kind === 'line' ? nothing : anchor(id, row, look)
    }</div>`;

/** Copies the address of a frame, which the page then has too; the keyboard has this in the palette. */
const anchor = (id, row, look) =>
    html`<a class="anchor" tabindex="-1" href=${frameOf(id, row.seq)} title="Copy a link to this place" aria-label="Copy a link to this place"
        @click=${(event) => takeAddress(event, id, row, look)}>${icon('link')}</a>`;

function takeAddress(event, id, row, look) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) {
        return;
    }
    event.preventDefault();
    look.linked = row.key;
    stayAt(id, row.seq);
    copyLink(frameOf(id, row.seq));
}

const chip = (look) => html`<button class="chip" @click=${() => look.narrow(null)}
    title="Show all agents">only ${look.nameOf(look.agent)}${icon('cross')}</button>`;

function toolbar(id, model, look) {
    return html`<div class="toolbar" role="toolbar" aria-label="Conversation">
        ${look.agent === null ? nothing : chip(look)}
        ${Object.entries(HIDEABLE)
            .filter(([kind]) => look.has(kind))
            .map(
                ([
                    kind,
                    name,
                ]) => html`<label class="toggle"><input type="checkbox" .checked=${live(!look.hidden.has(kind))}
            @change=${(event) => look.hide(kind, !event.target.checked)}>${name}</label>`,
            )}
        <span class="gap"></span>
        <button class="quiet" aria-pressed=${look.finding} @click=${() => toggleFinder(look)}
            title="Search (/)">${icon('search')}Search</button>
        <button class="quiet" aria-pressed=${look.list.follow} @click=${() => toggleFollow(look)}
            title="Follow the newest line (f)">${icon('down')}Follow</button>
        <button class="quiet" @click=${() => copyRows(look)} aria-label="Copy" title="Copy what is shown as text">${icon('copy')}</button>
        <button class="quiet" @click=${() => download(id, model)} aria-label="Download" title="Download every frame, as NDJSON">${icon('save')}</button>
    </div>`;
}

export function toggleFollow(look) {
    if (look.list.follow) {
        look.list.follow = false;
        changed();
    } else {
        look.at = null;
        look.list.followEnd();
    }
}

export function toggleFinder(look) {
    if (look.finding) {
        look.stopFinding();
    } else {
        look.finding = true;
        changedNow();
    }
}

const foundText = ({mark, found, place}) =>
    !mark ? '' : found.length ? `${place + 1} of ${count(found.length)}` : 'not found';

function finder(look) {
    const handleKey = (event) => {
        if (event.key === 'Enter') {
            look.step(event.shiftKey ? 1 : -1);
        } else if (event.key === 'Escape') {
            look.stopFinding();
            document.querySelector('.log')?.focus();
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    };
    return html`<div class="finder" role="search">
        <input type="search" aria-label="Search in the stream" placeholder="Search…"
            .value=${live(look.typed)} ${ref(focusOnce)}
            @input=${(event) => look.find(event.target.value)} @keydown=${handleKey}>
        <span role="status"
            aria-live="polite">${foundText(look)}</span>
        <button class="quiet" @click=${() => look.step(-1)} aria-label="Before (Enter)" title="Before (Enter)">↑</button>
        <button class="quiet" @click=${() => look.step(1)} aria-label="After (Shift+Enter)"
            title="After (Shift+Enter)">↓</button>
        <button class="quiet" @click=${() => look.stopFinding()} aria-label="Close search" title="Close (Esc)">${icon('cross')}</button>
    </div>`;
}

const focusOnce = whenShown((element) => element.focus());

const copyRows = ({rows}) =>
    copy(
        rows.map((row) => plainText(row) + (row.goesOn ? '' : '\n')).join(''),
        `Copied ${plural(rows.length, 'row')}.`,
    );

function download(id, model) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([model.ndjson()], {type: 'application/x-ndjson'}));
    link.download = `${id}.ndjson`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Any moment of the session: what had been said, and the agents as they were. */
function scrubber(id, model, look) {
    const first = model.record.find((entry) => entry.seq > 0)?.seq ?? 1;
    if (model.lastSeq - first < 2) {
        return nothing;
    }
    const at = look.at ?? model.lastSeq;
    const frame = look.at === null ? null : entryAt(model.record, look.at);
    const when = frame?.ts ? `${dateTime(frame.ts)} · ` : '';
    const where = look.at === null ? `now · frame ${at}` : `${when}frame ${at} of ${model.lastSeq}`;
    const handleInput = (event) => {
        const seq = Number(event.target.value);
        look.travel(seq >= model.lastSeq ? null : seq);
    };
    const began = model.record.find((entry) => entry.ts)?.ts;
    return html`${checkpointPart(id, model, look, first, began)}<div class="scrubber ${look.at === null ? '' : 'earlier'}">
        <span class="dim">${began ? time(began) : ''}</span>
        <span class="track">${checkpointMarks(model, look, first, began)}${ticks(model, first)}<input type="range" aria-label="Moment of the session, by frame" min=${first} max=${model.lastSeq}
            .value=${live(String(at))}
            aria-valuetext=${look.at === null ? 'now' : `${when}frame ${at}`} @input=${handleInput}></span>
        <span class="dim where">${where}</span>
        <button ?disabled=${look.at === null} @click=${() => look.travel(null)}>Now</button>
    </div>`;
}

const TICKS_MAX = 200;
const TICKS_WIDTH = 1000;

/** A mark at each message: there the agent began something new. */
function ticks({turns, lastSeq}, first) {
    const step = Math.ceil(turns.length / TICKS_MAX) || 1;
    const path = turns
        .filter((seq, index) => index % step === 0)
        .map((seq) => `M${Math.round(((seq - first) / (lastSeq - first)) * TICKS_WIDTH)} 0V4`)
        .join('');
    return html`<svg class="ticks" viewBox="0 0 ${TICKS_WIDTH} 4" preserveAspectRatio="none" aria-hidden="true">${svg`<path d=${path}/>`}</svg>`;
}

/** The newest entry up to that number; they are in order. */
function entryAt(record, seq) {
    let low = 0;
    let high = record.length - 1;
    while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (record[middle].seq <= seq) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return record[low];
}
