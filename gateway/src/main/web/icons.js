// The page's own pictograms, drawn with lines of one width: no font has to have them.
import {html, svg} from './vendor/lit.js';

const LINES = {
    home: 'M2.5 7.5 8 3l5.5 4.5V13H10V9.5H6V13H2.5z',
    inbox: 'M2.5 9.5h3l1 2h3l1-2h3M2.5 9.5V13h11V9.5L11.5 3h-7z',
    plus: 'M8 3v10M3 8h10',
    check: 'm3 8.5 3.5 3.5L13 4.5',
    cross: 'm4 4 8 8m0-8-8 8',
    dots: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
    right: 'm6 4 4 4-4 4',
    back: 'M13 8H3m4-4L3 8l4 4',
    search: 'M7 11.5a4.5 4.5 0 1 1 0-9 4.5 4.5 0 0 1 0 9zM10.5 10.5l3 3',
    down: 'M8 3v9m-4-4 4 4 4-4',
    copy: 'M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3',
    save: 'M8 2.5v7m-3-3 3 3 3-3M2.5 11v2.5h11V11',
    link: 'M6.5 9.5a2.5 2.5 0 0 0 3.6 0l2.4-2.4a2.5 2.5 0 0 0-3.6-3.6L8 4.4M9.5 6.5a2.5 2.5 0 0 0-3.6 0L3.5 8.9a2.5 2.5 0 0 0 3.6 3.6L8 11.6',
    share: 'M8 9.5V2.5m-2.5 2.5L8 2.5l2.5 2.5M3 8v5.5h10V8',
    stop: 'M4.5 4.5h7v7h-7z',
    shell: 'm3 4.5 3.5 3.5L3 11.5M8.5 11.5H13',
    edit: 'M3 13l.7-3L11 2.7l2.3 2.3L6 12.3z',
    file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
    globe: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM2.5 8h11M8 2.5c3 3 3 8 0 11-3-3-3-8 0-11',
    agent: 'M8 2.5v2M3.5 4.5h9v7.5h-9zM6 7.5v1M10 7.5v1M6 12v1.5M10 12v1.5',
    thought: 'M5 12.5h6M6 10.5c0-1-2-2-2-4.2a4 4 0 0 1 8 0c0 2.2-2 3.2-2 4.2z',
    tool: 'M10.5 2.5a3.5 3.5 0 0 0-3.2 4.7L2.5 12l1.5 1.5 4.8-4.8a3.5 3.5 0 0 0 4.5-4.5L11 6.5 9.5 5l2.2-2.3z',
    wall: 'M2.5 4h11v8h-11zM2.5 8h11M8 4v4M5 8v4M11 8v4',
    auto: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
    dark: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
    light: 'M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.5 3.5l1 1M11.5 11.5l1 1M12.5 3.5l-1 1M4.5 11.5l-1 1',
    coin: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM9.8 6.2C9.4 5.5 8.8 5.2 8 5.2c-1 0-1.8.5-1.8 1.4 0 1.9 3.6.9 3.6 2.8 0 .9-.8 1.4-1.8 1.4-.8 0-1.5-.3-1.9-1M8 4.2v7.6',
    bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1H3zM7 13.5h2',
    keys: 'M2 4.5h12v7H2zM4.5 7h.01M7 7h.01M9.5 7h.01M12 7h.01M5 9.5h6',
};

const drawn = new Map();

/** A pictogram, which says nothing by itself: beside it stands a word, or its button has a label. */
export function icon(name) {
    if (!drawn.has(name)) {
        drawn.set(
            name,
            html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${svg`<path d=${LINES[name]}/>`}</svg>`,
        );
    }
    return drawn.get(name);
}
