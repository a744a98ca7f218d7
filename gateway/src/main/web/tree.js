// The agents of a session, drawn: d3-hierarchy says where each stands, and each is a button that narrows the
// stream to it.
import {html, nothing, svg} from './vendor/lit.js';
import {hierarchy, tree as layout} from './vendor/hierarchy.js';
import {nameOf, usageOf} from './agents.js';
import {age, clip, tokens} from './format.js';
import {goTo} from './route.js';
import {state} from './store.js';

const WIDTH = 148,
    HEIGHT = 40,
    GAP_X = 26,
    GAP_Y = 10,
    MARGIN = 10;
const DRAWN_MAX = 400;

/** Depth goes to the right, siblings below each other, as in a text. */
const place = layout()
    .nodeSize([HEIGHT + GAP_Y, WIDTH + GAP_X])
    .separation(() => 1);

export function agentsPart(reading, look, id) {
    const root = place(hierarchy(reading.tree.root()));
    const nodes = root.descendants();
    const shown = nodes.slice(0, DRAWN_MAX);
    const top = Math.min(...shown.map((node) => node.x));
    const height = Math.max(...shown.map((node) => node.x)) - top + HEIGHT + 2 * MARGIN;
    const width = Math.max(...shown.map((node) => node.y)) + WIDTH + 2 * MARGIN;
    const nowMs = look.at === null ? state.nowMs : reading.lastMs;
    const chosen = look.agent === null ? reading.tree.main : reading.tree.nodes.get(look.agent);
    return html`<section class="agents" aria-label="Agents" tabindex="0">
        <div class="drawing" tabindex="0" role="group" aria-label="Tree of agents"><svg width=${width}
            height=${height} viewBox="${-MARGIN} ${top - MARGIN} ${width} ${height}">
            ${shown.slice(1).map((node) => edge(node))}
            ${shown.map((node) => box(node, chosen, look, id, nowMs))}
        </svg></div>
        ${nodes.length > DRAWN_MAX ? html`<p class="dim">${nodes.length - DRAWN_MAX} more are not drawn.</p>` : nothing}
        ${details(chosen)}
    </section>`;
}

function edge(node) {
    const x = node.parent.y + WIDTH;
    const y = node.parent.x + HEIGHT / 2;
    const toX = node.y;
    const toY = node.x + HEIGHT / 2;
    const middle = (x + toX) / 2;
    return svg`<path class="edge ${node.data.node.background ? 'background' : ''}"
        d="M${x} ${y}C${middle} ${y} ${middle} ${toY} ${toX} ${toY}"/>`;
}

function box(placed, chosen, look, id, nowMs) {
    const {node} = placed.data;
    const name = node.id === '' ? 'the agent' : nameOf(node) || node.id;
    const label = clip(name, 17);
    const line = clip(lifetime(node, nowMs), 24);
    const choose = () => {
        look.narrow(node.id);
        if (state.route.tab !== 'stream' && matchMedia('(max-width: 900px)').matches) {
            goTo(id);
        }
    };
    const handleKey = (event) => {
        if (event.key === 'Enter' || event.key === ' ') {
            event.preventDefault();
            choose();
        }
    };
    return svg`<g class="node ${node.status} ${node === chosen ? 'chosen' : ''}" role="button" tabindex="0"
            transform="translate(${placed.y} ${placed.x})" aria-pressed=${node === chosen}
            aria-label="${label} ${line}, ${node.status}" data-agent=${node.id} data-status=${node.status}
            @click=${choose} @keydown=${handleKey}>
        <title>${[node.type, node.prompt].filter(Boolean).join(': ') || name}</title>
        <rect width=${WIDTH} height=${HEIGHT} rx="7"/>
        <circle cx="14" cy="14" r="4"/>
        <text x="25" y="18">${label}</text>
        <text x="14" y="33" class="small">${line}</text></g>`;
}

function lifetime(node, nowMs) {
    const lasts = node.startedMs ? age(Math.max(0, (node.endedMs || nowMs) - node.startedMs)) : '';
    const usage = usageOf(node);
    return [lasts, usage.any ? tokens(usage).split(' · ').slice(0, 2).join(' ') : node.status]
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
