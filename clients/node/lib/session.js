import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.js';
import { persist, unless, within } from './dial.js';
import { BrigError } from './errors.js';
import { FrameQueue } from './frame-queue.js';
import { Position } from './position.js';
import { ask } from './spawner.js';

/** Who lost the same gateway does not come back all at once, and nobody asks without a pause. */
const RECONNECT_PAUSE_MS_MAX = 20;

/**
 * A worker behind the wall, and what it says: an async iterable of frames. A connection that is lost is made again and
 * resumed behind the last frame, so a reader sees each frame once, in order, and is told of what is gone (`gap`). Frames
 * wait for their reader up to a bound; then Brig holds the worker back.
 */
export class Session {
  #place;
  #options;
  #signal;
  #frames = new FrameQueue(() => this.#checkFlow());
  /** Null while there is none. */
  #connection = null;
  /** Settles when there is a connection again, or will be none. */
  #connected;
  #position = new Position();
  #lastDone;
  #isTerminated = false;
  /** Ends what is under way when the session is over. */
  #over = new AbortController();
  #handleAbort = () => this.#die(this.#signal.reason);

  /**
   * @param {{spawnId: string, taskId: string, workspace: string, ioSocket: string, token: string,
   *     spawnerSocket: string}} place
   * @param {{bufferBytes: number, timeouts: Record<string, number>, signal?: AbortSignal}} options
   */
  constructor(place, options) {
    this.#place = place;
    this.#options = options;
    this.#signal = options.signal;
  }

  /** Connects for the first time. */
  async open() {
    this.#signal?.throwIfAborted();
    this.#signal?.addEventListener('abort', this.#handleAbort, { once: true });
    this.#begin(this.#options.timeouts.readyMs, `waiting for ${this.#place.ioSocket}`);
    await this.#connected;
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
    return this.#isTerminated;
  }

  /** Sends a user message; resolves when Brig has taken it. One that may have arrived is never sent again. */
  async send(content) {
    await this.#tell({ role: 'user', content });
  }

  /** Interrupts the message that is being worked off; its `done` still comes. */
  async cancel() {
    await this.#tell({ action: 'cancel' });
  }

  /** Ends the worker; its last frames still come. Where there is no connection, the spawner is asked to. */
  async terminate() {
    if (this.#isTerminated) {
      return;
    }
    try {
      await this.#tell({ action: 'terminate' });
    } catch (failure) {
      if (!this.#isTerminated) {
        await this.#askForEnd();
      }
    }
  }

  /** Leaves; the worker goes on. */
  close() {
    this.#frames.clear();
    this.#becomeOver();
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
      } else if (frame.type === 'error' && frame.retrying !== true) {
        trouble = frame;
      } else if (frame.type === 'gap') {
        throw new BrigError('FRAMES_LOST', `frames ${frame.from} to ${frame.to} are gone: ${frame.reason}`, { text });
      } else if (frame.type === 'done' && frame.reason === undefined) {
        return text;
      } else if (frame.type === 'done') {
        throw new BrigError(trouble?.code ?? 'MESSAGE_FAILED', trouble?.error ?? frame.reason, { text });
      }
    }
    throw new BrigError('SESSION_ENDED', 'the session ended before the message was worked off', { text });
  }

  /** Reading may stop and begin again: it goes on with the next frame. */
  [Symbol.asyncIterator]() {
    return { next: () => this.#frames.next(), [Symbol.asyncIterator]() { return this; } };
  }

  /** Ends the worker and forgets what was not read. */
  async [Symbol.asyncDispose]() {
    try {
      await this.terminate();
    } finally {
      this.close();
    }
  }

  async #tell(line) {
    while (this.#connection === null && !this.#frames.isEnded) {
      await this.#connected;
    }
    if (this.#frames.isEnded) {
      throw new BrigError('SESSION_ENDED', 'the session is over', { spawnId: this.spawnId });
    }
    const taken = this.#connection.tell(line);
    this.#checkFlow();
    await within(this.#options.timeouts.answerMs, 'waiting for Brig to take a message', undefined,
      (limit) => unless(limit, taken));
  }

  async #askForEnd() {
    const request = { action: 'terminate', id: this.spawnId };
    await within(this.#options.timeouts.answerMs, 'terminating', undefined,
      (limit) => ask(this.#place.spawnerSocket, request, limit));
  }

  #begin(timeoutMs, what, pauseMsMax = 0) {
    this.#connected = within(timeoutMs, what, this.#over.signal, async (limit) => {
      await sleep(Math.random() * pauseMsMax, undefined, { signal: limit });
      await this.#connect(limit);
    }).catch((why) => {
      if (!this.#isTerminated) {
        this.#becomeOver(why);
        throw why;
      }
    });
    // Who reads is told of it, whether anybody waits to send or not.
    this.#connected.catch(() => {});
  }

  async #connect(limit) {
    await persist(limit, async () => {
      const connection = this.#isTerminated ? null : await this.#dial(limit);
      if (this.#isTerminated || this.#frames.isEnded) {
        connection?.close();
      } else {
        this.#connection = connection;
        this.#checkFlow();
        connection.handOver();
      }
    });
  }

  /** A session's socket goes some time after its end; then the spawner socket has what is left to read. */
  async #dial(limit) {
    const { ioSocket, token, spawnerSocket } = this.#place;
    try {
      return await Connection.open(ioSocket, { auth: token, from: this.#position.next }, this, limit);
    } catch (failure) {
      if (this.#isTerminated) {
        return null;
      }
      if (failure.code !== 'CONNECTION_FAILED' || !this.#position.hasBegun) {
        throw failure;
      }
      return Connection.open(spawnerSocket, { action: 'attach', id: this.spawnId, from: this.#position.next }, this, limit);
    }
  }

  /** The connection may read. Returns false where it must begin elsewhere: the stream that we know is gone. */
  handleAuthenticated(welcome) {
    const gap = this.#position.enter(welcome);
    if (gap !== undefined) {
      this.#frames.push(gap, 0);
    }
    return welcome.from <= this.#position.next;
  }

  handleMessage(message, bytes) {
    if (!this.#position.admit(message)) {
      return;
    }
    this.#frames.push(message, bytes);
    if (message.seq !== undefined && message.type === 'done') {
      this.#lastDone = message;
    } else if (message.seq !== undefined && message.type === 'state' && message.state === 'terminated') {
      this.#isTerminated = true;
      this.#becomeOver();
    }
    this.#checkFlow();
  }

  handleTaken() {
    this.#checkFlow();
  }

  handleClosed(failure) {
    this.#connection = null;
    if (failure.code !== 'CONNECTION_LOST') {
      this.#becomeOver(failure);
    } else {
      this.#begin(this.#options.timeouts.reconnectMs, 'connecting again', RECONNECT_PAUSE_MS_MAX);
    }
  }

  #die(reason) {
    this.#frames.clear();
    this.#becomeOver(reason);
    // Nobody is left to be told of a failure: the caller has given up.
    this.#askForEnd().catch(() => {});
  }

  #becomeOver(failure) {
    this.#frames.end(failure);
    this.#over.abort(failure ?? new BrigError('SESSION_ENDED', 'the session is over', { spawnId: this.spawnId }));
    this.#signal?.removeEventListener('abort', this.#handleAbort);
    this.#connection?.close();
    this.#connection = null;
  }

  /** While an answer is due it is read on: it stands behind no more than what Brig has queued. */
  #checkFlow() {
    const { bufferBytes } = this.#options;
    if (this.#connection === null) {
      return;
    }
    if (this.#connection.isWaiting || this.#frames.bytes <= bufferBytes / 2) {
      this.#connection.resume();
    } else if (this.#frames.bytes > bufferBytes) {
      this.#connection.pause();
    }
  }
}

/** What the agent itself says: not what a tool writes, a sub-agent says, or the program says about itself. */
function isOwnWord({ stream, tool, agent }) {
  return (stream === 'text' || stream === 'stdout') && tool === undefined && agent === undefined;
}
