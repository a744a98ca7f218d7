// How a person looks at one session: narrowed to an agent, at which time, what is open, what is searched for.
import {nameOf} from './agents.js';
import {VirtualList} from './list.js';
import {plainText} from './transcript.js';
import {changed} from './store.js';

const FOUND_MAX = 10_000;
const views = new Map();

/** How that session is looked at; it is remembered while the page is open. */
export function viewing(id) {
    if (!views.has(id)) {
        views.set(id, new Viewing());
    }
    return views.get(id);
}

export class Viewing {
    list = new VirtualList();
    /** The id of the only agent that is shown; null for all. */
    agent = null;
    /** The frame up to which is shown; null for what is live. */
    at = null;
    /** What is searched for: as it was typed, and as it is compared. */
    typed = '';
    mark = '';
    finding = false;
    showAgents = true;
    hidden = new Set(); // kinds of rows
    found = [];
    place = -1;
    #open = new Set();
    #reading = null;
    #rows = [];
    #seen = 0;
    #within = null;
    #searched = 0;
    nameOf = (id) => id;
    /** Which agent of the session it is, counted from 0; for its colour. */
    numberOf = () => 0;

    isOpen(row) {
        return this.#open.has(row.key);
    }

    toggle = (row) => {
        if (!this.#open.delete(row.key)) {
            this.#open.add(row.key);
        }
        changed();
    };

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
    }

    /**
     * The reading that is looked at, and its rows as far as they are wanted. Looks only at rows that came
     * since.
     */
    read(model) {
        const reading = this.at === null ? model.live : model.at(this.at);
        const {rows} = reading.transcript;
        const within = this.agent === null ? null : reading.tree.within(this.agent);
        if (reading !== this.#reading || rows.length < this.#seen || within?.size !== this.#within?.size) {
            this.#reset();
            this.#reading = reading;
            this.#within = within;
        }
        this.nameOf = (id) => nameOf(reading.tree.nodes.get(id)) || id.slice(0, 8);
        this.numberOf = (id) => reading.tree.nodes.get(id)?.number ?? 0;
        this.showAgents = this.agent === null && reading.tree.nodes.size > 0;
        const wanted = this.agent === null && this.hidden.size === 0 ? null : this.#wants;
        if (!wanted) {
            this.#rows = rows;
        } else {
            for (; this.#seen < rows.length; this.#seen++) {
                if (wanted(rows[this.#seen])) {
                    this.#rows.push(rows[this.#seen]);
                }
            }
        }
        this.#seen = rows.length;
        this.#search();
        this.list.show(this.#rows);
        return reading;
    }

    #wants = (row) =>
        !this.hidden.has(row.kind === 'line' && row.stream === 'stderr' ? 'stderr' : row.kind) &&
        (this.agent === null ||
            row.kind === 'gap' ||
            row.kind === 'state' ||
            (this.#within ? this.#within.has(row.agent) : row.agent === ''));

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
            this.#open.add(this.#rows[this.found[this.place]].key);
            this.list.scrollTo(this.found[this.place]);
            changed();
        }
    }

    stopFinding() {
        this.finding = false;
        this.find('');
    }
}
