// A line with terminal colours as elements. No markup is ever made of what an agent wrote: text goes into
// text nodes.
import Anser from './vendor/anser.js';

const OTHER_CODES =
    /\x1b\[[0-9;:?]*[ -/]*[@-ln-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[^[\]]|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]/g;
const SGR = /\x1b\[[0-9;:]*m/g;
const PALETTE = /^ansi-palette-(\d+)$/;
const STEPS = [0, 95, 135, 175, 215, 255];

/** The same text without control sequences. */
export const plain = (text) => text.replace(OTHER_CODES, '').replace(SGR, '');

/** The elements of a text. The mark is what a search is for. */
export function coloured(text, mark) {
    if (!text.includes('\x1b')) {
        return marked(text.replace(OTHER_CODES, ''), mark);
    }
    return Anser.ansiToJson(text.replace(OTHER_CODES, ''), {use_classes: true, remove_empty: true}).map((piece) => {
        const span = document.createElement('span');
        span.append(...marked(piece.content, mark));
        colour(span, 'fg', piece.fg, piece.fg_truecolor);
        colour(span, 'bg', piece.bg, piece.bg_truecolor);
        piece.decorations.forEach((name) => span.classList.add(`ansi-${name}`));
        return span;
    });
}

/**
 * The sixteen colours are the style sheet's, which knows dark and light; all others are what the agent chose.
 */
function colour(span, ground, name, rgb) {
    if (!name) {
        return;
    }
    const palette = PALETTE.exec(name);
    const value = name === 'ansi-truecolor' ? rgb : palette ? rgbOf(Number(palette[1])) : null;
    if (value) {
        span.style.setProperty(ground === 'fg' ? 'color' : 'background-color', `rgb(${value})`);
    } else {
        span.classList.add(`${ground}-${name}`);
    }
}

function rgbOf(index) {
    if (index >= 232) {
        const grey = 8 + (index - 232) * 10;
        return `${grey}, ${grey}, ${grey}`;
    }
    const cube = index - 16;
    return [cube / 36, (cube / 6) % 6, cube % 6].map((step) => STEPS[Math.floor(step)]).join(', ');
}

/** Text nodes, with what is searched for in marks. */
export function marked(text, mark) {
    if (!mark) {
        return [document.createTextNode(text)];
    }
    const nodes = [];
    const lower = text.toLowerCase();
    let from = 0;
    for (let at = lower.indexOf(mark); at >= 0; at = lower.indexOf(mark, from)) {
        const found = document.createElement('mark');
        found.textContent = text.slice(at, at + mark.length);
        nodes.push(document.createTextNode(text.slice(from, at)), found);
        from = at + mark.length;
    }
    nodes.push(document.createTextNode(text.slice(from)));
    return nodes;
}
