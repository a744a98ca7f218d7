// What the session says: the rows with search, follow, copy and download, and the scrubber through its
// history.
import {html, live, nothing, ref, svg} from './vendor/lit.js';
import {count, dateTime, plural, time} from './format.js';
import {rowTemplate} from './rows.js';
import {changed, changedNow, tell, whenShown} from './store.js';
import {plainText} from './transcript.js';

const HIDEABLE = {thought: 'thoughts', tool: 'tools', stderr: 'stderr', egress: 'egress'};

export function streamPart(id, model, look) {
    return html`<section class="stream" aria-label="Stream">
        ${toolbar(id, model, look)}
        ${look.finding ? finder(look) : nothing}
        ${look.list.template('What the session says', (row, index) => placed(row, index, look))}
        ${model.record.length ? scrubber(model, look) : html`<p class="dim waiting">Nothing was said yet.</p>`}
    </section>`;
}

const placed = (row, index, look) =>
    html`<div class="at ${index === look.found[look.place] ? 'found' : ''}">${rowTemplate(row, look)}</div>`;

const chip = (look) => html`<button class="chip" @click=${() => look.narrow(null)}
    title="Show all agents">only ${look.nameOf(look.agent)} ✕</button>`;

function toolbar(id, model, look) {
    return html`<div class="toolbar" role="toolbar" aria-label="Stream">
        ${look.agent === null ? nothing : chip(look)}
        ${Object.entries(HIDEABLE).map(
            ([kind, name]) => html`<label class="toggle"><input type="checkbox" .checked=${live(!look.hidden.has(kind))}
            @change=${(event) => look.hide(kind, !event.target.checked)}>${name}</label>`,
        )}
        <span class="gap"></span>
        <button aria-pressed=${look.finding} @click=${() => toggleFinder(look)}
            title="Search (/)">Search</button>
        <button aria-pressed=${look.list.follow} @click=${() => toggleFollow(look)}
            title="Follow the newest line (f)">Follow</button>
        <button @click=${() => copy(look)} title="Copy what is shown as text">Copy</button>
        <button @click=${() => download(id, model)} title="Every frame, as NDJSON">Download</button>
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
        <button @click=${() => look.step(-1)} aria-label="Before (Enter)" title="Before (Enter)">↑</button>
        <button @click=${() => look.step(1)} aria-label="After (Shift+Enter)"
            title="After (Shift+Enter)">↓</button>
        <button @click=${() => look.stopFinding()} aria-label="Close search" title="Close (Esc)">✕</button>
    </div>`;
}

const focusOnce = whenShown((element) => element.focus());

async function copy(look) {
    try {
        await navigator.clipboard.writeText(look.rows.map((row) => plainText(row) + (row.goesOn ? '' : '\n')).join(''));
        tell(`Copied ${plural(look.rows.length, 'row')}.`);
    } catch {
        tell('The browser does not allow copying here.', 'error');
    }
}

function download(id, model) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([model.ndjson()], {type: 'application/x-ndjson'}));
    link.download = `${id}.ndjson`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Any moment of the session: what had been said, and the agents as they were. */
function scrubber(model, look) {
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
    return html`<div class="scrubber ${look.at === null ? '' : 'past'}">
        <span class="dim">${startTime(model.record)}</span>
        <span class="track">${ticks(model, first)}<input type="range" aria-label="Moment of the session, by frame" min=${first} max=${model.lastSeq}
            .value=${live(String(at))}
            aria-valuetext=${look.at === null ? 'now' : `${when}frame ${at}`} @input=${handleInput}></span>
        <span class="dim where">${where}</span>
        <button ?disabled=${look.at === null} @click=${() => look.travel(null)}>Now</button>
    </div>`;
}

const startTime = (record) => {
    const ts = record.find((entry) => entry.ts)?.ts;
    return ts ? time(ts) : '';
};

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
