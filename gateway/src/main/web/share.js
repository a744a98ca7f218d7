// Sharing: links with which somebody without an account watches one session, and the end of those that were made.
import {html, nothing, repeat} from './vendor/lit.js';
import {attempt, get, post, remove} from './api.js';
import {age, dateTime} from './format.js';
import {copy} from './links.js';
import {frameOf, placeOf} from './route.js';
import {changed, open, state} from './store.js';
import {titleOf, viewOf} from './watch.js';

let made = null; // the link that was made
let links = null; // those that are good; null until they are known. The session's own token of watchers never expires
let asked = false;

/** The dialogue is closed: the next one begins anew. */
export function leaveShare() {
    made = null;
    links = null;
    asked = false;
}

async function load() {
    asked = true;
    const session = state.route.session;
    await attempt(async () => {
        const {tokens} = await get(`tokens?session=${session}`);
        const good = tokens.filter(
            ({role, revoked, expires_ms: until}) => role === 'watcher' && !revoked && until > Date.now(),
        );
        links = made ? withLink(good, made) : good;
    });
    changed();
}

// A link may be made before the list is there, which may have it or not.
function withLink(list, link) {
    return [...list.filter(({id}) => id !== link.id), link];
}

export function share() {
    if (!asked) {
        load();
    }
    const view = viewOf(state.route.session);
    const name = view ? titleOf(view) : '';
    const {frame} = state.route;
    return html`${
        made
            ? html`<p>Whoever has this link watches <b>${name}</b>, and nothing else, for ${age(made.expires_ms - Date.now())}.
                It is shown only now.</p>
            <input class="link" readonly aria-label="Link" .value=${made.url} @focus=${(event) => event.target.select()}>
            <footer><button class="primary" @click=${() => copy(made.url, 'Link copied.')}>Copy the link</button></footer>`
            : html`<form @submit=${make}><p>A link with which somebody may watch <b>${name}</b> without an account.
            It shows this session and nothing else.</p>
        <label>Good for<select name="seconds"><option value="3600">an hour</option><option
            value="86400" selected>a day</option><option value="604800">a week</option></select></label>
        ${frame === null ? nothing : html`<label class="check"><input type="checkbox" name="place" checked> it opens at the place that you link to, frame ${frame}</label>`}
        <footer><button type="button" @click=${() => open(null)}>Close</button><button
            class="primary">Make a link</button></footer></form>`
    }
    ${
        links?.length
            ? html`<h3>Links that are good now</h3><ul class="links">${repeat(
                  links,
                  ({id}) => id,
                  (
                      one,
                  ) => html`<li><span>made ${dateTime(one.created_ms)}${one.id === made?.id ? ', the one above' : ''}<br><span class="dim">good until
                    ${dateTime(one.expires_ms)}</span></span><button @click=${() => revoke(one)}>Revoke</button></li>`,
              )}</ul>`
            : nothing
    }`;
}
share.title = 'Share';

async function make(event) {
    event.preventDefault();
    const form = new FormData(event.target);
    const {session, frame} = state.route;
    await attempt(async () => {
        const token = await post('tokens', {role: 'watcher', session, expires_seconds: Number(form.get('seconds'))});
        const place = form.get('place') ? frameOf(token.spawn_id, frame) : placeOf(token.spawn_id, 'stream', '');
        made = {...token, url: `${location.origin}/#${token.token}${place.slice(1)}`};
        links = withLink(links ?? [], token);
    });
    changed();
}

async function revoke({id, spawn_id: session}) {
    if (await attempt(() => remove(`tokens/${id}?session=${session}`), 'The link is good for nothing now.')) {
        links = links.filter((one) => one.id !== id);
        made = made?.id === id ? null : made;
        changed();
    }
}
