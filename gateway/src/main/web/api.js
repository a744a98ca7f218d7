// Requests to the gateway. The cookie goes by itself; the key that makes it count is a header.
import {state, tell} from './store.js';

/** A refusal of the gateway: what section 6 of the protocol says. */
export class Refusal extends Error {
    constructor(status, problem) {
        super(problem.detail || problem.title || `HTTP status ${status}`);
        this.status = status;
        this.code = problem.code || '';
        this.retryMs = (problem.retry_after_seconds || 0) * 1000;
    }
}

let signedOut = () => {};

/** Says what to do when the gateway does not know us any more. */
export function onSignedOut(handler) {
    signedOut = handler;
}

export async function request(method, path, body, bearer) {
    const key = state.me?.key ?? '';
    const headers = bearer ? {Authorization: `Bearer ${bearer}`} : {'Brig-Key': key};
    if (body !== undefined) {
        headers['Content-Type'] = 'application/json';
    }
    const response = await fetch(path, {
        method,
        headers,
        cache: 'no-store',
        credentials: 'same-origin',
        redirect: 'error',
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) {
        const refusal = new Refusal(response.status, answer);
        // Meanwhile somebody else may have signed in here, by a link.
        if (response.status === 401 && !bearer && key === (state.me?.key ?? '')) {
            signedOut(refusal);
        }
        throw refusal;
    }
    return answer;
}

export const get = (path) => request('GET', `/api/v1/${path}`);
export const post = (path, body) => request('POST', `/api/v1/${path}`, body);
export const remove = (path) => request('DELETE', `/api/v1/${path}`);

/** Does something for a person, who is told where it fails. @return whether it succeeded */
export async function attempt(what, done) {
    try {
        await what();
        if (done) {
            tell(done);
        }
        return true;
    } catch (failure) {
        tell(failure instanceof Refusal ? failure.message : 'The gateway does not answer.', 'error');
        return false;
    }
}

/** Whether the gateway is not reached now: nothing can be asked of it. */
export const isOffline = () => state.link.state === 'lost';
export const isAdmin = () => state.me?.role === 'admin';
export const isCaptain = () => isAdmin() || state.me?.role === 'captain';
export const mayStart = () => isAdmin() || (state.me?.role === 'captain' && !state.me.spawn_id);
/** Admins see what all sessions cost, captains their own. */
export const seesCosts = mayStart;
