// Signing in: the link's fragment has a ticket or a token, which is exchanged for a cookie and a key, and
// forgotten.
import {request, onSignedOut} from './api.js';
import {state, changed, confirmFirst, tell} from './store.js';

const STORED = 'brig';
const LINK = /^#(brig_[A-Za-z0-9_-]{43})(\/.*)?$/;

/** Takes the secret out of the address, so that neither a bookmark nor a screenshot has it. */
export function secretOfLink() {
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
        askForWays().then(changed);
    });
    state.me = remembered();
    await signInByLink(secretOfLink());
    if (!state.me) {
        await askForWays();
    }
}

/** The issuer by which people may sign in here, if there is one. */
async function askForWays() {
    const {issuer} = await request('GET', '/api/v1/sign-in').catch(() => ({}));
    state.issuer = issuer ?? null;
}

/**
 * Signs in whoever a link is for. Where there is none, or it is not good, all stays as it is. A link that somebody shared
 * replaces nobody without a question.
 */
export async function signInByLink(secret) {
    if (!secret) {
        return;
    }
    if (state.me && (await isShared(secret)) && (await isStillHere())) {
        askWhoToBe(secret);
    } else {
        await signInWith(secret);
    }
}

/** A ticket, which works once, opens nothing but the sign-in: what opens more is a token, which others may have too. */
const isShared = (secret) =>
    request('GET', '/api/v1/sessions?limit=1', undefined, secret).then(
        () => true,
        () => false,
    );

const isStillHere = () =>
    request('GET', '/api/v1/sessions?limit=1').then(
        () => true,
        () => state.me !== null,
    );

function askWhoToBe(secret) {
    const me = `${state.me.captain} · ${state.me.role}`;
    confirmFirst({
        what: `You are signed in here as ${me}. This is a link for somebody without an account, who sees one session alone.`,
        names: 'This browser has one sign-in for all its tabs. To be both, open the link in another browser or in a private window.',
        verb: `Stay ${me}`,
        act() {},
        isSafe: true,
        otherwise: {verb: 'Sign in with the link', act: () => signInWith(secret).then(changed)},
    });
}

async function signInWith(secret) {
    try {
        remember(await request('POST', '/api/v1/sign-in', undefined, secret));
        state.why = '';
    } catch (failure) {
        const why = `The link was not accepted: ${failure.message}.`;
        if (state.me) {
            tell(why, 'error');
        } else {
            state.why = why;
        }
    }
}

export function askToSignOut() {
    confirmFirst({
        what: state.me.captain.startsWith('oidc:')
            ? 'This browser forgets who you are. The issuer that signed you in may still know you.'
            : "This browser forgets who you are. To come back, run brig open in a terminal on the gateway's host.",
        verb: 'Sign out',
        act: signOut,
    });
}

async function signOut() {
    await request('DELETE', '/api/v1/sign-in').catch(() => {});
    remember(null);
    changed();
    await askForWays();
    changed();
}
