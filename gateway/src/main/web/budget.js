// What sessions may use up, and how much of it they have: as a bar for each kind, and in words.
import {html, nothing, svg} from './vendor/lit.js';
import {age, clip, count, money} from './format.js';

const NEAR = 80; // percent at which somebody should look
const WHOLE = 100;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
const KINDS = {
    usd: {name: 'money', says: money},
    tokens: {name: 'tokens', says: (number) => `${count(number)} tokens`},
    wall_ms: {name: 'time', says: age},
    egress_bytes: {name: 'traffic', says: bytes},
};

function bytes(number) {
    const at = number ? Math.min(Math.floor(Math.log10(number) / 3), UNITS.length - 1) : 0;
    return `${Number((number / 1000 ** at).toFixed(1))} ${UNITS[at]}`;
}

/** What frames told of a budget: each tells of money or of time. */
export const budgetAfter = (before, {used, reserved, limit}) => ({
    used: {...before?.used, ...used},
    reserved: {...before?.reserved, ...reserved},
    limit: {...before?.limit, ...limit},
});

/** The same with the time that passed, and what the requests came to that were counted since it was told. */
export function budgetNow(budget, ranMs, cost = 0) {
    const {wall_ms: hasTime, usd} = budget.limit;
    return {
        ...budget,
        used: {
            ...budget.used,
            ...(hasTime ? {wall_ms: Math.max(0, ranMs)} : {}),
            ...(usd === undefined ? {} : {usd: Math.max(budget.used.usd ?? 0, cost)}),
        },
    };
}

/** Each kind that is limited: `{kind, used, reserved, limit, percent}`. */
const parts = ({used, reserved, limit}) =>
    Object.keys(KINDS)
        .filter((kind) => limit[kind] !== undefined)
        .map((kind) => {
            const spent = used[kind] ?? 0;
            const percent = Math.min(WHOLE, Math.floor((spent * WHOLE) / limit[kind]));
            return {kind, used: spent, reserved: reserved?.[kind] ?? 0, limit: limit[kind], percent};
        });

/** The kind of which most is used up; undefined where nothing is limited. */
const fullest = (budget) =>
    parts(budget).reduce((most, one) => (most && most.percent >= one.percent ? most : one), undefined);

const levelOf = (percent) => (percent >= WHOLE ? 'full' : percent >= NEAR ? 'near' : '');
const STANDS = {full: 'used up', near: 'nearly used up', '': ''};

const ofLimit = ({kind, used, limit}) => `${KINDS[kind].says(used)} of ${KINDS[kind].says(limit)}`;

/** `$4.02 of $5.00`; of the kind of which most is used up. */
export function budgetBrief(budget) {
    const most = fullest(budget);
    return most ? ofLimit(most) : '';
}

/** What is used up, and beyond it what requests under way may come to. */
function bar(one) {
    const level = levelOf(one.percent);
    const used = Math.min(WHOLE, (one.used * WHOLE) / one.limit);
    const reserved = Math.min(WHOLE - used, (one.reserved * WHOLE) / one.limit);
    const says = `${ofLimit(one)}${one.reserved ? `, ${KINDS[one.kind].says(one.reserved)} reserved` : ''}`;
    return html`<span class="purse ${level}" role="meter" aria-label=${KINDS[one.kind].name} aria-valuemin="0" aria-valuemax="100"
        aria-valuenow=${one.percent} aria-valuetext=${says} title=${says}><svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"
        >${svg`<rect class="used" width=${used} height="1"/><rect class="reserved" x=${used} width=${reserved} height="1"/>`}</svg></span>`;
}

/** A line and a bar for each kind. */
export const purses = (budget) =>
    html`<ul class="purses">${parts(budget).map(
        (one) =>
            html`<li><span><b>${KINDS[one.kind].says(one.used)}</b> <span class="dim">of ${KINDS[one.kind].says(one.limit)}${
                one.reserved ? `, ${KINDS[one.kind].says(one.reserved)} reserved` : ''
            }</span></span><span class="stands ${levelOf(one.percent)}">${STANDS[levelOf(one.percent)] || `${one.percent} %`}</span>${bar(one)}</li>`,
    )}</ul>`;

/** The kind of which most is used up, with a small bar. */
export function purseBrief(budget) {
    const most = fullest(budget);
    return most
        ? html`<span class="budget ${levelOf(most.percent)}"><span>${ofLimit(most)}</span>${bar(most)}</span>`
        : nothing;
}

const WHOSE = {
    session: () => 'the budget',
    above: (of) => `the budget of ${of ? clip(of, 40) : 'a session above'}`,
    captain: (of) => `today's budget of ${of ?? 'the captain'}`,
    day: () => "today's budget of the gateway",
};

/** A `budget` frame in a sentence: `80 % of the budget used: $4.02 of $5.00`. */
export function budgetSays({percent, scope, of, used, limit, refused}) {
    const whose = (WHOSE[scope] ?? WHOSE.session)(of);
    const all = parts({used, limit});
    if (refused) {
        return refused;
    }
    return percent
        ? `${percent} % of ${whose} used: ${all.map(ofLimit).join(', ')}`
        : `It may use up ${all.map((one) => KINDS[one.kind].says(one.limit)).join(', ')}.`;
}
