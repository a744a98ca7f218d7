import {deferred} from './dial.js';

/** So many taken ones may lie in front before the rest is moved up. */
const TAKEN_KEPT = 1_024;

/** Frames between a connection and whoever reads them, in order. What was queued comes before the end, or the failure. */
export class FrameQueue {
    /** Pairs of a frame and its bytes; those before `#head` were taken. */
    #items = [];
    #head = 0;
    #readers = [];
    #end = undefined;
    #bytes = 0;
    #handleTaken;

    /** @param {() => void} handleTaken is called when a frame was taken */
    constructor(handleTaken) {
        this.#handleTaken = handleTaken;
    }

    get bytes() {
        return this.#bytes;
    }

    get isEnded() {
        return this.#end !== undefined;
    }

    push(frame, bytes) {
        if (this.isEnded) {
            return;
        }
        const reader = this.#readers.shift();
        if (reader === undefined) {
            this.#items.push([frame, bytes]);
            this.#bytes += bytes;
        } else {
            reader.resolve({value: frame, done: false});
        }
    }

    /** Nothing more comes; with a failure, readers who get that far are told it. Only the first end counts. */
    end(failure) {
        this.#end ??= failure === undefined ? {isFailure: false} : {isFailure: true, failure};
        for (const reader of this.#readers.splice(0)) {
            this.#settle(reader);
        }
    }

    /** Forgets what is queued. */
    clear() {
        this.#items = [];
        this.#head = 0;
        this.#bytes = 0;
    }

    /** @returns {Promise<IteratorResult<object>>} */
    next() {
        const reader = deferred();
        if (this.#head < this.#items.length) {
            const [value, bytes] = this.#items[this.#head];
            this.#items[this.#head++] = undefined;
            this.#bytes -= bytes;
            if (2 * this.#head > this.#items.length + TAKEN_KEPT) {
                this.#items = this.#items.slice(this.#head);
                this.#head = 0;
            }
            reader.resolve({value, done: false});
            this.#handleTaken();
        } else if (this.isEnded) {
            this.#settle(reader);
        } else {
            this.#readers.push(reader);
        }
        return reader.promise;
    }

    #settle(reader) {
        if (this.#end.isFailure) {
            reader.reject(this.#end.failure);
        } else {
            reader.resolve({value: undefined, done: true});
        }
    }
}
