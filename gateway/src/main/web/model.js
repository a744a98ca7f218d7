// One session as the page knows it: every frame that came, once and in order, and what follows from them.
import {AgentTree} from './agents.js';
import {Transcript} from './transcript.js';

const TAIL_FRAMES = 150; // of a session that is only looked at from afar
const TAIL_ROWS_MAX = 600;

/** What frames amount to, up to any of them. */
class Reading {
    transcript = new Transcript();
    tree = new AgentTree();
    taken = 0; // entries of the record
    lastMs = 0; // when the newest of them was said

    take(entries, until = Infinity) {
        while (this.taken < entries.length && entries[this.taken].seq <= until) {
            const entry = entries[this.taken++];
            if (entry.type === 'gap') {
                this.transcript.gap(entry.gap);
            } else {
                this.lastMs = entry.ts;
                this.tree.frame(entry);
                this.transcript.frame(entry);
            }
        }
    }
}

export class Model {
    /** Frames, and gaps (with the number of their last frame). Empty for a tail, which keeps only rows. */
    record = [];
    epoch = null;
    lastSeq = 0;
    /** How many frames came that were here already, and jumps that no gap told of: both must stay 0. */
    doubled = 0;
    jumps = 0;
    presence = null;
    /** The names of messages that were sent from this page and had no turn yet. */
    waiting = new Set();
    throttled = false;
    /** The numbers of the frames at which a message's turn came. */
    turns = [];
    /** Whether a message is worked on. */
    works = false;
    refusal = null;
    over = false;
    #begin;
    #foreign = false;
    #now = new Reading();
    #then = null; // the reading of another time
    #thenAt = 0;

    /** @param tail the newest frame where only the end is wanted, else 0 */
    constructor(id, tail = 0) {
        this.id = id;
        this.isTail = tail > 0;
        this.#begin = Math.max(1, tail - TAIL_FRAMES);
    }

    get live() {
        return this.#now;
    }

    /** How things stood when that frame was the newest. */
    at(seq) {
        if (!this.#then || seq < this.#thenAt) {
            this.#then = new Reading();
        }
        this.#thenAt = seq;
        this.#then.take(this.record, seq);
        return this.#then;
    }

    from() {
        return this.lastSeq ? this.lastSeq + 1 : this.#begin;
    }

    /** @return whether the stream goes on where it was; if not, it is to be asked for from its beginning */
    welcome(line) {
        this.refusal = null;
        if (this.epoch !== null && this.epoch !== line.epoch) {
            this.#restart(line.epoch);
            this.#foreign = true;
            return false;
        }
        this.epoch = line.epoch;
        this.#foreign = false;
        if (this.lastSeq === 0) {
            this.lastSeq = line.from - 1;
        }
        return true;
    }

    /**
     * The stream was lost and begins again: what is here stays readable behind a gap, the numbers begin at 1.
     */
    #restart(epoch) {
        this.epoch = epoch;
        this.lastSeq = 0;
        this.#begin = 1;
        this.record = [];
        this.turns = [];
        this.#now = new Reading();
        this.#then = null;
        this.#append({type: 'gap', seq: 0, gap: {from: 1, to: 1, reason: 'epoch_changed'}});
    }

    frame(frame) {
        if (this.#foreign) {
            return;
        }
        if (frame.seq <= this.lastSeq) {
            this.doubled++;
            return;
        }
        const first = frame.from ?? frame.seq;
        if (first > this.lastSeq + 1) {
            this.jumps++;
            this.gap({from: this.lastSeq + 1, to: first - 1, reason: 'unexplained'});
        }
        this.lastSeq = frame.seq;
        if (frame.type === 'message' || frame.type === 'error') {
            this.waiting.delete(frame.message_id);
        }
        if (frame.type === 'message') {
            this.works = true;
            this.turns.push(frame.seq);
        } else if (frame.type === 'done') {
            this.works = false;
        }
        this.over = frame.type === 'state' && frame.state === 'terminated';
        this.#append(frame);
    }

    gap(gap) {
        if (gap.epoch && gap.epoch !== this.epoch) {
            this.#restart(gap.epoch);
        } else if (gap.to > this.lastSeq) {
            this.lastSeq = gap.to;
            this.#append({type: 'gap', seq: gap.to, gap});
        }
    }

    /** A message is sent from this page; it waits until the stream says that its turn has come. */
    sent(messageId) {
        this.waiting.add(messageId);
    }

    #append(entry) {
        this.record.push(entry);
        this.#now.take(this.record);
        if (this.isTail) {
            this.record.length = 0;
            this.#now.taken = 0;
            const rows = this.#now.transcript.rows;
            if (rows.length > 2 * TAIL_ROWS_MAX) {
                rows.splice(0, rows.length - TAIL_ROWS_MAX);
            }
        }
    }

    /** Lines about the connection. */
    aside(line) {
        if (line.type === 'presence') {
            this.presence = line;
        } else if (line.type === 'state') {
            this.throttled = line.state === 'throttled';
        } else if (line.type === 'error') {
            this.refusal = line;
        }
    }

    ended() {
        this.over = true;
        this.works = false;
        this.throttled = false;
        this.presence = null;
    }

    /** All that came, as the gateway sent it. */
    ndjson() {
        return (
            this.record
                .filter((entry) => entry.type !== 'gap')
                .map((entry) => JSON.stringify(entry))
                .join('\n') + '\n'
        );
    }
}
