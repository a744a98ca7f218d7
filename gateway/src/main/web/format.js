// How numbers and times are written.

const UNITS = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
];

/** `2h05m`, `3m20s`, `7s`, `0.4s`: two units at most. */
export function age(ms) {
    const at = UNITS.findIndex(([, unit]) => ms >= unit);
    if (at < 0) {
        return `${(Math.max(ms, 0) / 1000).toFixed(1)}s`;
    }
    const [name, unit] = UNITS[at];
    const whole = `${Math.floor(ms / unit)}${name}`;
    const next = UNITS[at + 1];
    return next ? `${whole}${String(Math.floor((ms % unit) / next[1])).padStart(2, '0')}${next[0]}` : whole;
}

/** `940`, `12.4k`, `3.1M`. */
export function count(number) {
    if (number < 1000) {
        return String(number);
    }
    const [value, unit] = number < 1_000_000 ? [number / 1000, 'k'] : [number / 1_000_000, 'M'];
    return `${value < 100 ? value.toFixed(1) : Math.round(value)}${unit}`;
}

/** `12.4k in · 3.1k out · $0.12`; empty where nothing is known. */
export function tokens(usage) {
    if (!usage || usage.input_tokens === undefined) {
        return '';
    }
    const cost = usage.cost ? ` · ${money(usage.cost)}` : '';
    return `${count(usage.input_tokens)} in · ${count(usage.output_tokens)} out${cost}`;
}

/** `$0.12`; three digits below a dollar. */
export const money = (dollars) => `$${dollars.toFixed(dollars > 0 && dollars < 1 ? 3 : 2)}`;

/** `$0.12` or `15.5k tokens`: what is known of what it cost. */
export const costOf = (usage) => (usage?.cost ? money(usage.cost) : tokensBrief(usage));

/** `15.5k tokens`; empty where nothing is known. */
export const tokensBrief = (usage) => (usage ? plural(usage.input_tokens + usage.output_tokens, 'token') : '');

/** What a session does, in the words that a person reads; by the word of its view. */
export const DOES = {
    starting: 'starting',
    working: 'working',
    waiting: 'waiting for you',
    idle: 'idle',
    failed: 'failed',
    ended: 'ended',
    unknown: 'unknown',
    unreachable: 'out of reach',
    throttled_by_provider: 'waits for the provider',
};

// Reasons of the protocol as people say them.
const REASONS = {
    requested: 'as somebody asked',
    completed: 'its message was done',
    idle_timeout: 'nobody used it',
    captain_gone: 'its captain left',
    shutdown: 'the gateway was stopped',
    out_of_memory: 'out of memory',
    disk_full: 'it used too much of the disk',
    timeout: 'it ran for too long',
    start_failed: 'the agent could not be started',
    worker_lost: 'its worker is gone',
    failed: 'the agent gave up',
    budget: 'because of its budget',
};
export const because = (reason) => REASONS[reason] ?? reason;

/** How a session ended: in words, empty where all is well, and whether somebody has to look. */
export function howEnded({state: at, last_error: error, exit}) {
    if (at === 'failed') {
        return {words: `failed: ${(error ?? '').split(':')[0]}`, isBad: true};
    }
    if (exit?.reason === 'cancelled') {
        return {words: 'terminated', isBad: false};
    }
    const words = because(exit?.reason) || exit?.signal || (exit?.exit_code ? `exit code ${exit.exit_code}` : '');
    return {words, isBad: words !== ''};
}

/** How a turn ended, in words. What a person cancelled did not fail. */
export function howDone({exitCode, signal, reason}) {
    const details = [exitCode && `exit code ${exitCode}`, signal];
    return reason === 'cancelled'
        ? ['cancelled', ...details].filter(Boolean).join(', ')
        : [exitCode ? 'failed' : 'done', ...details, because(reason)].filter(Boolean).join(', ');
}

/** What a person calls a session: its name, what it was asked first, or else its agent and when it began. */
export const nameOf = (view, asked = '') =>
    view.task_id === view.spawn_id ? asked || `${view.agent}, ${time(view.created_ms)}` : view.task_id;

/** The agent of a session, and the host that it is on if that is not the gateway's own. */
export const placed = (view) => (view.host ? `${view.agent} on ${view.host}` : view.agent);

/** Who waits for a person comes first; else the order stays. */
export const byNeed = (views) =>
    [...views].sort((one, other) => (other.activity === 'waiting') - (one.activity === 'waiting'));

/** Those that have each of the words in their name, their agent or what they do. */
export function fitting(views, find) {
    const words = find.toLowerCase().split(/\s+/).filter(Boolean);
    const says = (view) =>
        `${nameOf(view)} ${view.spawn_id} ${placed(view)} ${DOES[view.activity] ?? ''}`.toLowerCase();
    return words.length ? views.filter((view) => words.every((word) => says(view).includes(word))) : views;
}

// Made once: to make one takes longer than all else about a row.
const timeFormat = new Intl.DateTimeFormat([], {timeStyle: 'medium', hour12: false});

export const time = (ms) => timeFormat.format(ms);
export const dateTime = (ms) => new Date(ms).toLocaleString([], {hour12: false});
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;
export const clip = (text, max) => (text.length > max ? `${text.slice(0, max - 1)}…` : text);

/** How an ask ended, in words; also for its row in the stream. */
export function ending({option, text, by, via, reason}) {
    const answer = option ?? text ?? '';
    switch (reason) {
        case 'person':
            return `answered by ${by ?? 'somebody'}${via ? ` over ${via}` : ''}: ${answer}`;
        case 'policy':
            return `answered by a rule: ${answer}`;
        case 'deadline':
            return `nobody answered in time: ${answer}`;
        case 'withdrawn':
            return 'the agent no longer asks';
        case 'ended':
            return 'the agent no longer waits';
        default:
            return `settled ${answer}`.trim();
    }
}

// Control characters but tab and newline, and what turns or hides text.
const UNSEEN =
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** The same text with what cannot be seen spelled out: `\\u{1b}`. */
export const visible = (text) => String(text).replace(UNSEEN, (unseen) => `\\u{${unseen.codePointAt(0).toString(16)}}`);

/** The same for all texts in a JSON value, names of fields too. */
export function visibleIn(value) {
    if (Array.isArray(value)) {
        return value.map(visibleIn);
    }
    if (value !== null && typeof value === 'object') {
        return Object.fromEntries(Object.entries(value).map(([name, one]) => [visible(name), visibleIn(one)]));
    }
    return typeof value === 'string' ? visible(value) : value;
}
