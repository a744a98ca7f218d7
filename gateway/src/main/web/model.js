// One session as the page knows it: every frame that came, once and in order, and what follows from them.
import {AgentTree} from './agents.js';
import {clip} from './format.js';
import {Transcript} from './transcript.js';

// People read no faster than text comes in pieces of this; on a terminal they type.
const TEXT_MS = 50;
const TAIL_FRAMES = 150; // of a session that is only looked at from afar
const TAIL_ROWS_MAX = 600;
const NEWEST = Number.MAX_SAFE_INTEGER; // no stream gets so far: the next frame
const ASKED_MAX = 60;
const OVER = new Set(['completed', 'failed']);

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
    /** The first line of the first message, clipped. */
    asked = '';
    /** The numbers of the frames at which a message's turn came. */
    turns = [];
    /** The frames that tell of checkpoints of its worktree. */
    checkpoints = [];
    /** How many turns and calls of tools are over: what an agent changed may be different then. */
    settled = 0;
    /** Whether a message is worked on. */
    works = false;
    refusal = null;
    over = false;
    /** How many times its stream was joined, and whether it is now. */
    welcomes = 0;
    joined = false;
    #begin;
    #tail;
    #foreign = false;
    #now = new Reading();
    #then = null; // the reading of another time
    #thenAt = 0;

    /** The size of the agent's terminal, where it has one. */
    tty = null;

    /**
     * @param tail a frame that is there already, where only the end is wanted, else 0
     * @param isTty whether the agent is on a terminal
     * @param typed whether a person here may type into that
     * @param isWhole whether it is read from its beginning, and not from the newest checkpoint of its terminal
     */
    constructor(id, tail = 0, isTty = false, typed = false, isWhole = !isTty) {
        this.id = id;
        this.isTty = isTty;
        this.isWhole = isWhole;
        this.wish = {role: typed ? 'captain' : 'watcher', ...(isTty ? {} : {max_latency_ms: TEXT_MS})};
        this.isTail = tail > 0;
        this.#begin = this.isTail ? NEWEST : 1;
        this.#tail = tail;
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
        return this.lastSeq ? this.lastSeq + 1 : this.isWhole ? this.#begin : 'screen';
    }

    /** @return whether the stream goes on where it was; if not, it is to be asked for again */
    welcome(line) {
        this.refusal = null;
        this.welcomes++;
        this.joined = true;
        if (this.epoch !== null && this.epoch !== line.epoch) {
            this.#restart(line.epoch);
            this.#foreign = true;
            return false;
        }
        this.epoch = line.epoch;
        this.#foreign = this.#begin === NEWEST;
        if (this.#foreign) {
            // Now it is known where the stream is. That of a host out of reach is not.
            this.#begin = Math.max(1, (line.from === NEWEST ? this.#tail : line.from) - TAIL_FRAMES);
            return false;
        }
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
        this.checkpoints = [];
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
        if (frame.type === 'tty' || frame.type === 'screen') {
            this.tty = {cols: frame.cols, rows: frame.rows};
        }
        if (frame.type === 'message') {
            this.works = true;
            this.asked ||= this.#begin === 1 ? clip(frame.content.trim().split('\n')[0], ASKED_MAX) : '';
            this.turns.push(frame.seq);
        } else if (frame.type === 'checkpoint') {
            this.checkpoints.push(frame);
        } else if (frame.type === 'done') {
            this.works = false;
            this.settled++;
        } else if (frame.type === 'activity') {
            this.works = frame.activity !== 'idle';
        } else if (frame.type === 'tool' && OVER.has(frame.status)) {
            this.settled++;
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

    /** There is no stream until the next welcome. */
    lost() {
        this.joined = false;
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
