import http from 'node:http';
import https from 'node:https';
import {deferred} from './dial.js';
import {BrigError} from './errors.js';

const BODY_BYTES_MAX = 65_536;
/** What a reverse proxy says while its gateway is started. */
const PASSING = new Set([502, 503, 504]);

/** A gateway by its address: from the 101 on, a connection there is one to the spawner socket. */
export class HttpGateway {
    #url;
    #token;

    /**
     * @param {string} url `http://HOST:PORT`, `https://…`, also with a path
     * @param {string | undefined} token that may start sessions
     */
    constructor(url, token) {
        const parsed = URL.canParse(url) ? new URL(url) : undefined;
        if (
            parsed?.host === undefined ||
            !/^https?:$/.test(parsed.protocol) ||
            parsed.search ||
            parsed.hash ||
            parsed.username
        ) {
            throw new BrigError('INVALID_FIELD', 'url is such as http://127.0.0.1:7070');
        }
        if (typeof token !== 'string' || !/^[!-~]{1,512}$/.test(token)) {
            throw new BrigError('INVALID_FIELD', 'with url goes a token');
        }
        this.#url = new URL(`${parsed.href.replace(/\/$/, '')}/api/v1/spawner`);
        this.#token = token;
    }

    toString() {
        return this.#url.host;
    }

    /**
     * Connects.
     *
     * @param {AbortSignal} signal
     * @returns {Promise<import('node:net').Socket>}
     * @throws {BrigError} what Brig refuses it with; CONNECTION_FAILED
     */
    async dial(signal) {
        signal.throwIfAborted();
        const dialed = deferred();
        const request = (this.#url.protocol === 'https:' ? https : http).request(this.#url, {
            agent: false,
            headers: {connection: 'Upgrade', upgrade: 'brig.spawner.v1', authorization: `Bearer ${this.#token}`},
        });
        request.on('upgrade', (_, socket, head) => {
            // Every error is followed by 'close', which is what is listened to.
            socket.on('error', () => {});
            socket.unshift(head);
            dialed.resolve(socket);
        });
        request.on('response', (response) => refusal(response).then(dialed.reject));
        request.on('error', (cause) => {
            const why = `cannot connect to ${this}: ${cause.code ?? cause.message}`;
            dialed.reject(new BrigError('CONNECTION_FAILED', why, {cause}));
        });
        const handleAbort = () => request.destroy(signal.reason);
        signal.addEventListener('abort', handleAbort, {once: true});
        request.end();
        try {
            return await dialed.promise;
        } catch (failure) {
            request.destroy();
            signal.throwIfAborted();
            throw failure;
        } finally {
            signal.removeEventListener('abort', handleAbort);
        }
    }
}

/** What a refusal over HTTP says; what is not Brig's own has the status alone. */
async function refusal(response) {
    const status = response.statusCode;
    let body = '';
    try {
        response.setEncoding('utf8');
        for await (const piece of response) {
            body += piece;
            if (body.length > BODY_BYTES_MAX) {
                break;
            }
        }
        const problem = JSON.parse(body);
        if (typeof problem.code === 'string') {
            return BrigError.of({...problem, error: problem.error ?? problem.detail});
        }
    } catch {
        // It is no problem of Brig's.
    }
    const retryAfterSeconds = PASSING.has(status) ? 1 : undefined;
    return new BrigError('CONNECTION_FAILED', `the answer is HTTP ${status}, not 101`, {retryAfterSeconds});
}
