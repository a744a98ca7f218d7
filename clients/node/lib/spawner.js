import {dial, unless} from './dial.js';
import {BrigError} from './errors.js';
import {LineReader} from './lines.js';

const ANSWER_BYTES_MAX = 1_048_576;
/** How long an answer is waited for that nobody wants any more. */
const LATE_MS = 30_000;

/**
 * One request on the spawner socket, and its answer.
 *
 * @param {string | import('./http-gateway.js').HttpGateway} spawnerSocket
 * @param {object} request
 * @param {AbortSignal} signal
 * @param {(answer: object) => unknown} [handleLate] gets the answer where it comes after the caller gave up
 * @param {number} [bytesMax] of the answer
 * @returns {Promise<Record<string, any>>}
 * @throws {BrigError} what Brig refuses it with; CONNECTION_FAILED where nothing was asked; CONNECTION_LOST where nobody
 *     knows what became of it
 */
export async function ask(spawnerSocket, request, signal, handleLate, bytesMax = ANSWER_BYTES_MAX) {
    const socket = await dial(spawnerSocket, signal);
    const answer = firstObject(socket, spawnerSocket, bytesMax);
    socket.write(`${JSON.stringify(request)}\n`);
    try {
        return await unless(signal, answer);
    } finally {
        if (signal.aborted && handleLate !== undefined) {
            const timer = setTimeout(() => socket.destroy(), LATE_MS);
            answer
                .then(handleLate, () => {})
                .finally(() => {
                    clearTimeout(timer);
                    socket.destroy();
                });
        } else {
            socket.destroy();
        }
    }
}

function firstObject(socket, spawnerSocket, bytesMax) {
    const lines = new LineReader(bytesMax);
    const answer = new Promise((resolve, reject) => {
        socket.on('data', (piece) => {
            try {
                for (const [object] of lines.read(piece)) {
                    if (object.error === undefined) {
                        resolve(object);
                    } else {
                        reject(BrigError.of(object));
                    }
                }
            } catch (violation) {
                reject(violation);
                socket.destroy();
            }
        });
        socket.on('close', () => {
            reject(new BrigError('CONNECTION_LOST', `${spawnerSocket} was closed before it answered`));
        });
    });
    // Whoever gave up does not look at it.
    answer.catch(() => {});
    return answer;
}
