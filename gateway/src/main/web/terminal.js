// The session as a terminal shows it, with xterm.js: programs that move the cursor are seen as they meant it.
// Keys make a line, which is sent as a message; the agent has no terminal itself.
import {html, ref} from './vendor/lit.js';
import {drives} from './ending.js';
import {say} from './composer.js';
import {state} from './store.js';

const KEPT_LINES = 10_000;
const LINK = 8; // the number of the control string that makes one
const DIM = '\x1b[2m',
    RESET = '\x1b[0m',
    ERASE = '\x1b[2K\r';
const PROMPT = `${DIM}›${RESET} `;

let library = null;
const shown = new Map(); // by session

export function terminalPart(view, model) {
    const id = view.spawn_id;
    if (!shown.has(id)) {
        shown.set(id, new SessionTerminal(view, model));
    }
    const terminal = shown.get(id);
    terminal.take(view, model);
    return html`<section class="terminal" aria-label="Terminal">
        <p class="dim">${terminal.explanation()}</p>
        <div class="screen" ${ref(terminal.attach)}></div></section>`;
}

/**
 * xterm.js makes style elements, and gives spans of true colours a style attribute; the page's policy forbids
 * both. What a script does to style sheets and to the style of an element is allowed: the same, the other
 * way.
 */
function createStyled(tag, options) {
    const element = Document.prototype.createElement.call(document, tag === 'style' ? 'template' : tag, options);
    if (tag === 'style') {
        const sheet = new CSSStyleSheet();
        Object.defineProperty(element, 'textContent', {set: (text) => sheet.replaceSync(text)});
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    } else if (tag === 'span') {
        element.setAttribute = (name, value) =>
            name === 'style'
                ? void (element.style.cssText = value)
                : Element.prototype.setAttribute.call(element, name, value);
    }
    return element;
}

/** The library with its style sheet: whoever opens no terminal does not wait for them. */
async function load() {
    const sheet = document.createElement('link');
    sheet.rel = 'stylesheet';
    sheet.href = new URL('./vendor/xterm.css', import.meta.url);
    await new Promise((loaded) => {
        sheet.onload = sheet.onerror = loaded;
        document.head.append(sheet);
    });
    document.createElement = createStyled;
    return import('./vendor/xterm.js');
}

class SessionTerminal {
    #terminal = null;
    #fit = null;
    #taken = 0;
    #line = '';
    #element = null;
    #atLineStart = true;

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

    attach = async (element) => {
        this.#element = element ?? null;
        if (!element) {
            return;
        }
        library ??= await load();
        if (this.#element !== element) {
            return;
        }
        if (!this.#terminal) {
            this.#make();
        }
        element.replaceChildren();
        this.#terminal.open(element);
        new ResizeObserver(() => this.#element === element && this.#fit.fit()).observe(element);
        this.#fit.fit();
        this.#write();
        this.#terminal.focus();
    };

    #make() {
        const css = getComputedStyle(this.#element);
        this.#terminal = new library.Terminal({
            convertEol: true,
            scrollback: KEPT_LINES,
            fontSize: 13,
            screenReaderMode: true,
            cursorBlink: true,
            cursorInactiveStyle: 'bar',
            fontFamily: css.fontFamily,
            theme: {background: css.backgroundColor, foreground: css.color},
        });
        this.#fit = new library.FitAddon();
        this.#terminal.loadAddon(this.#fit);
        // A link may lead elsewhere than its text says.
        this.#terminal.parser.registerOscHandler(LINK, () => true);
        this.#terminal.onData((keys) => this.#handleKeys(keys));
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
            text += spoken(record[this.#taken]);
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
        case 'note':
            return `${PROMPT}${entry.fields.text}\n`;
        case 'gap':
            return `${DIM}⋯ frames ${entry.gap.from} to ${entry.gap.to} are not here${RESET}\n`;
        case 'error':
            return `\x1b[31m${entry.error}${RESET}\n`;
        case 'done':
            return `${DIM}done${entry.exitCode ? `, exit code ${entry.exitCode}` : ''}${RESET}\n`;
        case 'state':
            return entry.state === 'terminated' ? `${DIM}terminated ${entry.reason ?? ''}${RESET}\n` : '';
        default:
            return '';
    }
}
