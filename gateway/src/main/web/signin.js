// Signing in: the link's fragment has a ticket or a token, which is exchanged for a cookie and a key, and
// forgotten.
import {request, onSignedOut} from './api.js';
import {state, changed, tell} from './store.js';

const STORED = 'brig';
const LINK = /^#(brig_[A-Za-z0-9_-]{43})(\/.*)?$/;

/** Takes the secret out of the address, so that neither a bookmark nor a screenshot has it. */
function secretOfLink() {
    const link = LINK.exec(location.hash);
    if (!link) {
        return null;
    }
    history.replaceState(null, '', `${location.pathname}#${link[2] ?? '/'}`);
    return link[1];
}

function remember(me) {
    state.me = me;
    if (me) {
        localStorage.setItem(STORED, JSON.stringify(me));
    } else {
        localStorage.removeItem(STORED);
    }
}

function remembered() {
    try {
        return JSON.parse(localStorage.getItem(STORED));
    } catch {
        return null;
    }
}

/** Whoever the link is for, or who was here before. */
export async function signIn() {
    onSignedOut((refusal) => {
        remember(null);
        state.why = refusal.code === 'ATTACH_AUTH_EXPIRED' ? 'This access has expired or was revoked.' : '';
        changed();
    });
    if (!(await signInByLink())) {
        state.me = remembered();
        state.why = state.me ? '' : state.why;
    }
}

/** Signs in whoever the link in the address is for. Where there is none, or it is not good, all stays as it is. */
export async function signInByLink() {
    const secret = secretOfLink();
    if (!secret) {
        return false;
    }
    try {
        remember(await request('POST', '/api/v1/sign-in', undefined, secret));
        state.why = '';
        return true;
    } catch (failure) {
        const why = `The link was not accepted: ${failure.message}.`;
        if (state.me) {
            tell(why, 'error');
        } else {
            state.why = why;
        }
        return false;
    }
}

export async function signOut() {
    await request('DELETE', '/api/v1/sign-in').catch(() => {});
    remember(null);
    changed();
}
