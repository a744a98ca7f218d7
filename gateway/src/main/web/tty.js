// The agent's own terminal, for sessions that have one: what it received is written to a terminal of the same size here.
// Captains type into it, watchers see it. What the agent asks its terminal is answered behind the wall, so nothing that this
// one would answer leaves it.
import {html, ref} from './vendor/lit.js';
import {drives} from './ending.js';
import {Screen} from './screen.js';
import {sendLine} from './watch.js';

const SCROLLBACK = 1000;
const CLEAR = '\x1bc'; // the terminal is as new
const KEYS_MAX = 8000; // characters in one line, fewer bytes than the protocol allows
const RESIZE_MS = 150;
/** Control sequences that ask the terminal something, by how xterm.js names them. */
const QUERIES = [
    {final: 'c'},
    {prefix: '>', final: 'c'},
    {prefix: '=', final: 'c'},
    {final: 'n'},
    {prefix: '?', final: 'n'},
    {intermediates: '$', final: 'p'},
    {prefix: '?', intermediates: '$', final: 'p'},
    {prefix: '?', final: 'u'},
    {prefix: '>', final: 'q'},
    {final: 't'},
    {final: 'x'},
];
const DEVICE_QUERIES = [
    {intermediates: '$', final: 'q'},
    {intermediates: '+', final: 'q'},
];
const COLOURS = [4, 10, 11, 12];
const LINK = 8,
    CLIPBOARD = 52;

export function ttyPart(view, model, look) {
    const id = view.spawn_id;
    look.tty ??= new TtyScreen(id);
    const screen = look.tty;
    screen.take(view, model);
    return html`<section class="terminal tty ${screen.mayType() ? 'typed' : ''}" aria-label="Terminal of the agent">
        <p class="dim">${screen.explanation()}</p>
        <div class="screen" ${ref(screen.attach)}></div></section>`;
}

class TtyScreen {
    #model = null;
    #view = null;
    #taken = 0;
    #told = ''; // the newest size that was told, and on which connection
    #telling = 0;
    #connection = 0;
    /** 'nothing' yet, 'all' that there is, 'some' of it until the next checkpoint, or a 'piece' of that. */
    #shows = 'nothing';
    #clears = false; // before anything else is drawn
    #draws = false;
    #screen = new Screen(
        {scrollback: SCROLLBACK, allowProposedApi: true /* for the widths of characters */},
        {
            made: (terminal, library) => this.#make(terminal, library),
            shown: () => {
                this.#draw();
                if (this.mayType()) {
                    this.#terminal.focus();
                }
            },
            resized: () => this.#tellSize(),
        },
    );

    constructor(id) {
        this.id = id;
    }

    take(view, model) {
        if (model !== this.#model) {
            this.#taken = 0;
            this.#shows = 'nothing';
            this.#clears = this.#model !== null;
        }
        this.#view = view;
        this.#model = model;
        if (this.#connection !== model.welcomes) {
            this.#connection = model.welcomes;
            this.#tellSize();
        }
        this.#draw();
    }

    get attach() {
        return this.#screen.attach;
    }

    get #terminal() {
        return this.#screen.terminal;
    }

    explanation() {
        const size = this.#model.tty ? `${this.#model.tty.cols} × ${this.#model.tty.rows}. ` : '';
        if (this.mayType() && !this.#model.joined) {
            return `The agent's own terminal, ${size}There is no connection to it: what you type is lost.`;
        }
        return this.mayType()
            ? `The agent's own terminal, ${size}What you type goes to the agent; Shift+Esc leaves it.`
            : `The agent's own terminal, ${size}You see it, and do not type.`;
    }

    mayType() {
        return drives(this.#view) && !this.#view.ended_ms && !this.#model.over;
    }

    #make(terminal, library) {
        // Characters are as wide as in the model that makes checkpoints.
        terminal.loadAddon(new library.Unicode11Addon());
        terminal.unicode.activeVersion = '11';
        const {parser} = terminal;
        QUERIES.forEach((query) => parser.registerCsiHandler(query, () => true));
        DEVICE_QUERIES.forEach((query) => parser.registerDcsHandler(query, () => true));
        COLOURS.forEach((code) => parser.registerOscHandler(code, (text) => text.includes('?')));
        [LINK, CLIPBOARD].forEach((code) => parser.registerOscHandler(code, () => true));
        terminal.attachCustomKeyEventHandler((event) => this.#handleKey(event));
        terminal.onData((keys) => this.#type(keys));
    }

    /** All keys are the agent's but Shift+Esc, the way out. Who may not type leaves as everywhere. */
    #handleKey(event) {
        if (event.key === 'Escape' && (event.shiftKey || !this.mayType())) {
            document.getElementById('main')?.focus();
            return false;
        }
        return event.key !== 'Tab' || this.mayType();
    }

    #type(keys) {
        if (!this.mayType() || !this.#model.joined) {
            return;
        }
        this.#tellSize(true);
        for (let at = 0; at < keys.length;) {
            // A pair of surrogates stays together.
            const last = keys.codePointAt(Math.min(at + KEYS_MAX, keys.length) - 1) > 0xffff ? 1 : 0;
            const end = Math.min(at + KEYS_MAX, keys.length) + last;
            sendLine({action: 'keys', id: this.id, data: keys.slice(at, end)});
            at = end;
        }
    }

    /** How large this window is; the terminal has the size that frames tell. */
    #tellSize(now = false) {
        clearTimeout(this.#telling);
        const tell = () => {
            const {cols, rows} = this.#screen.fit?.proposeDimensions() ?? {};
            const size = `${this.#connection} ${cols} ${rows}`;
            if (cols > 1 && rows > 1 && size !== this.#told && this.mayType()) {
                this.#told = sendLine({
                    action: 'resize',
                    id: this.id,
                    cols: Math.min(cols, 1000),
                    rows: Math.min(rows, 500),
                })
                    ? size
                    : '';
            }
        };
        if (now) {
            tell();
        } else {
            this.#telling = setTimeout(tell, RESIZE_MS);
        }
    }

    /** Draws what came since, in order: xterm.js reads text later than it takes a size. */
    async #draw() {
        if (this.#draws || !this.#terminal) {
            return;
        }
        this.#draws = true;
        for (let next = this.#next(); next; next = this.#next()) {
            if (next.text) {
                await new Promise((drawn) => this.#terminal.write(next.text, drawn));
            } else {
                this.#terminal.resize(next.cols, next.rows);
            }
        }
        this.#draws = false;
    }

    /** The next size, or the text up to the next one. @return undefined if there is nothing now */
    #next() {
        const {record} = this.#model;
        let text = this.#clears ? CLEAR : '';
        this.#clears = false;
        while (this.#taken < record.length) {
            const frame = record[this.#taken];
            const sized = this.#sized(frame);
            if (sized && text) {
                break;
            }
            if (sized) {
                return sized;
            }
            this.#taken++;
            text += this.#textOf(frame);
        }
        return text ? {text} : undefined;
    }

    /** The size that a frame is for, where the terminal has another one. */
    #sized({type, cols, rows}) {
        const {cols: colsNow, rows: rowsNow} = this.#terminal;
        const other =
            (type === 'tty' || (type === 'screen' && this.#shows !== 'all')) && (cols !== colsNow || rows !== rowsNow);
        return other ? {cols, rows} : null;
    }

    /**
     * What of a frame is written to the terminal. A checkpoint is drawn where the stream begins with one, after a gap, and
     * after a change of size, as xterm.js breaks lines anew and keeps what is cut. It is passed by otherwise.
     */
    #textOf(frame) {
        switch (frame.type) {
            case 'tty':
                this.#shows = this.#shows === 'nothing' ? 'nothing' : 'some';
                return '';
            case 'screen': {
                if (this.#shows === 'all') {
                    return '';
                }
                const begins = this.#shows !== 'piece';
                this.#shows = frame.more ? 'piece' : 'all';
                return (begins ? CLEAR : '') + frame.content;
            }
            case 'chunk':
                if (frame.stream !== 'tty') {
                    return '';
                }
                this.#shows = this.#shows === 'nothing' ? 'all' : this.#shows;
                return frame.content;
            case 'gap':
                this.#shows = 'some';
                return CLEAR;
            default:
                return '';
        }
    }
}
