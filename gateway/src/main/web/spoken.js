// A line that an agent said, as elements: Markdown where it speaks, colours where a program does.
import {coloured, plain} from './ansi.js';
import {markdown} from './markdown.js';

/** The classes of a line and its nodes. The mark is what a search is for. */
export function spoken({stream, text, sgr, fenced}, mark) {
    if (stream !== 'text' || text.includes('\x1b')) {
        return {kind: stream, nodes: coloured(sgr + text, mark)};
    }
    const {kind, nodes} = markdown(plain(text), fenced, mark);
    return {kind: `text ${kind}`, nodes};
}

/**
 * What one place of the page made of rows, until a row is another. An element stands in one place, so each place that shows
 * rows has its own.
 */
export class Made {
    #by = new WeakMap();

    of(row, mark, make) {
        const key = `${row.version}|${mark}`;
        let made = this.#by.get(row);
        if (made?.key !== key) {
            made = {key, what: make()};
            this.#by.set(row, made);
        }
        return made.what;
    }
}
