// What agents write as Markdown, a line at a time, so that a text may grow and a long one is never laid out whole. No
// markup is ever made of what an agent wrote: elements are made here, and text goes into text nodes.
import {marked} from './ansi.js';

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^(\s*)(?:[-*+]|(\d{1,4}[.)]))\s+(?:\[([ xX])\]\s+)?(.*)$/;
const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/;
// Code, strong, emphasis, a link with words, an address. Nothing in it can go over a line.
const INLINE =
    /(`+)(.+?)\1|\*\*(?=\S)(.+?\S)\*\*|(?<![\w*])\*(?=\S)([^*]*[^*\s])\*(?![\w*])|\[([^\]]{1,300})\]\((https?:\/\/[^\s)]{1,2000})\)|(https?:\/\/[^\s<>"'`)\]]{1,2000}[^\s<>"'`)\].,;:!?])/g;
const DEPTHS_MAX = 4;

/** Whether a line begins or ends a block of code. */
export const isFence = (text) => FENCE.test(text);

/**
 * The kind of a line and its nodes.
 *
 * @param fenced whether it stands in a block of code
 * @param mark what a search is for
 */
export function markdown(text, fenced, mark) {
    if (isFence(text)) {
        return {kind: fenced ? 'fence over' : 'fence', nodes: marked(text.trim().replace(/^[`~]+/, ''), mark)};
    }
    if (fenced || text.startsWith('|')) {
        return {kind: 'code', nodes: marked(text, mark)};
    }
    if (!text.trim()) {
        return {kind: 'blank', nodes: []};
    }
    if (RULE.test(text)) {
        return {kind: 'rule', nodes: []};
    }
    const heading = HEADING.exec(text);
    if (heading) {
        return {kind: `heading h${Math.min(heading[1].length, 3)}`, nodes: inline(heading[2], mark)};
    }
    const item = ITEM.exec(text);
    if (item) {
        const [, indent, number, box, rest] = item;
        const sign = document.createElement('span');
        sign.className = 'bullet';
        sign.textContent = box === undefined ? (number ?? '•') : box === ' ' ? '☐' : '☑';
        const depth = Math.min(Math.floor(indent.length / 2), DEPTHS_MAX);
        return {kind: `item depth${depth}`, nodes: [sign, wrap('span', rest, mark)]};
    }
    if (text.startsWith('> ')) {
        return {kind: 'quote', nodes: inline(text.slice(2), mark)};
    }
    return {kind: '', nodes: inline(text, mark)};
}

function wrap(tag, text, mark) {
    const element = document.createElement(tag);
    element.append(...inline(text, mark));
    return element;
}

function inline(text, mark) {
    const nodes = [];
    let from = 0;
    for (const found of text.matchAll(INLINE)) {
        const [all, ticks, code, strong, emphasis, words, target, address] = found;
        nodes.push(...marked(text.slice(from, found.index), mark));
        from = found.index + all.length;
        if (ticks) {
            const element = document.createElement('code');
            element.append(...marked(code, mark));
            nodes.push(element);
        } else if (strong !== undefined) {
            nodes.push(wrap('strong', strong, mark));
        } else if (emphasis !== undefined) {
            nodes.push(wrap('em', emphasis, mark));
        } else {
            nodes.push(...link(target ?? address, words, mark));
        }
    }
    nodes.push(...marked(text.slice(from), mark));
    return nodes;
}

/** A link to another host opens beside the page and says where it leads: its words are the agent's. */
function link(address, words, mark) {
    const element = document.createElement('a');
    element.href = address;
    element.target = '_blank';
    element.rel = 'noopener noreferrer nofollow';
    element.title = address;
    element.append(...marked(words ?? address, mark));
    if (words === undefined || words === address) {
        return [element];
    }
    const host = document.createElement('span');
    host.className = 'dim';
    host.textContent = ` (${URL.canParse(address) ? new URL(address).host : '?'})`;
    return [element, host];
}
