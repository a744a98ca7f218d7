// The rows of a session with sub-agents as a conversation in threads: what a sub-agent says and does stands together,
// below the place where it was started, and folds into one row.

const LIVES = new Set(['spawned', 'running', 'unknown']);

export class Threads {
    #taken = 0;
    #top = [];
    #threads = new Map(); // by agent: {head, rows, parent}
    #unknown = new Set(); // agents of which nothing was told when rows of theirs came
    #calls = new Set(); // those that started a sub-agent: its thread stands for them
    #shown = [];
    #state = '';

    /** Takes the rows that came since. */
    take(rows, tree) {
        if (this.#isOutdated(tree)) {
            this.#taken = 0;
            this.#top = [];
            this.#threads.clear();
            this.#unknown.clear();
            this.#state = '';
        }
        this.#calls = new Set([...tree.nodes.values()].map((node) => node.toolId).filter(Boolean));
        for (; this.#taken < rows.length; this.#taken++) {
            const row = rows[this.#taken];
            const thread = row.agent ? this.#thread(row, row.agent, tree) : null;
            if (!thread) {
                this.#top.push(row);
            } else if (row.kind !== 'subagent') {
                thread.rows.push(row);
                thread.head.tools += row.kind === 'tool' ? 1 : 0;
            }
        }
    }

    /** Whether rows belong elsewhere, as was told only now. */
    #isOutdated(tree) {
        return (
            [...this.#threads].some(([id, {parent}]) => parentOf(tree, id) !== parent) ||
            [...this.#unknown].some((id) => tree.nodes.has(id))
        );
    }

    /** The thread of an agent; its head stands where the first word of it came. */
    #thread(row, id, tree) {
        let thread = this.#threads.get(id);
        if (!thread && tree.nodes.has(id)) {
            const parent = parentOf(tree, id);
            const head = {
                key: `thread ${id}`,
                kind: 'thread',
                seq: row.seq,
                agent: parent,
                of: id,
                ts: row.ts,
                version: 0,
                tools: 0,
            };
            thread = {head, rows: [], parent};
            this.#threads.set(id, thread);
            const above = parent ? this.#thread(row, parent, tree) : null;
            (above ? above.rows : this.#top).push(head);
        } else if (!thread) {
            this.#unknown.add(id);
        }
        return thread;
    }

    /** Whether a thread is folded where nobody said: those that are over are. */
    static isOver = (node) => !LIVES.has(node?.status ?? 'unknown');

    /**
     * All rows in order.
     *
     * @param isFolded says of the id of an agent whether its rows are left out
     * @param wanted says which rows are; null for all
     * @return the same array as before, if nothing is different
     */
    shown(isFolded, wanted, hidden) {
        const folded = [...this.#threads.keys()].filter(isFolded);
        const state = `${this.#taken} ${this.#calls.size} ${hidden} ${folded.join(' ')}`;
        if (state !== this.#state) {
            this.#state = state;
            this.#shown = [];
            this.#add(this.#top, 0, new Set(folded), wanted);
        }
        return this.#shown;
    }

    #add(rows, depth, folded, wanted) {
        for (const row of rows) {
            row.depth = depth;
            if (row.kind === 'thread') {
                this.#shown.push(row);
                if (!folded.has(row.of)) {
                    this.#add(this.#threads.get(row.of).rows, depth + 1, folded, wanted);
                }
            } else if (!this.#calls.has(row.id) && (!wanted || wanted(row))) {
                this.#shown.push(row);
            }
        }
    }
}

const parentOf = (tree, id) => tree.nodes.get(id)?.parent?.id ?? '';
