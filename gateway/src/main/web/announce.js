// What a screen reader is told without being asked: not each line, which nobody could listen to, but what
// happened.
import {html} from './vendor/lit.js';
import {state} from './store.js';
import {modelOf} from './watch.js';
import {plainText} from './transcript.js';

const TOLD = new Set(['done', 'state', 'error', 'gap', 'subagent', 'permission', 'ask', 'answered']);
const EVERY_MS = 2000;

let seen = {id: null, rows: 0};
let said = '';
let saidMs = 0;

export function announcer() {
    if (Date.now() - saidMs > EVERY_MS) {
        say();
    }
    return html`<div class="sr" aria-live="polite">${said}</div>`;
}

function say() {
    const id = state.route.session;
    const rows = modelOf(id)?.live.transcript.rows ?? [];
    if (seen.id !== id || rows.length < seen.rows) {
        // What was there before is no news.
        seen = {id, rows: rows.length};
        return;
    }
    const news = rows.slice(seen.rows);
    seen.rows = rows.length;
    const events = news
        .filter((row) => TOLD.has(row.kind))
        .map((row) => `${row.kind === 'subagent' ? `sub-agent ${row.status}: ` : ''}${plainText(row)}`);
    const told = events.slice(-3).join('. ');
    if (told) {
        said = told;
        saidMs = Date.now();
    }
}
