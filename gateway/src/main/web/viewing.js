// How a person looks at one session: narrowed to an agent, at which time, what is open, what is searched for. Whatever the page
// keeps of a session besides its stream is here, so that nothing of it is shown of another one.
import {nameOf} from './agents.js';
import {VirtualList} from './list.js';
import {changed} from './store.js';
import {Made} from './spoken.js';
import {Threads} from './threads.js';
import {kindOf, plainText} from './transcript.js';

const FOUND_MAX = 10_000;
const views = new Map();

/** How that session is looked at; it is remembered while the same person is signed in. */
export function viewing(id) {
    if (!views.has(id)) {
        views.set(id, new Viewing());
    }
    return views.get(id);
}

export const forgetView = (id) => views.delete(id);
export const forgetViews = () => views.clear();

export class Viewing {
    list = new VirtualList();
    /** The elements of its rows. */
    made = new Made();
    /** The message that is being written, those that were sent, which of them is recalled, and whether another has control. */
    draft = {text: '', said: [], place: 0, held: false};
    /** What git told of its workspace, and what the gateway told of its wall. */
    changes = {atMs: 0, turn: null};
    /** Which checkpoints of its worktree are still there. */
    checkpoints = {number: -1, kept: null, refusal: ''};
    /** The session whose changes are shown beside; empty for none. */
    beside = '';
    wall = {atMs: 0};
    /** Its output as a terminal shows it, and the terminal of its agent, once they were looked at. */
    terminal = null;
    tty = null;
    /** The id of the only agent that is shown; null for all. */
    agent = null;
    /** The frame up to which is shown; null for what is live. */
    at = null;
    /** What is searched for: as it was typed, and as it is compared. */
    typed = '';
    mark = '';
    finding = false;
    hidden = new Set(); // kinds of rows
    found = [];
    place = -1;
    /** The frame that a link leads to, until it is shown, and then the key of its row. */
    linked = null;
    #goal = null;
    #open = new Map(); // by a row's key: whether a person opened or closed it
    #threads = null;
    #epoch = null;
    #reading = null;
    #rows = [];
    #seen = 0;
    #within = null;
    #searched = 0;
    nodeOf = () => undefined;
    nameOf = (id) => id;
    /** Which agent of the session it is, counted from 0; for its colour. */
    numberOf = () => 0;

    /** @param otherwise where nobody opened or closed it */
    isOpen(row, otherwise = false) {
        return this.#open.get(row.key) ?? otherwise;
    }

    toggle = (row, otherwise = false) => {
        this.#open.set(row.key, !this.isOpen(row, otherwise));
        // Whoever opens something reads it: it does not run away with the newest line.
        this.list.follow = false;
        changed();
    };

    /** Whether what a sub-agent says is folded: if it is over, unless somebody opened it or searches. */
    isFolded = (id) => !this.mark && !(this.#open.get(`thread ${id}`) ?? !Threads.isOver(this.nodeOf(id)));

    /** Whether there are rows that can be hidden by that name. */
    has(kind) {
        return this.hidden.has(kind) || this.#reading?.transcript.kinds.has(kind);
    }

    /** Leads to a frame, as soon as there is its row. */
    goToFrame(seq) {
        this.#goal = seq;
        this.list.follow = false;
        this.agent = null;
        changed();
    }

    narrow = (agent) => {
        this.agent = agent || null;
        this.#reset();
        this.list.followEnd();
    };

    hide(kind, isHidden) {
        this.hidden[isHidden ? 'add' : 'delete'](kind);
        this.#reset();
        changed();
    }

    travel(seq) {
        this.at = seq;
        this.list.follow = true;
        changed();
    }

    #reset() {
        this.#rows = [];
        this.#seen = 0;
        this.#searched = 0;
        this.found = [];
        this.place = -1;
        this.#threads = null;
    }

    /**
     * The reading that is looked at, and its rows as far as they are wanted. Looks only at rows that came
     * since.
     */
    read(model) {
        const reading = this.at === null ? model.live : model.at(this.at);
        const {rows} = reading.transcript;
        if (this.#epoch !== model.epoch) {
            this.#epoch = model.epoch;
            this.#open.clear(); // rows of another stream have the same keys
        }
        const within = this.agent === null ? null : reading.tree.within(this.agent);
        if (reading !== this.#reading || rows.length < this.#seen || within?.size !== this.#within?.size) {
            this.#reset();
            this.#reading = reading;
            this.#within = within;
        }
        this.nodeOf = (id) => reading.tree.nodes.get(id);
        this.nameOf = (id) => nameOf(this.nodeOf(id)) || id.slice(0, 8);
        this.numberOf = (id) => this.nodeOf(id)?.number ?? 0;
        const wanted = this.agent === null && this.hidden.size === 0 ? null : this.#wants;
        if (this.agent === null && reading.tree.nodes.size > 0) {
            this.#inThreads(rows, reading.tree, wanted);
        } else if (!wanted) {
            this.#rows = rows;
        } else {
            for (; this.#seen < rows.length; this.#seen++) {
                if (wanted(rows[this.#seen])) {
                    rows[this.#seen].depth = 0;
                    this.#rows.push(rows[this.#seen]);
                }
            }
        }
        this.#seen = rows.length;
        this.#search();
        this.list.show(this.#rows);
        this.#reach(model);
        return reading;
    }

    #inThreads(rows, tree, wanted) {
        this.#threads ??= new Threads();
        this.#threads.take(rows, tree);
        const shown = this.#threads.shown(this.isFolded, wanted, [...this.hidden].join(' '));
        if (shown !== this.#rows) {
            // Rows stand elsewhere now, not only at the end.
            const at = this.#rows[this.found[this.place]];
            this.#rows = shown;
            this.#searched = 0;
            this.found = [];
            this.#search();
            this.place = at ? this.found.findIndex((index) => shown[index] === at) : -1;
        }
    }

    /** Shows the row of the frame that a link named, the newest one up to it, and opens the thread that it is in. */
    #reach(model) {
        if (this.#goal === null || model.lastSeq < this.#goal || !this.list.isShown) {
            return;
        }
        // Text that comes fast is one frame for several, from a first number to a last.
        const row = this.#reading.transcript.rows.findLast((one) => (one.from ?? one.seq) <= this.#goal);
        const above = row ? this.#agentsAbove(row.agent) : [];
        const isFolded = above.some(this.isFolded);
        // Also one that lives, which would fold when it is over.
        above.forEach((id) => this.#open.set(`thread ${id}`, true));
        if (!isFolded) {
            const at = this.#rows.indexOf(row);
            const index = at < 0 ? this.#rows.findLastIndex((one) => one.seq <= this.#goal) : at;
            this.#goal = null;
            this.linked = this.#rows[index]?.key ?? null;
            if (at >= 0) {
                this.#open.set(row.key, true); // what the link is to show
            }
            this.list.scrollTo(Math.max(0, index));
        }
        changed();
    }

    #agentsAbove(id) {
        const above = [];
        for (let node = this.nodeOf(id); node?.id; node = node.parent) {
            above.push(node.id);
        }
        return above;
    }

    #wants = (row) =>
        !this.hidden.has(kindOf(row)) &&
        (this.agent === null || row.kind === 'gap' || row.kind === 'state' || this.#within?.has(row.agent));

    get rows() {
        return this.#rows;
    }

    /** What is searched for stays marked in rows that come later. */
    find(text) {
        this.typed = text;
        this.mark = text.toLowerCase();
        this.#searched = 0;
        this.found = [];
        this.#search();
        this.place = -1;
        if (this.found.length) {
            this.step(-1);
        }
        changed();
    }

    #search() {
        if (!this.mark) {
            return;
        }
        // The last row may have grown.
        this.#searched = Math.max(0, Math.min(this.#searched, this.#rows.length) - 1);
        while (this.found.length && this.found.at(-1) >= this.#searched) {
            this.found.pop();
        }
        for (; this.#searched < this.#rows.length && this.found.length < FOUND_MAX; this.#searched++) {
            if (plainText(this.#rows[this.#searched]).toLowerCase().includes(this.mark)) {
                this.found.push(this.#searched);
            }
        }
    }

    /** To the next place that was found, or the one before. */
    step(by) {
        if (this.found.length) {
            this.place = (Math.max(this.place, by > 0 ? -1 : 0) + by + this.found.length) % this.found.length;
            // What is folded may have it inside.
            this.#open.set(this.#rows[this.found[this.place]].key, true);
            this.list.scrollTo(this.found[this.place]);
            changed();
        }
    }

    /** To the next message that was sent, or the one before what is in sight. */
    toMessage(by) {
        const here = this.#rows.indexOf(this.list.inSight());
        const at =
            by > 0
                ? this.#rows.findIndex((row, index) => index > here && row.kind === 'message')
                : this.#rows.findLastIndex((row, index) => index < here && row.kind === 'message');
        if (at >= 0) {
            this.list.scrollTo(at, 'start');
            changed();
        }
    }

    stopFinding() {
        this.finding = false;
        this.find('');
    }
}
