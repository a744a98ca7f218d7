// The agents of a session, drawn one below the other as in a list of folders, so that the widest tree fits beside the
// conversation. Each is a button that narrows the stream to it.
import {html, nothing, svg} from './vendor/lit.js';
import {nameOf, standingOf, usageOf} from './agents.js';
import {age, clip, tokens} from './format.js';
import {goTo} from './route.js';
import {isNarrow, state} from './store.js';

const WIDTH = 208,
    HEIGHT = 40,
    INDENT = 14,
    GAP = 8,
    MARGIN = 2;
const DRAWN_MAX = 400;

/** Every agent with its place: parents before their children, children indented by a step. */
function placed(root) {
    const all = [];
    const open = [{node: root, depth: 0, parent: null}];
    while (open.length) {
        const {node, depth, parent} = open.pop();
        const at = {node: node.node, parent, x: depth * INDENT, y: all.length * (HEIGHT + GAP)};
        all.push(at);
        for (const child of [...node.children].reverse()) {
            open.push({node: child, depth: depth + 1, parent: at});
        }
    }
    return all;
}

export const agentsPart = (reading, look, id) =>
    html`<section class="agents" aria-label="Agents" tabindex="0">${agentsBrief(reading, look, id, isNarrow() ? 1 : 2)}</section>`;

/** The tree, with boxes of that many times the width, and what is known of the agent that is chosen in it. */
export function agentsBrief(reading, look, id, scale = 1) {
    const nodes = placed(reading.tree.root());
    const shown = nodes.slice(0, DRAWN_MAX);
    const height = shown.at(-1).y + HEIGHT + 2 * MARGIN;
    const width = Math.max(...shown.map((at) => at.x)) + scale * WIDTH + 2 * MARGIN;
    const nowMs = look.at === null ? state.nowMs : reading.lastMs;
    const chosen = look.agent === null ? reading.tree.main : reading.tree.nodes.get(look.agent);
    return html`<div class="drawing" tabindex="0" role="group" aria-label="Tree of agents"><svg width=${width}
            height=${height} viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}">
            ${shown.slice(1).map(edge)}
            ${shown.map((at) => box(at, chosen, look, id, nowMs, scale))}
        </svg></div>
        ${nodes.length > DRAWN_MAX ? html`<p class="dim">${nodes.length - DRAWN_MAX} more are not drawn.</p>` : nothing}
        ${details(chosen)}`;
}

const edge = ({node, parent, x, y}) => svg`<path class="edge ${node.background ? 'background' : ''}"
        d="M${parent.x + INDENT / 2} ${parent.y + HEIGHT}V${y + HEIGHT / 2}H${x}"/>`;

function box({node, x, y}, chosen, look, id, nowMs, scale) {
    const name = node.id === '' ? 'the agent' : nameOf(node) || node.id;
    const label = clip(name, 23 * scale);
    const line = clip(lifetime(node, nowMs), 30 * scale);
    const choose = () => {
        look.narrow(node.id);
        if (state.route.tab !== 'stream' && isNarrow()) {
            goTo(id);
        }
    };
    const handleKey = (event) => {
        if (event.key === 'Enter' || event.key === ' ') {
            event.preventDefault();
            choose();
        }
    };
    const status = standingOf(node);
    return svg`<g class="node ${status} ${node === chosen ? 'chosen' : ''}" role="button" tabindex="0"
            transform="translate(${x} ${y})" aria-pressed=${node === chosen}
            aria-label="${label} ${line}, ${status}" data-agent=${node.id} data-status=${node.status}
            @click=${choose} @keydown=${handleKey}>
        <title>${[node.type, node.prompt].filter(Boolean).join(': ') || name}</title>
        <rect width=${scale * WIDTH} height=${HEIGHT} rx="7"/>
        <circle cx="14" cy="14" r="4"/>
        <text x="25" y="18">${label}</text>
        <text x="14" y="33" class="small">${line}</text></g>`;
}

function lifetime(node, nowMs) {
    const lasts = node.startedMs ? age(Math.max(0, (node.endedMs || node.restsMs || nowMs) - node.startedMs)) : '';
    const usage = usageOf(node);
    return [lasts, usage.any ? tokens(usage).split(' · ').slice(0, 2).join(' ') : standingOf(node)]
        .filter(Boolean)
        .join(' · ');
}

function details(node) {
    if (!node || node.id === '') {
        return nothing;
    }
    return html`<dl class="details">
        <dt>agent</dt><dd>${node.type || 'sub-agent'} <span class="dim">${node.id}</span></dd>
        <dt>state</dt><dd>${node.status}${node.background ? ', in the background' : ''}</dd>
        ${node.prompt ? html`<dt>asked</dt><dd>${node.prompt}</dd>` : nothing}
        ${node.summary ? html`<dt>reported</dt><dd>${node.summary}</dd>` : nothing}
        ${node.error ? html`<dt>failed</dt><dd>${node.error}</dd>` : nothing}
    </dl>`;
}
