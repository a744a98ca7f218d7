// The part of Brig's protocol that a captain needs: a request on the spawner socket, and one session on its
// own socket.
import net from 'node:net';

const LINE_CHARS_MAX = 4 * 1024 * 1024;
const FRAMES_WAITING_MAX = 512;
const RECONNECT_MS = 200;
const RECONNECT_MS_MAX = 30_000;
/** The session is over for this client, or was never open to it. */
const FINAL = new Set([
    'UNAUTHENTICATED',
    'FORBIDDEN',
    'ATTACH_AUTH_MISSING',
    'ATTACH_AUTH_EXPIRED',
    'AUTH_TIMEOUT',
    'SESSION_ENDED',
    'NOT_FOUND',
]);

/**
 * A refusal of Brig: {@code code} says what to do next, {@code retryAfterSeconds} when the same may
 * succeed.
 */
export class BrigError extends Error {
    constructor(message, code = 'WORKER_LOST', retryAfterSeconds = undefined) {
        super(`Brig: ${message} (${code})`);
        this.code = code;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    static of(line) {
        return new BrigError(line.error, line.code, line.retry_after_seconds);
    }
}

/** Calls back for each object of a stream of NDJSON. */
function readLines(socket, handle) {
    let rest = '';
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop();
        if (rest.length > LINE_CHARS_MAX) return socket.destroy(new BrigError('a line is too long', 'LINE_TOO_LONG'));
        try {
            for (const line of lines) if (line !== '') handle(JSON.parse(line));
        } catch (error) {
            socket.destroy(new BrigError(`no JSON came: ${error.message}`, 'MALFORMED_JSON'));
        }
    });
}

/**
 * One request on the spawner socket. Who gives up waits for nothing: the connection closes, and Brig
 * forgets the request.
 */
export function ask(spawnerSocket, request, signal) {
    return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const socket = net.connect(spawnerSocket);
        const handleAbort = () => socket.destroy(signal.reason);
        signal?.addEventListener('abort', handleAbort, {once: true});
        socket.on('error', (error) =>
            reject(
                error instanceof BrigError || signal?.aborted
                    ? error
                    : new BrigError(`${spawnerSocket} does not answer: ${error.message}`, 'PROVIDER_UNAVAILABLE'),
            ),
        );
        socket.on('close', () => {
            signal?.removeEventListener('abort', handleAbort);
            reject(new BrigError(`${spawnerSocket} closed the connection`, 'PROVIDER_UNAVAILABLE'));
        });
        readLines(socket, (answer) => {
            if (answer.code) reject(BrigError.of(answer));
            else resolve(answer);
            socket.destroy();
        });
        socket.write(`${JSON.stringify(request)}\n`);
    });
}

/**
 * The captain's end of one session. As long as this process lives the connection is what keeps the worker
 * (its lease); one that breaks is made again, from the frame behind the last one that came.
 */
export class Session {
    #granted;
    #socket = null;
    #authenticated = false;
    #unsent = [];
    #frames = [];
    #wake = null;
    #failure = null;
    #closed = false;
    #next = 1;
    #epoch = null;
    #lostMs = 0;

    constructor(granted) {
        this.#granted = granted;
        this.#connect();
    }

    get id() {
        return this.#granted.spawn_id;
    }

    get taskId() {
        return this.#granted.task_id;
    }

    /** Whether nothing more will come. */
    get isOver() {
        return this.#closed || this.#failure !== null;
    }

    #connect() {
        const socket = net.connect(this.#granted.io_socket);
        this.#socket = socket;
        socket.unref();
        socket.on('error', () => {});
        socket.on('close', () => this.#handleGone());
        socket.write(`${JSON.stringify({auth: this.#granted.auth_token, from: this.#next})}\n`);
        readLines(socket, (line) => this.#handle(line));
    }

    #handle(line) {
        if (line.type === 'authenticated') return this.#handleWelcome(line);
        if (line.seq === undefined) {
            if (line.type === 'gap') this.#next = Math.max(this.#next, line.to + 1);
            if (line.type === 'error') this.#handleRefusal(line);
            return;
        }
        this.#next = line.seq + 1;
        this.#frames.push(line);
        if (this.#frames.length >= FRAMES_WAITING_MAX) this.#socket.pause();
        if (line.type === 'state' && line.state === 'terminated')
            this.#fail(new BrigError(`the worker ended: ${line.reason}`, 'SESSION_ENDED'));
        this.#wake?.();
    }

    #handleWelcome(line) {
        if (this.#epoch !== null && this.#epoch !== line.epoch)
            return this.#fail(new BrigError('the stream of the worker was lost'));
        this.#epoch = line.epoch;
        this.#lostMs = 0;
        this.#authenticated = true;
        for (const text of this.#unsent.splice(0)) this.#socket.write(text);
    }

    /**
     * What concerns the connection mends itself when it is made again; a message that is refused ends the
     * turn.
     */
    #handleRefusal(line) {
        if (FINAL.has(line.code)) return this.#fail(BrigError.of(line));
        if (this.#authenticated && line.from === undefined) {
            this.#frames.push({type: 'refused', error: BrigError.of(line)});
            this.#wake?.();
        }
    }

    #handleGone() {
        this.#authenticated = false;
        if (this.isOver) return;
        this.#lostMs += RECONNECT_MS;
        if (this.#lostMs > RECONNECT_MS_MAX)
            return this.#fail(new BrigError(`no way back to the worker for ${RECONNECT_MS_MAX / 1000} s`));
        setTimeout(() => this.isOver || this.#connect(), RECONNECT_MS).unref();
    }

    #fail(error) {
        this.#failure ??= error;
        this.#socket?.end();
        this.#wake?.();
    }

    #send(message) {
        const text = `${JSON.stringify(message)}\n`;
        if (this.#authenticated) this.#socket.write(text);
        else this.#unsent.push(text);
    }

    async #frame() {
        while (this.#frames.length === 0) {
            if (this.#failure) throw this.#failure;
            if (this.#closed) throw new BrigError('the session was closed');
            await new Promise((resolve) => (this.#wake = resolve));
            this.#wake = null;
        }
        if (this.#frames.length === FRAMES_WAITING_MAX / 2) this.#socket.resume();
        return this.#frames.shift();
    }

    /**
     * Says something to the agent; the frames up to the {@code done} of it, which is the last one. Of a
     * worker that takes one message at a time nothing else is to be said meanwhile.
     *
     * @param content the message
     * @param signal when it aborts the turn is cancelled, and still comes to its {@code done}
     * @throws BrigError where the message is refused, or the worker ends before it is done
     */
    async *turn(content, signal) {
        signal?.throwIfAborted();
        const handleAbort = () => this.#send({action: 'cancel'});
        signal?.addEventListener('abort', handleAbort, {once: true});
        try {
            this.#send({role: 'user', content});
            for (;;) {
                const frame = await this.#frame();
                if (frame.type === 'refused') throw frame.error;
                yield frame;
                if (frame.type === 'done') return;
            }
        } finally {
            signal?.removeEventListener('abort', handleAbort);
        }
    }

    /** Ends the worker. */
    end() {
        if (this.isOver) return;
        this.#closed = true;
        this.#wake?.();
        this.#socket.end(`${JSON.stringify({action: 'terminate'})}\n`);
    }
}
