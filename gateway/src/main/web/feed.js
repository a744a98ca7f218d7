// The streams of all sessions that the page follows, on one WebSocket (PROTOCOL.md 4.4). One connection,
// because browsers allow six HTTP connections to a host over all their tabs, and a page that follows twenty
// sessions needs twenty.
//
// Each reader has a position, (epoch, seq), which survives the connection: after a loss the feed connects
// again and subscribes behind the last frame that each reader has.
import {post, Refusal} from './api.js';
import {state, changed} from './store.js';

// People read no faster than text comes in pieces of this.
const TEXT_MS = 50;
const PING_MS = 10_000;
const SILENCE_MS = 25_000;
const RETRY_MS = [300, 700, 1500, 3000, 6000];
// Errors of one subscription after which it is asked for again.
const AGAIN = new Set(['SESSION_NOT_READY', 'MAX_SUBSCRIPTIONS', 'SLOW_READER', 'SHUTTING_DOWN']);

export class Feed {
    #readers = new Map();
    #socket = null;
    #subscribed = new Set();
    #heardMs = 0;
    #tries = 0;
    #retry = 0;
    #wanted = false;
    #asks;

    /** @param asks is told what agents ask */
    constructor(asks) {
        this.#asks = asks;
        setInterval(() => this.#beat(), PING_MS / 2);
        addEventListener('online', () => this.#connectNow());
        addEventListener('offline', () => this.#lose());
        document.addEventListener('visibilitychange', () => document.hidden || this.#beat());
    }

    /** Connects, and stays connected. */
    start() {
        this.#wanted = true;
        if (!this.#socket && !this.#retry) {
            this.#connect();
        }
    }

    /**
     * Follows a session until it is unfollowed. The reader is asked for `from()`, and told by
     * `welcome(line)`, `frame(frame)`, `gap(gap)`, `aside(line)` and `ended()`.
     */
    follow(id, reader) {
        this.#readers.set(id, reader);
        if (this.#socket?.readyState === WebSocket.OPEN) {
            this.#subscribe(id);
        }
    }

    unfollow(id) {
        this.#readers.delete(id);
        if (this.#subscribed.delete(id)) {
            this.#send({action: 'unsubscribe', id});
        }
    }

    follows(id) {
        return this.#readers.has(id);
    }

    /** Ends everything: nobody is signed in any more. */
    stop() {
        this.#wanted = false;
        this.#readers.clear();
        this.#lose();
    }

    async #connect() {
        this.#retry = 0;
        let ticket;
        const socket = (this.#socket = {readyState: WebSocket.CONNECTING, close() {}});
        try {
            ({ticket} = await post('tickets', {}));
        } catch (failure) {
            if (failure instanceof Refusal && failure.status === 401) {
                this.stop();
            } else {
                this.#lose();
            }
            return;
        }
        if (this.#socket === socket) {
            this.#open(ticket);
        }
    }

    #open(ticket) {
        const url = `${location.origin.replace('http', 'ws')}/api/v1/ws?ticket=${ticket}`;
        const socket = (this.#socket = new WebSocket(url, 'brig.v1'));
        this.#heardMs = Date.now();
        socket.onopen = () => {
            this.#tries = 0;
            this.#become('live');
            this.#send({action: 'follow_asks'});
            [...this.#readers.keys()].forEach((id) => this.#subscribe(id));
        };
        socket.onmessage = (message) => this.#read(message.data);
        socket.onclose = () => this.#socket === socket && this.#lose();
    }

    /** The connection is gone, or silent as if it were: again soon. What readers have, they have. */
    #lose() {
        this.#socket?.close();
        this.#socket = null;
        this.#subscribed.clear();
        clearTimeout(this.#retry);
        this.#retry = 0;
        if (this.#wanted) {
            const ms = RETRY_MS[Math.min(this.#tries++, RETRY_MS.length - 1)] * (0.75 + Math.random() / 2);
            this.#retry = setTimeout(() => this.#connect(), ms);
            this.#become('lost');
        }
    }

    #connectNow() {
        if (this.#retry) {
            clearTimeout(this.#retry);
            this.#connect();
        }
    }

    #become(name) {
        state.link = {state: name, tries: this.#tries};
        changed();
    }

    #beat() {
        if (this.#socket?.readyState !== WebSocket.OPEN) {
            return;
        }
        if (Date.now() - this.#heardMs > SILENCE_MS) {
            this.#lose();
        } else {
            this.#send({action: 'ping'});
        }
    }

    #send(line) {
        if (this.#socket?.readyState === WebSocket.OPEN) {
            this.#socket.send(JSON.stringify(line));
        }
    }

    #subscribe(id) {
        this.#subscribed.add(id);
        this.#send({
            action: 'subscribe',
            id,
            role: 'watcher',
            presence: true,
            max_latency_ms: TEXT_MS,
            from: this.#readers.get(id).from(),
        });
    }

    /** A message: lines of one session, which the first one names, or one line about the connection. */
    #read(text) {
        this.#heardMs = Date.now();
        const lines = text.split('\n');
        const first = JSON.parse(lines[0]);
        if (first.type === 'error' && first.id !== undefined) {
            this.#refused(first.id, first);
        }
        if (['asks', 'ask', 'answered'].includes(first.type)) {
            this.#asks(first);
            changed();
        }
        if (first.type !== 'session') {
            return;
        }
        const reader = this.#readers.get(first.spawn_id);
        for (let i = 1; reader && i < lines.length; i++) {
            if (lines[i]) {
                this.#take(first.spawn_id, reader, JSON.parse(lines[i]));
            }
        }
        changed();
    }

    #take(id, reader, line) {
        if (line.seq !== undefined) {
            reader.frame(line);
            if (line.type === 'state' && line.state === 'terminated') {
                this.#subscribed.delete(id);
                this.#readers.delete(id);
                reader.ended();
            }
        } else if (line.type === 'authenticated') {
            if (!reader.welcome(line)) {
                // Another epoch: what was counted before means nothing, the stream is read from its
                // beginning.
                this.#send({action: 'unsubscribe', id});
                this.#subscribe(id);
            }
        } else if (line.type === 'gap') {
            reader.gap(line);
        } else if (line.type === 'error') {
            this.#refused(id, line);
        } else {
            reader.aside(line);
        }
    }

    /** One subscription came to nothing, or ended: where it may succeed later, it is asked for again. */
    #refused(id, line) {
        this.#subscribed.delete(id);
        const reader = this.#readers.get(id);
        if (reader && AGAIN.has(line.code)) {
            setTimeout(
                () => this.#readers.get(id) === reader && !this.#subscribed.has(id) && this.#subscribe(id),
                (line.retry_after_seconds ?? 1) * 1000,
            );
        } else if (reader) {
            this.#readers.delete(id);
            reader.aside(line);
        }
    }
}
