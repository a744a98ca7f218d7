import {setTimeout as sleep} from 'node:timers/promises';
import {Connection} from './connection.js';
import {persist, unless, within} from './dial.js';
import {BrigError} from './errors.js';
import {Position} from './position.js';

/** Who lost the same gateway does not come back all at once, and nobody asks without a pause. */
const PAUSE_MS_MAX = 20;

/**
 * The way to a session over any number of connections: one that is lost is made again, and resumed behind the last
 * message. Its owner gets `handleMessage(message, bytes)` for each that is new, in order, `handleFlow()` when it may
 * read more or less, and once `handleOver(failure)`; without a failure the last frame was there.
 */
export class Link {
    #place;
    #timeouts;
    #owner;
    #position = new Position();
    /** Null while there is none. */
    #connection = null;
    /** Settles when there is a connection again, or will be none. */
    #connected;
    #isOver = false;
    /** Ends what is under way when it is over. */
    #over = new AbortController();

    constructor(place, timeouts, owner) {
        this.#place = place;
        this.#timeouts = timeouts;
        this.#owner = owner;
    }

    /** Connects for the first time. */
    async open() {
        this.#begin(this.#timeouts.readyMs, `waiting for ${this.#place.ioSocket ?? this.#place.spawnerSocket}`, 0);
        await this.#connected;
    }

    /** Whether Brig owes an answer. */
    get isWaiting() {
        return this.#connection !== null && this.#connection.isWaiting;
    }

    /** Whether the last frame was there. */
    get isAtEnd() {
        return this.#position.isAtEnd;
    }

    pause() {
        this.#connection?.pause();
    }

    resume() {
        this.#connection?.resume();
    }

    /** Sends a line when there is a connection; resolves when Brig has taken it. */
    async tell(line) {
        while (this.#connection === null && !this.#isOver) {
            await this.#connected;
        }
        if (this.#isOver) {
            throw ended(this.#place);
        }
        const taken = this.#connection.tell(line);
        this.#owner.handleFlow();
        await within(this.#timeouts.answerMs, 'waiting for Brig to take a message', undefined, (limit) =>
            unless(limit, taken),
        );
    }

    /** Ends it; who waits for something is told the failure. */
    close(failure) {
        if (this.#isOver) {
            return;
        }
        this.#isOver = true;
        this.#over.abort(failure ?? ended(this.#place));
        this.#connection?.close();
        this.#connection = null;
        this.#owner.handleOver(failure);
    }

    #begin(timeoutMs, what, pauseMsMax) {
        this.#connected = within(timeoutMs, what, this.#over.signal, async (limit) => {
            await sleep(Math.random() * pauseMsMax, undefined, {signal: limit});
            await persist(limit, () => this.#connect(limit));
        }).catch((failure) => {
            this.close(failure);
            throw failure;
        });
        // Who reads is told of it, whether anybody waits to send or not.
        this.#connected.catch(() => {});
    }

    async #connect(limit) {
        const connection = await this.#dial(limit);
        if (this.#isOver) {
            connection.close();
        } else {
            this.#connection = connection;
            this.#owner.handleFlow();
            connection.handOver();
        }
    }

    /**
     * A session's socket goes some time after its end; then the spawner socket has what is left to read. Over HTTP there
     * is no other.
     */
    async #dial(limit) {
        const {ioSocket, token, spawnerSocket, spawnId, maxLatencyMs} = this.#place;
        const wanted = {from: this.#position.next, max_latency_ms: maxLatencyMs};
        const owner = {
            handleAuthenticated: (welcome) => this.#handleAuthenticated(welcome),
            handleMessage: (message, bytes) => this.#handleMessage(message, bytes),
            handleTaken: () => this.#owner.handleFlow(),
            handleClosed: (failure) => this.#handleClosed(failure),
        };
        const attach = () => Connection.open(spawnerSocket, {action: 'attach', id: spawnId, ...wanted}, owner, limit);
        if (ioSocket === undefined) {
            return attach();
        }
        try {
            return await Connection.open(ioSocket, {auth: token, ...wanted}, owner, limit);
        } catch (failure) {
            if (failure.code !== 'CONNECTION_FAILED' || !this.#position.hasBegun) {
                throw failure;
            }
            return attach();
        }
    }

    /** The connection may read. Returns false where it must begin elsewhere: the stream that we know is gone. */
    #handleAuthenticated(welcome) {
        const gap = this.#position.enter(welcome);
        if (gap !== undefined) {
            this.#owner.handleMessage(gap, 0);
        }
        return welcome.from <= this.#position.next;
    }

    #handleMessage(message, bytes) {
        if (this.#position.admit(message)) {
            this.#owner.handleMessage(message, bytes);
            if (this.#position.isAtEnd) {
                this.close();
            }
        }
    }

    #handleClosed(failure) {
        this.#connection = null;
        if (failure.code === 'CONNECTION_LOST') {
            this.#begin(this.#timeouts.reconnectMs, 'connecting again', PAUSE_MS_MAX);
        } else {
            this.close(failure);
        }
    }
}

function ended({spawnId}) {
    return new BrigError('SESSION_ENDED', 'the session is over', {spawnId});
}
