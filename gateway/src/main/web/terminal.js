// The session as a terminal shows it, with xterm.js: programs that move the cursor are seen as they meant it.
// Keys make a line, which is sent as a message; the agent has no terminal itself.
import {html, ref} from './vendor/lit.js';
import {drives} from './ending.js';
import {say} from './composer.js';
import {because, howDone} from './format.js';
import {Screen} from './screen.js';
import {state} from './store.js';

const KEPT_LINES = 10_000;
const LINK = 8; // the number of the control string that makes one
const DIM = '\x1b[2m',
    RESET = '\x1b[0m',
    ERASE = '\x1b[2K\r';
const PROMPT = `${DIM}›${RESET} `;

export function terminalPart(view, model, look) {
    look.terminal ??= new SessionTerminal(view, model);
    const {terminal} = look;
    terminal.take(view, model);
    return html`<section class="terminal" aria-label="Terminal">
        <p class="dim">${terminal.explanation()}</p>
        <div class="screen" ${ref(terminal.attach)}></div></section>`;
}

class SessionTerminal {
    #taken = 0;
    #line = '';
    #atLineStart = true;
    #voice = ''; // what was written last: something else begins a line of its own
    #screen = new Screen(
        {convertEol: true, scrollback: KEPT_LINES, cursorInactiveStyle: 'bar'},
        {
            made: (terminal) => {
                // A link may lead elsewhere than its text says.
                terminal.parser.registerOscHandler(LINK, () => true);
                terminal.onData((keys) => this.#handleKeys(keys));
            },
            shown: () => {
                this.#screen.fit.fit();
                this.#write();
                this.#terminal.focus();
            },
            resized: () => this.#screen.fit.fit(),
        },
    );

    constructor(view, model) {
        this.view = view;
        this.model = model;
    }

    take(view, model) {
        if (model !== this.model) {
            this.#taken = 0;
            this.#terminal?.reset();
        }
        this.view = view;
        this.model = model;
        this.#write();
    }

    get attach() {
        return this.#screen.attach;
    }

    get #terminal() {
        return this.#screen.terminal;
    }

    /** What this is, for whoever takes it for the agent's own terminal. */
    explanation() {
        const empty = this.model.record.length ? '' : ' Nothing was said yet.';
        return this.#mayWrite()
            ? `A line that you type is a message to the agent, which has no terminal itself.${empty}`
            : `What the session said, as a terminal shows it. It takes no messages.${empty}`;
    }

    #mayWrite() {
        return drives(this.view) && !this.model.over && !this.view.ended_ms;
    }

    /** What came since, above the line that is being written. */
    #write() {
        const {record} = this.model;
        if (!this.#terminal || this.#taken >= record.length) {
            return;
        }
        let text = '';
        for (; this.#taken < record.length; this.#taken++) {
            const entry = record[this.#taken];
            const piece = spoken(entry);
            const voice = entry.type === 'chunk' ? `${entry.agent ?? ''} ${entry.stream}` : entry.type;
            if (piece) {
                const goesOn = voice === this.#voice || (text ? text.endsWith('\n') : this.#atLineStart);
                text += (goesOn ? '' : '\n') + piece;
                this.#voice = voice;
            }
        }
        if (text) {
            this.#terminal.write((this.#atLineStart ? ERASE : '') + text);
            this.#atLineStart = text.endsWith('\n');
        }
        this.#prompt();
    }

    #prompt() {
        if (this.#atLineStart && this.#mayWrite()) {
            this.#terminal.write(ERASE + PROMPT + this.#line);
        }
    }

    /** A line editor as small as can be: typed, pasted, taken back, sent. */
    #handleKeys(keys) {
        if (!this.#mayWrite() || keys.startsWith('\x1b')) {
            return;
        }
        for (const key of keys) {
            if (key === '\r') {
                this.#send();
            } else if (key === '\x7f') {
                this.#line = [...this.#line].slice(0, -1).join('');
            } else if (key === '\x15' || key === '\x03') {
                this.#line = '';
            } else if (key >= ' ') {
                this.#line += key;
            }
        }
        if (!this.#atLineStart) {
            this.#terminal.write('\r\n');
            this.#atLineStart = true;
        }
        this.#prompt();
    }

    async #send() {
        const line = this.#line.trim();
        this.#line = '';
        if (line && !(await say(state.route.session, this.model, line))) {
            this.#line = line;
            this.#prompt();
        }
    }
}

/** What of a frame a terminal shows. */
function spoken(entry) {
    switch (entry.type) {
        case 'chunk':
            return entry.stream === 'thought' ? `${DIM}${entry.content}${RESET}` : entry.content;
        case 'tool':
            return entry.title && entry.status === 'running'
                ? `${DIM}⚙ ${entry.name ?? ''} ${entry.title}${RESET}\n`
                : '';
        case 'message':
            return `${PROMPT}${entry.content}${entry.more ? '' : '\n'}`;
        case 'gap':
            return `${DIM}⋯ frames ${entry.gap.from} to ${entry.gap.to} are not here${RESET}\n`;
        case 'error':
            return `\x1b[31m${entry.error}${RESET}\n`;
        case 'done':
            return `${DIM}${howDone({...entry, exitCode: entry.exit_code})}${RESET}\n`;
        case 'state':
            return entry.state === 'terminated' ? `${DIM}terminated, ${because(entry.reason ?? '')}${RESET}\n` : '';
        default:
            return '';
    }
}
