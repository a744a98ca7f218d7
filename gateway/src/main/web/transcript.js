// Frames become rows: what a person reads. A row is a line of text, a tool call, a thought, or a thing that
// happened. Rows grow while their agent goes on; `version` says that one did. Every row has the number of the
// frame that began it.

import {budgetSays} from './budget.js';
import {because, ending, howDone} from './format.js';
import {isFence} from './markdown.js';

const LINE_MAX = 1000; // characters; a longer line goes on in the next row
const OUTPUT_MAX = 200_000; // characters of a tool's output that are kept for the page; the record has all
const SPOKEN = new Set(['line', 'thought', 'tool', 'message', 'subagent', 'plan']);
const SGR = /\x1b\[[0-9;:]*m/g;

export class Transcript {
    rows = [];
    /** The kinds that they are of. */
    kinds = new Set();
    /** Whether anything was said or done, besides what happened to the session. */
    speaks = false;
    /** Those of network requests alone. */
    egress = [];
    /** Counts up with everything that changes. */
    version = 0;
    #next = 0;
    #lines = new Map(); // by agent and stream: the line that is being written
    #thoughts = new Map(); // by agent
    #tools = new Map(); // by id
    #fenced = new Set(); // agents that write a block of code
    #asked = null; // the message of which pieces came

    /** Takes a frame. */
    frame(frame) {
        this.version++;
        const take = this[`_${frame.type}`];
        if (take) {
            take.call(this, frame);
        }
    }

    /** Frames that will not come; a row says so where they would have stood. */
    gap(gap) {
        this.version++;
        this.#closeAll();
        this.#add(gap.from, 'gap', {from: gap.from, to: gap.to, reason: gap.reason});
    }

    #add(seq, kind, fields, ts = 0) {
        const row = {key: this.#next++, seq, kind, ts, agent: '', version: 0, ...fields};
        this.rows.push(row);
        this.kinds.add(kindOf(row));
        this.speaks ||= SPOKEN.has(kind);
        return row;
    }

    #event(frame, kind, fields) {
        this.#close(frame.agent ?? '');
        return this.#add(frame.seq, kind, {agent: frame.agent ?? '', ...fields}, frame.ts);
    }

    /** What is being written by that agent ends here: something else comes between. */
    #close(agent) {
        this.#thoughts.delete(agent);
        this.#fenced.delete(agent);
        ['text', 'stdout', 'stderr'].forEach((stream) => this.#lines.delete(`${agent}|${stream}`));
    }

    #closeAll() {
        this.#lines.clear();
        this.#thoughts.clear();
        this.#fenced.clear();
    }

    _chunk(frame) {
        if (frame.stream === 'tty') {
            return;
        }
        const tool = frame.tool && this.#tools.get(frame.tool);
        if (tool) {
            tool.streamed = clipEnd(tool.streamed + frame.content, OUTPUT_MAX);
            tool.version++;
        } else if (frame.stream === 'thought') {
            this.#thought(frame);
        } else {
            this.#thoughts.delete(frame.agent ?? '');
            this.#text(frame);
        }
    }

    #thought(frame) {
        const agent = frame.agent ?? '';
        let row = this.#thoughts.get(agent);
        if (!row) {
            this.#close(agent);
            row = this.#add(frame.seq, 'thought', {agent, from: frame.from, text: ''}, frame.ts);
            this.#thoughts.set(agent, row);
        }
        row.text += frame.content;
        row.version++;
    }

    #text(frame) {
        const key = `${frame.agent ?? ''}|${frame.stream}`;
        let row = this.#lines.get(key);
        const pieces = frame.content.split('\n');
        pieces.forEach((piece, index) => {
            const last = index === pieces.length - 1;
            if (!row && !(last && piece === '')) {
                row = this.#line(frame, row);
            }
            if (row) {
                row = this.#append(frame, row, piece);
            }
            if (!last) {
                this.#sgr = row ? openSgr(row) : '';
                if (row && row.stream === 'text' && isFence(row.text)) {
                    this.#turnFence(row.agent);
                }
                row = null;
            }
        });
        if (row) {
            this.#lines.set(key, row);
        } else {
            this.#lines.delete(key);
        }
    }

    #sgr = '';

    #turnFence(agent) {
        if (!this.#fenced.delete(agent)) {
            this.#fenced.add(agent);
        }
    }

    #line(frame) {
        const row = this.#add(
            frame.seq,
            'line',
            {
                agent: frame.agent ?? '',
                from: frame.from,
                stream: frame.stream,
                text: '',
                sgr: this.#sgr,
                fenced: frame.stream === 'text' && this.#fenced.has(frame.agent ?? ''),
            },
            frame.ts,
        );
        this.#sgr = '';
        return row;
    }

    /** Appends to a line. A carriage return begins it anew, as on a terminal. */
    #append(frame, row, piece) {
        let text = row.text + piece;
        const back = text.lastIndexOf('\r', text.length - 2);
        if (back >= 0) {
            text = text.slice(back + 1);
        }
        row.version++;
        while (text.length > LINE_MAX) {
            row.text = text.slice(0, LINE_MAX);
            text = text.slice(LINE_MAX);
            row.goesOn = true;
            this.#sgr = openSgr(row);
            row = this.#line(frame);
        }
        row.text = text;
        return row;
    }

    _tool(frame) {
        let row = this.#tools.get(frame.id);
        if (!row) {
            row = this.#event(frame, 'tool', {
                id: frame.id,
                name: '',
                title: '',
                toolKind: '',
                status: '',
                input: null,
                output: '',
                streamed: '',
            });
            this.#tools.set(frame.id, row);
        }
        row.name = frame.name ?? row.name;
        row.title = frame.title ?? row.title;
        row.toolKind = frame.kind ?? row.toolKind;
        row.status = frame.status ?? row.status;
        row.input = frame.input ?? row.input;
        row.output = clipEnd(row.output + (frame.output ?? ''), OUTPUT_MAX);
        row.version++;
    }

    _subagent(frame) {
        if (frame.status && frame.status !== 'running') {
            this.#event(frame, 'subagent', {
                of: frame.agent_id,
                agent: frame.agent_id,
                status: frame.status,
                type: frame.subagent_type ?? '',
                text: frame.summary ?? frame.error ?? frame.prompt ?? '',
            });
        }
    }

    _egress(frame) {
        // What waits for a person, and the answer, are frames of their own.
        if (frame.kind === 'ask' || frame.kind === 'answered') {
            return;
        }
        this.egress.push(this.#event(frame, 'egress', {frame}));
    }

    _budget(frame) {
        this.#event(frame, 'budget', {
            text: budgetSays(frame),
            refused: Boolean(frame.refused),
            percent: frame.percent,
        });
    }

    /** What the agent is asked; a long message comes in pieces. */
    _message(frame) {
        this.#closeAll();
        this.#asked ??= this.#event(frame, 'message', {text: '', by: '', via: ''});
        const row = this.#asked;
        row.text = clipEnd(row.text + frame.content, OUTPUT_MAX);
        row.by = frame.by ?? '';
        row.via = frame.via ?? '';
        row.version++;
        if (!frame.more) {
            this.#asked = null;
        }
    }

    /** One that is only kept has its mark on the scrubber. */
    _checkpoint(frame) {
        if (frame.restored !== undefined) {
            this.#event(frame, 'restored', {text: `the worktree is what it was at checkpoint ${frame.restored}`});
        }
    }

    _plan(frame) {
        this.#event(frame, 'plan', {entries: frame.entries ?? []});
    }

    _permission(frame) {
        this.#event(frame, 'permission', {
            name: frame.name ?? '',
            decision: frame.decision,
            input: frame.input,
        });
    }

    _ask(frame) {
        this.#event(frame, 'ask', {text: frame.title});
    }

    _answered(frame) {
        this.#event(frame, 'answered', {text: ending(frame)});
    }

    _error(frame) {
        this.#event(frame, 'error', {text: frame.error, code: frame.code, retrying: frame.retrying === true});
    }

    _session(frame) {
        const text = [frame.agent, frame.agent_version, frame.model].filter(Boolean).join(' · ');
        // Its `agent` is the name of a program, and not, as elsewhere, the id of a sub-agent.
        this.#event({seq: frame.seq, ts: frame.ts}, 'session', {text: text || frame.session_id});
    }

    _raw(frame) {
        this.#event(frame, 'raw', {text: frame.line ?? ''});
    }

    _done(frame) {
        this.#closeAll();
        this.#event(frame, 'done', {
            exitCode: frame.exit_code ?? frame.exitCode,
            signal: frame.signal,
            reason: frame.reason,
            usage: frame.usage,
        });
    }

    _state(frame) {
        this.#closeAll();
        this.#event(frame, 'state', {state: frame.state, reason: frame.reason ?? ''});
    }
}

/** The kind by which a row can be hidden: what a program says of its faults is one of its own. */
export const kindOf = ({kind, stream}) => (kind === 'line' && stream === 'stderr' ? 'stderr' : kind);

const clipEnd = (text, max) => (text.length > max ? `…${text.slice(-max)}` : text);

/** The colours in which a line ends, with which the next one begins. */
function openSgr(row) {
    let open = row.sgr;
    for (const code of row.text.match(SGR) ?? []) {
        open = /^\x1b\[0*m$/.test(code) ? '' : open + code;
    }
    return open;
}

/** What a row says, without colours: for search, copy and download. */
export function plainText(row) {
    switch (row.kind) {
        case 'line':
            return row.text
                .replace(/\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b./g, '')
                .replace(/\r$/, '');
        case 'tool':
            return `${row.title || row.name}${row.input ? `\n${JSON.stringify(row.input)}` : ''}\n${row.output || row.streamed}`;
        case 'plan':
            return row.entries.map((entry) => `[${entry.status}] ${entry.content}`).join('\n');
        case 'egress':
            return `${row.frame.kind} ${row.frame.host ?? ''}:${row.frame.port ?? ''} ${row.frame.rule ?? ''}`;
        case 'permission':
            return `${row.decision} ${row.name} ${JSON.stringify(row.input ?? {})}`;
        case 'gap':
            return `frames ${row.from} to ${row.to} are not here: ${row.reason}`;
        case 'done':
            return howDone(row);
        case 'state':
            return `${row.state}${row.reason ? `, ${because(row.reason)}` : ''}`;
        default:
            return row.text ?? '';
    }
}
