// What the wall of a session enforces, what it may reach, and the requests that wait for a person.
import {html, nothing} from './vendor/lit.js';
import {attempt, get, post, Refusal} from './api.js';
import {drives} from './ending.js';
import {placeOf} from './route.js';
import {changed} from './store.js';

const AGAIN_MS = 4000;
const REQUESTS_MAX = 200;
const BRIEF_REQUESTS = 6;
const SIGN = {OK: '✓', FAIL: '✗', NONE: '—'};
/** A root that can be written: what an earlier session left runs in this one. */
const OVERLAY = {
    discard: ', writable: goes with the session',
    keep: ', writable: kept from earlier sessions of the project',
};

async function load(id, {wall: entry}, asCaptain) {
    // A glance asks once: what a wall enforces stays.
    if (Date.now() - entry.atMs < AGAIN_MS || (!asCaptain && entry.posture)) {
        return;
    }
    entry.atMs = Date.now();
    const ask = (path) =>
        get(path).catch((failure) => ({
            refusal: failure instanceof Refusal ? failure.message : 'The gateway does not answer.',
        }));
    const [posture, egress] = await Promise.all([
        entry.posture?.properties ? entry.posture : ask(`spawns/${id}/posture`),
        asCaptain ? ask(`spawns/${id}/egress`) : null,
    ]);
    Object.assign(entry, {posture, egress});
    changed();
}

/** The wall in short: what holds, and what was requested through it. */
export function wallBrief(id, look) {
    load(id, look, false);
    const {posture} = look.wall;
    const failed = posture?.properties?.filter((one) => one.status === 'FAIL').length;
    const says = !posture
        ? 'Asking…'
        : (posture.refusal ??
          (failed
              ? html`<span class="bad">${failed} of ${posture.properties.length} properties do not hold.</span>`
              : `All ${posture.properties.filter((one) => one.status === 'OK').length} declared properties hold.`));
    return html`<p>${says}</p><a class="button" href=${placeOf(id, 'wall')}>All of it</a>`;
}

/** The newest network requests; null where there was none. */
export function requestsBrief(model) {
    const rows = model?.live.transcript.egress ?? [];
    return rows.length ? html`${requests(model, BRIEF_REQUESTS)}` : null;
}

export function wallPart(id, view, model, look) {
    const asCaptain = view && !view.ended_ms && drives(view);
    load(id, look, asCaptain);
    const {posture, egress} = look.wall;
    const unknown = asCaptain ? 'Asking…' : 'Only captains of a session that runs see this.';
    return html`<section class="wall" aria-label="Wall" tabindex="0">
        <h2>What it enforces <span class="dim">measured from inside before the agent started</span></h2>
        ${
            !posture
                ? html`<p class="dim">Asking…</p>`
                : posture.refusal
                  ? html`<p class="dim">${posture.refusal}</p>`
                  : html`
            <p>${summary(posture)}</p>
            <table class="posture"><tbody><tr><td></td><th
                scope="row">limits held by</th><td>${sized(posture.limits)}</td></tr>
            ${
                posture.root
                    ? html`<tr><td></td><th scope="row">root</th><td>oci:${posture.root.image} ${sized(posture.root.digest)}${OVERLAY[posture.root.overlay] ?? ''}</td></tr>`
                    : nothing
            }
            ${posture.properties.map(
                (one) => html`<tr class=${one.status}><td title=${one.status}>${SIGN[one.status]}<span
                    class="sr">${one.status}</span></td>
                <th scope="row">${one.name}</th><td title=${one.detail}>${sized(one.detail)}</td></tr>`,
            )}</tbody></table>
            <p>${posture.tool_wall ?? ''}</p>`
        }
        <h2>What it may reach</h2>
        ${egress?.policy ? reach(id, look) : html`<p class="dim">${egress?.refusal ?? unknown}</p>`}
        <h2>Its network requests and their outcome</h2>
        ${requests(model)}
    </section>`;
}

/** The table in a sentence. */
function summary({properties, not_held: notHeld = []}) {
    const failed = properties.filter((one) => one.status === 'FAIL').map((one) => one.name);
    const held = properties.filter((one) => one.status === 'OK').length;
    return [
        failed.length
            ? `${failed.length} of ${properties.length} properties do not hold: ${failed.join(', ')}.`
            : `All ${held} properties that this wall declares hold.`,
        notHeld.length ? `Not held on this host: ${notHeld.join('; ')}.` : '',
    ].join(' ');
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Long numbers of bytes as people read them; numbers of namespaces stand in brackets and stay. */
const sized = (text) =>
    text.replace(/(?<![\w[])\d{7,}(?![\w\]])(?: bytes)?/g, (number) => inUnits(parseInt(number, 10)));

function inUnits(bytes) {
    const at = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
    return `${Number((bytes / 2 ** (10 * at)).toFixed(1))} ${UNITS[at]}`;
}

const nameOf = (host) =>
    typeof host === 'string' ? host : `${host.host}${host.methods ? ` (${host.methods.join(', ')})` : ''}`;

function reach(id, look) {
    const {egress} = look.wall;
    const row = (name, list) => (list.length ? html`<dt>${name}</dt><dd>${list.map(nameOf).join(', ')}</dd>` : nothing);
    return html`<dl
        class="details"><dt>policy</dt><dd>${egress.policy}${egress.way_out ? '' : ', without a way out'}</dd>
        ${row('allowed', egress.allowed)}${row('by a person', egress.allowed_meanwhile)}
        ${row('denied', egress.denied)}${row('unread TLS', egress.tunnelled)}
        ${egress.secrets.map(
            (secret) => html`<dt>secret</dt><dd><code>${secret.name}</code> to ${secret.hosts.join(', ')}
            ${secret.revoked ? html`<span class="dim">revoked</span>` : revoke(id, look, secret.name)}</dd>`,
        )}
    </dl>`;
}

const revoke = (id, look, secret) =>
    html`<button @click=${() => decide(id, look, {decision: 'revoke', secret})}>Revoke</button>`;

function requests(model, max = REQUESTS_MAX) {
    const rows = (model?.live.transcript.egress ?? []).slice(-max).reverse();
    return rows.length
        ? html`<ul class="requests">${rows.map(
              (row) => html`<li class=${row.frame.kind}><span>${row.frame.kind}</span>
        <b>${row.frame.host ?? ''}${row.frame.port ? `:${row.frame.port}` : ''}</b> <span
            class="dim">${row.frame.method ?? ''} ${row.frame.rule ?? ''}</span></li>`,
          )}</ul>`
        : html`<p class="dim">No network requests.</p>`;
}

async function decide(id, look, wish) {
    await attempt(
        () => post(`spawns/${id}/egress`, wish),
        wish.host ? `${wish.host}: ${wish.decision}` : `${wish.secret} is revoked.`,
    );
    look.wall = {atMs: 0};
}
