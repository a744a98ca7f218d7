// What the wall of a session enforces, what it may reach, and the requests that wait for a person.
import {html, nothing} from './vendor/lit.js';
import {attempt, get, post, Refusal} from './api.js';
import {drives} from './ending.js';
import {changed} from './store.js';

const AGAIN_MS = 4000;
const known = new Map(); // by session: {posture, egress, atMs}
const SIGN = {OK: '✓', FAIL: '✗', NONE: '—'};

async function load(id, asCaptain) {
    const entry = known.get(id) ?? {atMs: 0};
    known.set(id, entry);
    if (Date.now() - entry.atMs < AGAIN_MS) {
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

export function wallPart(id, view, model) {
    const asCaptain = view && !view.ended_ms && drives(view);
    load(id, asCaptain);
    const {posture, egress} = known.get(id);
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
            ${posture.properties.map(
                (one) => html`<tr class=${one.status}><td title=${one.status}>${SIGN[one.status]}<span
                    class="sr">${one.status}</span></td>
                <th scope="row">${one.name}</th><td title=${one.detail}>${sized(one.detail)}</td></tr>`,
            )}</tbody></table>
            <p>${posture.tool_wall ?? ''}</p>`
        }
        <h2>What it may reach</h2>
        ${egress?.policy ? reach(id, egress) : html`<p class="dim">${egress?.refusal ?? unknown}</p>`}
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

function reach(id, egress) {
    const row = (name, list) => (list.length ? html`<dt>${name}</dt><dd>${list.map(nameOf).join(', ')}</dd>` : nothing);
    return html`<dl
        class="details"><dt>policy</dt><dd>${egress.policy}${egress.way_out ? '' : ', without a way out'}</dd>
        ${row('allowed', egress.allowed)}${row('by a person', egress.allowed_meanwhile)}
        ${row('denied', egress.denied)}${row('unread TLS', egress.tunnelled)}
        ${egress.secrets.map(
            (secret) => html`<dt>secret</dt><dd><code>${secret.name}</code> to ${secret.hosts.join(', ')}
            ${secret.revoked ? html`<span class="dim">revoked</span>` : revoke(id, secret.name)}</dd>`,
        )}
    </dl>`;
}

const revoke = (id, secret) => html`<button @click=${() => decide(id, {decision: 'revoke', secret})}>Revoke</button>`;

function requests(model) {
    const rows =
        model?.live.transcript.rows
            .filter((row) => row.kind === 'egress')
            .slice(-200)
            .reverse() ?? [];
    return rows.length
        ? html`<ul class="requests">${rows.map(
              (row) => html`<li class=${row.frame.kind}><span>${row.frame.kind}</span>
        <b>${row.frame.host ?? ''}${row.frame.port ? `:${row.frame.port}` : ''}</b> <span
            class="dim">${row.frame.method ?? ''} ${row.frame.rule ?? ''}</span></li>`,
          )}</ul>`
        : html`<p class="dim">No network requests.</p>`;
}

async function decide(id, wish) {
    await attempt(
        () => post(`spawns/${id}/egress`, wish),
        wish.host ? `${wish.host}: ${wish.decision}` : `${wish.secret} is revoked.`,
    );
    known.delete(id);
}
