import {deferred, dial, unless} from './dial.js';
import {BrigError} from './errors.js';
import {LineReader} from './lines.js';

const FRAME_BYTES_MAX = 65_536;

/**
 * One connection to a session. It tells its owner everything in the order in which it came, each in the turn in which its
 * bytes were read: `handleAuthenticated(line)` first, which says whether to go on, then `handleMessage(line, bytes)`, and
 * once `handleClosed(failure)`.
 *
 * Brig works off lines in order and answers only a refusal, or `ping`. So behind each line goes a `ping`: an error before
 * its `pong` is that line's, and a `pong` alone says that Brig has taken it. What becomes of an answer to an ask comes when
 * the agent's host has decided it, and names the ask.
 */
export class Connection {
    #socket;
    #owner;
    #lines = new LineReader(FRAME_BYTES_MAX);
    #opened = deferred();
    #isOpen = false;
    /** Lines that Brig has not answered for yet, the oldest first. */
    #untaken = [];
    /** Answers to asks that are not decided yet, the oldest first. */
    #undecided = [];
    #isOver = false;
    /** What it died of. */
    #failure;
    #isHandedOver = false;

    /**
     * Connects, says hello, and waits until Brig lets it in.
     *
     * @param {string | import('./http-gateway.js').HttpGateway} place a session's socket, or the spawner socket
     * @param {object} hello `auth` there, `attach` here
     * @param {object} owner
     * @param {AbortSignal} signal
     */
    static async open(place, hello, owner, signal) {
        const connection = new Connection(await dial(place, signal), owner);
        connection.#write(hello);
        try {
            await unless(signal, connection.#opened.promise);
            return connection;
        } catch (failure) {
            connection.close();
            throw failure;
        }
    }

    constructor(socket, owner) {
        this.#socket = socket;
        this.#owner = owner;
        socket.on('data', (piece) => this.#handleData(piece));
        socket.on('close', () => this.#die(new BrigError('CONNECTION_LOST', 'the connection to the session was lost')));
    }

    /** Its owner has it: from now on it is told of the end, also of one that has been. */
    handOver() {
        this.#isHandedOver = true;
        if (this.#failure !== undefined) {
            this.#owner.handleClosed(this.#failure);
        }
    }

    /** Whether an answer to something that was told is still due. */
    get isWaiting() {
        return this.#untaken.length > 0 || this.#undecided.length > 0;
    }

    /**
     * Sends a line.
     *
     * @returns {Promise<void>} when Brig has taken it
     * @throws {BrigError} what Brig refuses it with; CONNECTION_LOST where nobody knows whether it arrived
     */
    tell(line) {
        const taken = deferred();
        if (this.#isOver) {
            taken.reject(new BrigError('CONNECTION_LOST', 'the connection to the session was lost'));
        } else if (line.ask_id !== undefined) {
            this.#undecided.push({taken, askId: line.ask_id});
            this.#write(line);
        } else {
            this.#untaken.push({taken, refusal: undefined});
            this.#write(line);
            this.#write({action: 'ping'});
        }
        return taken.promise;
    }

    pause() {
        this.#socket.pause();
    }

    resume() {
        this.#socket.resume();
    }

    /** Ends it without a word to its owner. */
    close() {
        this.#isOver = true;
        this.#rejectUntaken(new BrigError('CONNECTION_LOST', 'the connection to the session was closed'));
        this.#socket.destroy();
    }

    #write(line) {
        this.#socket.write(`${JSON.stringify(line)}\n`);
    }

    #handleData(piece) {
        try {
            for (const [line, bytes] of this.#lines.read(piece)) {
                this.#handleLine(line, bytes);
                if (this.#isOver) {
                    return;
                }
            }
        } catch (failure) {
            this.#die(failure);
        }
    }

    #handleLine(line, bytes) {
        if (!this.#isOpen) {
            this.#handleFirst(line);
        } else if (line.type === 'pong') {
            this.#handleTaken();
        } else if (line.seq === undefined && line.ask_id !== undefined) {
            this.#handleDecided(line);
        } else if (line.type === 'error' && line.seq === undefined && this.#isRefusal(line)) {
            this.#untaken[0].refusal ??= BrigError.of(line);
        } else if (line.type === 'error' && line.seq === undefined && line.from !== undefined) {
            // The last word, in place of all that would follow: the connection is over, the session is not.
            this.#die(new BrigError('CONNECTION_LOST', line.error, {cause: BrigError.of(line)}));
        } else {
            this.#owner.handleMessage(line, bytes);
        }
    }

    #handleFirst(line) {
        if (line.type === 'authenticated') {
            this.#isOpen = this.#owner.handleAuthenticated(line);
            if (this.#isOpen) {
                this.#opened.resolve();
            } else {
                this.#die(new BrigError('CONNECTION_LOST', 'the stream begins anew'));
            }
        } else if (line.type === 'error' || line.error !== undefined) {
            this.#die(BrigError.of(line));
        } else {
            this.#die(new BrigError('PROTOCOL_VIOLATION', `Brig began with ${JSON.stringify(line.type)}`));
        }
    }

    /** Not an error that concerns the connection or the stream as a whole. */
    #isRefusal(line) {
        return this.#untaken.length > 0 && line.from === undefined && line.code !== 'RECORD_LOST';
    }

    #handleDecided(line) {
        const at = this.#undecided.findIndex(({askId}) => askId === line.ask_id);
        if (at >= 0) {
            const [{taken}] = this.#undecided.splice(at, 1);
            if (line.type === 'error') {
                taken.reject(BrigError.of(line));
            } else {
                taken.resolve();
            }
            this.#owner.handleTaken();
        }
    }

    #handleTaken() {
        const told = this.#untaken.shift();
        if (told?.refusal === undefined) {
            told?.taken.resolve();
        } else {
            told.taken.reject(told.refusal);
        }
        this.#owner.handleTaken();
    }

    #die(failure) {
        if (this.#isOver) {
            return;
        }
        this.#isOver = true;
        this.#failure = failure;
        this.#socket.destroy();
        this.#rejectUntaken(failure);
        this.#opened.reject(failure);
        if (this.#isHandedOver) {
            this.#owner.handleClosed(failure);
        }
    }

    #rejectUntaken(failure) {
        for (const {taken} of [...this.#untaken.splice(0), ...this.#undecided.splice(0)]) {
            taken.reject(failure);
        }
    }
}
