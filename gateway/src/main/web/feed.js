// The streams of all sessions that the page follows, on one WebSocket (PROTOCOL.md 4.4). One connection,
// because browsers allow six HTTP connections to a host over all their tabs, and a page that follows twenty
// sessions needs twenty.
//
// Each reader has a position, (epoch, seq), which survives the connection: after a loss the feed connects
// again and subscribes behind the last frame that each reader has.
//
// The gateway sends WINDOW_BYTES of a stream beyond what the page said it has drawn. So what a page cannot draw, because it
// has no time or nobody sees it, waits at the gateway, in the record, and not in the browser.
import {post, Refusal} from './api.js';
import {state, changed} from './store.js';

const WINDOW_BYTES = 512 * 1024;
const DRAWN_CHARACTERS = WINDOW_BYTES / 8; // of UTF-8, at most three bytes each
const PING_MS = 10_000;
const SILENCE_MS = 25_000;
const RETRY_MS = [300, 700, 1500, 3000, 6000];
// Errors of one subscription after which it is asked for again.
const AGAIN = new Set(['SESSION_NOT_READY', 'MAX_SUBSCRIPTIONS', 'SLOW_READER', 'SHUTTING_DOWN']);

export class Feed {
    #readers = new Map();
    #socket = null;
    #subscribed = new Map(); // by session: what of it was not acknowledged yet
    #unanswered = new Map(); // by session: subscriptions of this connection that are not answered yet
    #heardMs = 0;
    #tries = 0;
    #retry = 0;
    #wanted = false;
    #told;
    #lists;

    /**
     * @param told what to call with lines that concern no single stream, by their type
     * @param lists the lines that ask for them
     */
    constructor(told, lists) {
        this.#told = told;
        this.#lists = lists;
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
     * Follows a session until it is unfollowed. The reader is asked for `from()` and its `wish`, and told by
     * `welcome(line)`, `frame(frame)`, `gap(gap)`, `aside(line)`, `ended()`, and `lost()` while there is no stream.
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

    /** A session that was not ready may be now. */
    hurry(id) {
        if (this.#readers.has(id) && !this.#subscribed.has(id) && this.#socket?.readyState === WebSocket.OPEN) {
            this.#subscribe(id);
        }
    }

    /** What was read is drawn: the gateway may send more. */
    drawn() {
        const lines = [];
        for (const [id, open] of this.#subscribed) {
            if (open.characters > DRAWN_CHARACTERS && open.seq) {
                open.characters = 0;
                lines.push(JSON.stringify({action: 'ack', id, seq: open.seq}));
            }
        }
        if (lines.length && this.#socket?.readyState === WebSocket.OPEN) {
            this.#socket.send(lines.join('\n'));
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
        this.#heardMs = Date.now();
        try {
            ({ticket} = await post('tickets', {}));
        } catch (failure) {
            if (this.#socket !== socket) {
                return;
            }
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
            this.#lists.forEach((line) => this.#send(line));
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
        this.#readers.forEach((reader) => reader.lost());
        this.#unanswered.clear();
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

    /** A connection that is silent, or does not come about, is lost. */
    #beat() {
        if (this.#socket && Date.now() - this.#heardMs > SILENCE_MS) {
            this.#lose();
        } else {
            this.#send({action: 'ping'});
        }
    }

    /** A line about a session that is followed. @return whether it went */
    send(line) {
        return this.#subscribed.has(line.id) && this.#send(line);
    }

    #send(line) {
        const open = this.#socket?.readyState === WebSocket.OPEN;
        if (open) {
            this.#socket.send(JSON.stringify(line));
        }
        return open;
    }

    #subscribe(id) {
        const {wish} = this.#readers.get(id);
        this.#subscribed.set(id, {characters: 0, seq: 0});
        this.#unanswered.set(id, (this.#unanswered.get(id) ?? 0) + 1);
        this.#send({
            action: 'subscribe',
            id,
            ...wish,
            ...(wish.role === 'watcher' ? {window_bytes: WINDOW_BYTES} : {}),
            presence: true,
            from: this.#readers.get(id).from(),
        });
    }

    /** A message: lines of one session, which the first one names, or one line about the connection. */
    #read(text) {
        this.#heardMs = Date.now();
        const lines = text.split('\n');
        const first = JSON.parse(lines[0]);
        if (first.type === 'error' && first.id !== undefined && this.#isNewest(first.id)) {
            this.#refused(first.id, first);
        }
        if (this.#told[first.type]) {
            this.#told[first.type](first);
            changed();
        }
        if (first.type !== 'session') {
            return;
        }
        const open = this.#subscribed.get(first.spawn_id);
        if (open) {
            open.characters += text.length;
        }
        for (let i = 1; i < lines.length; i++) {
            if (lines[i]) {
                this.#take(first.spawn_id, JSON.parse(lines[i]));
            }
        }
        changed();
    }

    /** One subscription is answered. @return whether it is the newest: what an earlier one says is for nobody. */
    #isNewest(id) {
        const left = (this.#unanswered.get(id) ?? 1) - 1;
        this.#unanswered.set(id, Math.max(0, left));
        return left <= 0;
    }

    #take(id, line) {
        // Lines of a subscription that this page left may still be on their way, also while it has no other.
        const isEarlier = line.type === 'authenticated' ? !this.#isNewest(id) : this.#unanswered.get(id) > 0;
        const reader = this.#readers.get(id);
        if (isEarlier || !reader) {
            return;
        }
        if (line.seq !== undefined) {
            reader.frame(line);
            const open = this.#subscribed.get(id);
            if (open) {
                open.seq = line.seq;
            }
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
        reader?.lost();
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
