// What requests to models cost: by day as a chart, and summed by what a person chose.
import {html, nothing, repeat, svg} from './vendor/lit.js';
import {get, Refusal} from './api.js';
import {purseBrief} from './budget.js';
import {clip, count, money, plural} from './format.js';
import {icon} from './icons.js';
import {placeOf} from './route.js';
import {changed, state} from './store.js';
import {titleOf, viewOf} from './watch.js';

const DAY_MS = 86_400_000;
const AGAIN_MS = 60_000;
const ROWS_MAX = 200;
const DAYS_MAX = 366; // bars of a chart
const DAYS_WIDE = 14;
const PERIODS = {1: 'today', 7: '7 days', 30: '30 days', 90: '90 days', 0: 'all'};
const BY = {agent: 'Agent', captain: 'Captain', model: 'Model', session: 'Session', day: 'Day'};
const COUNTS = [
    'requests',
    'unpriced',
    'input_tokens',
    'cached_input_tokens',
    'cache_write_input_tokens',
    'output_tokens',
];

const shown = {days: 30, by: 'agent', atMs: 0, asked: '', lists: null, refusal: ''};

/** Forgets what was told: somebody else may be signed in. */
export const forgetCosts = () => Object.assign(shown, {atMs: 0, asked: '', lists: null, refusal: ''});

/** The midnight (UTC) with which the period begins; 0 for all. */
const sinceMs = () => (shown.days ? Math.floor(state.nowMs / DAY_MS) * DAY_MS - (shown.days - 1) * DAY_MS : 0);

async function load() {
    const wish = `${shown.by} ${shown.days}`;
    if (shown.asked === wish && state.nowMs - shown.atMs < AGAIN_MS) {
        return;
    }
    Object.assign(shown, {asked: wish, atMs: state.nowMs});
    try {
        const [days, rows] = await Promise.all(['day', shown.by].map((by) => get(`costs?by=${by}&since=${sinceMs()}`)));
        if (shown.asked === wish) {
            Object.assign(shown, {lists: {days, rows, by: shown.by, sinceMs: sinceMs()}, refusal: ''});
        }
    } catch (failure) {
        shown.refusal = failure instanceof Refusal ? failure.message : 'The gateway does not answer.';
    }
    changed();
}

export function costs() {
    load();
    const {lists, refusal} = shown;
    return html`<main class="overview costs" id="main" tabindex="-1" aria-label="Costs">
        <header class="top"><a class="button quiet back" href=${placeOf(null)} aria-label="Home">${icon('back')}</a><h1>Costs</h1>
            ${choice('Period', PERIODS, String(shown.days), (days) => (shown.days = Number(days)))}</header>
        ${refusal ? html`<p class="problem" role="alert">${refusal}</p>` : lists ? found(lists) : html`<p class="dim">Asking…</p>`}
    </main>`;
}

/** A row of buttons of which one is pressed. */
function choice(name, all, now, take) {
    const choose = (key) => {
        take(key);
        changed();
    };
    return html`<div class="choice" role="group" aria-label=${name}>${Object.keys(all)
        .sort((one, other) => (Number(one) || Infinity) - (Number(other) || Infinity))
        .map(
            (key) => html`<button aria-pressed=${key === now} @click=${() => choose(key)}>${all[key]}</button>`,
        )}</div>`;
}

function found(lists) {
    const {total, complete} = lists.days;
    const used = total.input_tokens + total.output_tokens;
    return html`<section class="spent" aria-label="By day"><p><b>${money(total.cost)}</b>
            <span class="dim">${plural(total.requests, 'request')} · ${plural(used, 'token')}${total.unpriced ? ` · ${plural(total.unpriced, 'request')} without a price` : ''}</span></p>
            ${complete ? nothing : html`<p class="dim">The worker-agent does not answer: newer requests may be missing.</p>`}
            ${chart(lists)}</section>
        <section aria-label="Sums"><div class="sums">${choice('Summed by', BY, shown.by, (by) => (shown.by = by))}
            <span class="saves"><button @click=${() => save(lists, 'csv')}>${icon('save')}CSV</button><button @click=${() => save(lists, 'json')}>${icon('save')}JSON</button></span></div>
            ${lists.rows.costs.length ? table(lists) : html`<p class="empty">No request went through a model route in this time.</p>`}</section>`;
}

const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10);
const dayFormat = new Intl.DateTimeFormat([], {day: 'numeric', month: 'short', timeZone: 'UTC'});
const shortDay = (day) => dayFormat.format(Date.parse(day));

/** Each day of the period with its sum, those without requests too. */
function daysOf({days, sinceMs: from}) {
    const known = new Map(days.costs.map((row) => [row.name, row]));
    const today = Math.floor(state.nowMs / DAY_MS) * DAY_MS;
    const first = from || Date.parse(days.costs[0]?.name ?? dayOf(today));
    const number = Math.min(DAYS_MAX, Math.round((today - first) / DAY_MS) + 1);
    return Array.from({length: number}, (_, index) => {
        const day = dayOf(today - (number - 1 - index) * DAY_MS);
        return known.get(day) ?? {name: day, cost: 0, requests: 0};
    });
}

/** A round sum that is not less: 1, 2 or 5 and zeros. */
function roundUp(sum) {
    const unit = 10 ** Math.floor(Math.log10(sum || 1));
    return [1, 2, 5, 10].map((part) => part * unit).find((round) => round >= sum);
}

/** A bar for each day. The words stand beside the drawing, which may be stretched. */
function chart(lists) {
    const days = daysOf(lists);
    const most = days.reduce((max, day) => (day.cost > max.cost ? day : max));
    const top = roundUp(most.cost);
    const says = `Cost by day, ${shortDay(days[0].name)} to ${shortDay(days.at(-1).name)}: ${money(lists.days.total.cost)} in all, most on ${shortDay(most.name)}, ${money(most.cost)}`;
    const wide = 0.76 * Math.min(1, days.length / DAYS_WIDE); // few days have no wider bars than many
    const bars = days.map(({name, cost, requests}, at) => {
        const height = (cost * 100) / top;
        return svg`<g><title>${shortDay(name)}: ${money(cost)}, ${plural(requests, 'request')}</title><rect class="day" x=${at} width="1" height="100"/>
            <rect class="bar" x=${at + 0.5 - wide / 2} width=${wide} y=${100 - height} height=${height}/></g>`;
    });
    const marks = [...new Set([0, Math.floor((days.length - 1) / 2), days.length - 1])];
    return html`<figure class="chart"><div class="scale dim" aria-hidden="true"><span>${money(top)}</span><span>${money(top / 2)}</span><span>$0</span></div>
        <svg viewBox="0 0 ${days.length} 100" preserveAspectRatio="none" role="img" aria-label=${says}>${svg`<path class="grid" d="M0 0.5H${days.length}M0 50H${days.length}"/>`}${bars}</svg>
        <div class="days dim" aria-hidden="true">${marks.map((at) => html`<span>${shortDay(days[at].name)}</span>`)}</div></figure>`;
}

function table({rows, by}) {
    const most = Math.max(...rows.costs.map(({cost}) => cost), 0);
    const shownRows = by === 'day' ? [...rows.costs].reverse() : rows.costs;
    return html`<div class="wide" tabindex="0" role="region" aria-label="Costs by ${BY[by].toLowerCase()}"><table class="past"><thead><tr><th scope="col">${BY[by].toLowerCase()}</th><th scope="col" class="share"><span class="sr">share</span></th>
            <th scope="col" class="number">cost</th><th scope="col" class="number">requests</th><th scope="col" class="number">tokens in</th><th scope="col" class="number">cached</th><th scope="col" class="number">out</th>${by === 'session' ? html`<th scope="col">budget</th>` : nothing}</tr></thead>
        <tbody>${repeat(
            shownRows.slice(0, ROWS_MAX),
            ({name}) => name,
            (row) => html`<tr><td class="name">${named(row.name, by)}</td>
            <td class="share"><svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">${svg`<rect class="bar" width=${most ? (row.cost * 100) / most : 0} height="1"/>`}</svg></td>${cells(row, by)}</tr>`,
        )}</tbody>
        <tfoot><tr><th scope="row">total</th><td class="share"></td>${cells(rows.total, by)}</tr></tfoot></table></div>
        ${rows.costs.length > ROWS_MAX ? html`<p class="dim">The first ${ROWS_MAX}; the files have all.</p>` : nothing}`;
}

const cells = (
    row,
    by,
) => html`<td class="number" title=${row.unpriced ? `${plural(row.unpriced, 'request')} without a price` : nothing}>${money(row.cost)}${row.unpriced ? ' +' : ''}</td>
    <td class="number">${count(row.requests)}</td><td class="number">${count(row.input_tokens)}</td>
    <td class="number">${count(row.cached_input_tokens)}</td><td class="number">${count(row.output_tokens)}</td>
    ${by === 'session' ? html`<td>${row.budget ? purseBrief(row.budget) : nothing}</td>` : nothing}`;

function named(name, by) {
    if (by === 'session') {
        const view = viewOf(name);
        return html`<a href=${placeOf(name)}>${view ? clip(titleOf(view), 80) : name}</a>`;
    }
    return by === 'day' ? shortDay(name) : name || html`<span class="dim">not known</span>`;
}

/** A name that a spreadsheet would take for a formula begins with an apostrophe. */
const quoted = (name) => `"${/^[=+\-@\t\r]/.test(name) ? "'" : ''}${name.replaceAll('"', '""')}"`;

const csv = ({rows, by}) =>
    [
        [by, 'usd', ...COUNTS].join(','),
        ...rows.costs.map((row) => [quoted(row.name), row.cost, ...COUNTS.map((of) => row[of])].join(',')),
    ].join('\n') + '\n';

function save(lists, kind) {
    const text = kind === 'csv' ? csv(lists) : `${JSON.stringify(lists.rows, null, 2)}\n`;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], {type: kind === 'csv' ? 'text/csv' : 'application/json'}));
    link.download = `costs-by-${lists.by}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
