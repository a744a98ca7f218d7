import {BrigError} from './errors.js';

/** Where a reader of a stream is, so that it gets each frame once and in order, over any number of connections. */
export class Position {
    /** Of the stream that `#next` counts in; null before the first connection. */
    #epoch = null;
    #next = 1;
    #isAtEnd = false;

    /** The number of the frame that is due. */
    get next() {
        return this.#next;
    }

    /** Whether the last frame, `state terminated`, was admitted. */
    get isAtEnd() {
        return this.#isAtEnd;
    }

    get hasBegun() {
        return this.#epoch !== null;
    }

    /**
     * A connection begins, with the line `authenticated`.
     *
     * @returns {object | undefined} a gap where the stream that we were in is gone; `next` is 1 then
     */
    enter({epoch}) {
        const isSame = this.#epoch === null || this.#epoch === epoch;
        this.#epoch = epoch;
        if (isSame) {
            return undefined;
        }
        const from = this.#next;
        this.#next = 1;
        return {type: 'gap', from, to: from, reason: 'epoch_changed', epoch};
    }

    /**
     * Goes on behind a message.
     *
     * @returns {boolean} whether it is new; what a gateway had not stored when it died may come again
     * @throws {BrigError} FRAMES_LOST where the message is not the one that is due
     */
    admit(message) {
        if (message.type === 'gap') {
            return this.#admitGap(message);
        }
        if (message.seq === undefined || message.seq === null) {
            return true;
        }
        const first = (message.type === 'chunk' ? message.from : undefined) ?? message.seq;
        requireNumbers(first, message.seq);
        if (first > this.#next) {
            throw new BrigError('FRAMES_LOST', `frame ${first} came where ${this.#next} was due`);
        }
        if (first < this.#next && message.seq >= this.#next) {
            throw new BrigError(
                'PROTOCOL_VIOLATION',
                `frames ${first} to ${message.seq} came where ${this.#next} was due`,
            );
        }
        const isNew = first === this.#next;
        this.#next = isNew ? message.seq + 1 : this.#next;
        this.#isAtEnd ||= isNew && message.type === 'state' && message.state === 'terminated';
        return isNew;
    }

    #admitGap({from, to, epoch}) {
        requireNumbers(from, to);
        if (epoch !== undefined) {
            this.#epoch = epoch;
            this.#next = 1;
            return true;
        }
        if (from > this.#next) {
            throw new BrigError('FRAMES_LOST', `a gap from ${from} on came where frame ${this.#next} was due`);
        }
        const isNew = to >= this.#next;
        this.#next = Math.max(this.#next, to + 1);
        return isNew;
    }
}

function requireNumbers(from, to) {
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from > to) {
        throw new BrigError('PROTOCOL_VIOLATION', 'a frame or a gap whose numbers are none');
    }
}
