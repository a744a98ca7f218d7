import {once} from 'node:events';
import net from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {BrigError} from './errors.js';

const PAUSE_MS_MIN = 10;
const PAUSE_MS_MAX = 1_000;

/**
 * Runs something that must end in time. What it gets is a signal that says when to give up; what it then fails with is
 * replaced by the reason of that: `TIMEOUT`, or the reason of the caller's own signal.
 *
 * @template T
 * @param {number} timeoutMs
 * @param {string} what for the message
 * @param {AbortSignal | undefined} signal
 * @param {(limit: AbortSignal) => Promise<T>} run
 * @returns {Promise<T>}
 */
export async function within(timeoutMs, what, signal, run) {
    signal?.throwIfAborted();
    const limit = new AbortController();
    const timer = setTimeout(() => {
        limit.abort(new BrigError('TIMEOUT', `${what} took longer than ${timeoutMs} ms`));
    }, timeoutMs);
    const handleAbort = () => limit.abort(signal.reason);
    signal?.addEventListener('abort', handleAbort, {once: true});
    try {
        return await run(limit.signal);
    } catch (failure) {
        if (limit.signal.reason instanceof BrigError && limit.signal.reason !== failure) {
            limit.signal.reason.cause = failure;
        }
        limit.signal.throwIfAborted();
        throw failure;
    } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', handleAbort);
    }
}

/**
 * Tries until it works, fails for good, or has to be given up. In between it waits as long as Brig says, else longer each
 * time, and never as long as others who lost the same gateway.
 *
 * @template T
 * @param {AbortSignal} limit
 * @param {() => Promise<T>} run
 * @param {(failure: any) => boolean | undefined} [mayPass]
 * @returns {Promise<T>}
 */
export async function persist(limit, run, mayPass = (failure) => failure.isPassing) {
    let last;
    for (let pauseMs = PAUSE_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
        try {
            return await run();
        } catch (failure) {
            if (limit.aborted) {
                throw last ?? failure;
            }
            if (!mayPass(failure)) {
                throw failure;
            }
            last = failure;
            const waitMs = failure.retryAfterSeconds * 1_000 || pauseMs * (0.5 + Math.random() / 2);
            await sleep(waitMs, undefined, {signal: limit}).catch(() => {
                throw failure;
            });
        }
    }
}

/** Waits for a promise, or until the signal says to give up; the promise goes on then. */
export async function unless(signal, promise) {
    signal.throwIfAborted();
    const {promise: given, reject: giveUp} = deferred();
    const handleAbort = () => giveUp(signal.reason);
    signal.addEventListener('abort', handleAbort, {once: true});
    try {
        return await Promise.race([promise, given]);
    } finally {
        signal.removeEventListener('abort', handleAbort);
    }
}

/** A promise with its two ends. Nobody has to wait for it. */
export function deferred() {
    const made = {};
    made.promise = new Promise((resolve, reject) => Object.assign(made, {resolve, reject}));
    made.promise.catch(() => {});
    return made;
}

/**
 * Connects.
 *
 * @param {string | import('./http-gateway.js').HttpGateway} place the path of a Unix socket, or a gateway over HTTP
 * @param {AbortSignal} signal
 * @throws {BrigError} CONNECTION_FAILED
 */
export function dial(place, signal) {
    return typeof place === 'string' ? dialUnix(place, signal) : place.dial(signal);
}

async function dialUnix(path, signal) {
    signal.throwIfAborted();
    const socket = net.connect(path);
    // Every error is followed by 'close', which is what is listened to.
    socket.on('error', () => {});
    try {
        await once(socket, 'connect', {signal});
        return socket;
    } catch (cause) {
        socket.destroy();
        signal.throwIfAborted();
        throw new BrigError('CONNECTION_FAILED', `cannot connect to ${path}: ${cause.code ?? cause.message}`, {cause});
    }
}
