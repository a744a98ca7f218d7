import {randomUUID} from 'node:crypto';
import {choiceOf} from './answers.js';
import {within} from './dial.js';
import {BrigError} from './errors.js';
import {FrameQueue} from './frame-queue.js';
import {Link} from './link.js';
import {ask} from './spawner.js';

const ASK_ID = /^ask_[0-9a-z]{24}$/;

/**
 * A worker behind the wall, and what it says: an async iterable of frames. A reader sees each frame once, in order, and is
 * told of what is gone (`gap`). Frames wait for their reader up to a bound; then Brig holds the worker back.
 */
export class Session {
    #place;
    #options;
    #frames = new FrameQueue(() => this.#checkFlow());
    #link;
    #lastDone;
    #handleAbort = () => this.#giveUp(this.#options.signal.reason);

    /**
     * Connects to a worker that was started, and sends it the prompt, if there is one. What fails on the way ends it.
     *
     * @param {{spawnId: string, taskId: string, workspace: string, ioSocket?: string,
     *     token: string, spawnerSocket: string | import('./http-gateway.js').HttpGateway, maxLatencyMs?: number}} place
     * @param {string | undefined} prompt
     * @param {{bufferBytes: number, timeouts: Record<string, number>, signal?: AbortSignal}} options
     */
    static async begin(place, prompt, options) {
        const session = new Session(place, options);
        try {
            options.signal?.throwIfAborted();
            options.signal?.addEventListener('abort', session.#handleAbort, {once: true});
            await session.#link.open();
            if (prompt !== undefined) {
                await session.send(prompt);
            }
            return session;
        } catch (failure) {
            // Where that fails as well, the gateway is gone, as the first failure says.
            await session[Symbol.asyncDispose]().catch(() => {});
            throw failure;
        }
    }

    constructor(place, options) {
        this.#place = place;
        this.#options = options;
        this.#link = new Link(place, options.timeouts, {
            handleMessage: (message, bytes) => this.#handleMessage(message, bytes),
            handleFlow: () => this.#checkFlow(),
            handleOver: (failure) => this.#handleOver(failure),
        });
    }

    get spawnId() {
        return this.#place.spawnId;
    }

    get taskId() {
        return this.#place.taskId;
    }

    get workspace() {
        return this.#place.workspace;
    }

    /** The newest `done` that was received. */
    get lastDone() {
        return this.#lastDone;
    }

    /** Whether the last frame, `state terminated`, was received. */
    get isTerminated() {
        return this.#link.isAtEnd;
    }

    /**
     * Sends a user message; resolves when Brig has taken it. Where the connection is lost before that is known, it is sent
     * again under its name, under which Brig takes it once.
     */
    async send(content) {
        const message = {role: 'user', content, message_id: randomUUID()};
        for (;;) {
            try {
                return await this.#link.tell(message);
            } catch (failure) {
                if (failure.code !== 'CONNECTION_LOST') {
                    throw failure;
                }
            }
        }
    }

    /**
     * Answers an ask of this session, or of one that works for it. The first answer counts: ASK_SETTLED where somebody else,
     * the deadline or the agent was faster. After CONNECTION_LOST the frame `answered` says what became of it.
     *
     * @param {string} askId
     * @param {string | {text: string}} answer the id of an option, or an answer in own words
     */
    async answer(askId, answer) {
        if (!ASK_ID.test(askId)) {
            throw new BrigError('INVALID_FIELD', 'an ask_id is ask_ and 24 characters 0-9 a-z');
        }
        await this.#link.tell({action: 'answer_ask', ask_id: askId, ...choiceOf(answer)});
    }

    /** Interrupts the message that is being worked off; its `done` still comes. */
    async cancel() {
        await this.#link.tell({action: 'cancel'});
    }

    /** Ends the worker; its last frames still come. Where there is no connection, the spawner is asked to. */
    async terminate() {
        if (this.isTerminated) {
            return;
        }
        try {
            await this.#link.tell({action: 'terminate'});
        } catch {
            if (!this.isTerminated) {
                await this.#askForEnd();
            }
        }
    }

    /** Leaves; the worker goes on. */
    close() {
        this.#frames.clear();
        this.#link.close();
    }

    /**
     * Reads up to the next `done`, and says what the agent itself said until then.
     *
     * @returns {Promise<string>}
     * @throws {BrigError} with the `text` so far: MESSAGE_FAILED, or the code of the agent's own error, where the message
     *     was not worked off; FRAMES_LOST where something of it is missing; SESSION_ENDED
     */
    async text() {
        let text = '';
        let trouble;
        for await (const frame of this) {
            if (frame.type === 'chunk' && isOwnWord(frame)) {
                text += frame.content;
            } else if (frame.type === 'error' && frame.seq !== undefined && frame.retrying !== true) {
                trouble = frame;
            } else if (frame.type === 'gap') {
                throw new BrigError('FRAMES_LOST', `frames ${frame.from} to ${frame.to} are gone: ${frame.reason}`, {
                    text,
                });
            } else if (frame.type === 'done' && frame.reason === undefined) {
                return text;
            } else if (frame.type === 'done') {
                throw new BrigError(trouble?.code ?? 'MESSAGE_FAILED', trouble?.error ?? frame.reason, {text});
            }
        }
        throw new BrigError('SESSION_ENDED', 'the session ended before the message was worked off', {text});
    }

    /** Reading may stop and begin again: it goes on with the next frame. */
    [Symbol.asyncIterator]() {
        return {
            next: () => this.#frames.next(),
            [Symbol.asyncIterator]() {
                return this;
            },
        };
    }

    /** Ends the worker and forgets what was not read. */
    async [Symbol.asyncDispose]() {
        try {
            await this.terminate();
        } finally {
            this.close();
        }
    }

    async #askForEnd() {
        const {spawnerSocket, spawnId} = this.#place;
        await within(this.#options.timeouts.answerMs, 'terminating', undefined, (limit) =>
            ask(spawnerSocket, {action: 'terminate', id: spawnId}, limit),
        );
    }

    #giveUp(reason) {
        this.#frames.clear();
        this.#link.close(reason);
        // Nobody is left to be told of a failure: the caller has given up.
        this.#askForEnd().catch(() => {});
    }

    #handleMessage(message, bytes) {
        this.#frames.push(message, bytes);
        if (message.seq !== undefined && message.type === 'done') {
            this.#lastDone = message;
        }
        this.#checkFlow();
    }

    #handleOver(failure) {
        this.#frames.end(failure);
        this.#options.signal?.removeEventListener('abort', this.#handleAbort);
    }

    /** While an answer is due it is read on: it stands behind no more than what Brig has queued. */
    #checkFlow() {
        const {bufferBytes} = this.#options;
        if (this.#link.isWaiting || this.#frames.bytes <= bufferBytes / 2) {
            this.#link.resume();
        } else if (this.#frames.bytes > bufferBytes) {
            this.#link.pause();
        }
    }
}

/** What the agent itself says: not what a tool writes, a sub-agent says, or the program says about itself. */
function isOwnWord({stream, tool, agent}) {
    return (stream === 'text' || stream === 'stdout') && tool === undefined && agent === undefined;
}
