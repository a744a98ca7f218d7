// A terminal of xterm.js on the page: loaded when the first one is shown, and kept while its element comes and goes.

let library = null;

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

export class Screen {
    /** Null until the first element is there. */
    terminal = null;
    /** Says how many characters have room in the element. */
    fit = null;
    #options;
    #events;
    #element = null;
    #observer = null;

    /**
     * @param options for xterm.js, besides those of all terminals here
     * @param events `made(terminal, library)` once, `shown()` whenever an element is there, `resized()` when it has
     *     another size
     */
    constructor(options, events) {
        this.#options = options;
        this.#events = events;
    }

    /** For lit-html's ref. */
    attach = async (element) => {
        this.#observer?.disconnect();
        this.#element = element ?? null;
        if (!element) {
            return;
        }
        library ??= load();
        const loaded = await library;
        if (this.#element !== element) {
            return;
        }
        if (!this.terminal) {
            this.#make(loaded);
        }
        if (this.terminal.element) {
            element.replaceChildren(this.terminal.element); // it opens only once
        } else {
            this.terminal.open(element);
        }
        this.#observer = new ResizeObserver(() => this.#events.resized());
        this.#observer.observe(element);
        this.#events.shown();
    };

    #make(loaded) {
        const css = getComputedStyle(this.#element);
        this.terminal = new loaded.Terminal({
            fontSize: 13,
            screenReaderMode: true,
            cursorBlink: true,
            minimumContrastRatio: 4.5, // agents choose colours for a ground that they do not know
            fontFamily: css.fontFamily,
            theme: {background: css.backgroundColor, foreground: css.color, cursor: css.color},
            ...this.#options,
        });
        this.fit = new loaded.FitAddon();
        this.terminal.loadAddon(this.fit);
        this.#events.made(this.terminal, loaded);
    }
}
