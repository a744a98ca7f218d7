// What stands beside a conversation: its agents, what it changed, what it requested, what its wall holds, what it cost. Each
// is a glance; the tabs have all of it.
import {html, nothing} from './vendor/lit.js';
import {nameOf, usageOf} from './agents.js';
import {purses} from './budget.js';
import {changesBrief} from './changes.js';
import {clip, count, dateTime, money, plural} from './format.js';
import {agentsBrief} from './tree.js';
import {requestsBrief, wallBrief} from './wall.js';

const AGENTS_PRICED = 6;

export function rail(id, view, model, reading, look, budget) {
    const requests = requestsBrief(model);
    // What git tells is of now.
    const changes = view && look.at === null ? changesBrief(id, look, model.settled) : null;
    return html`<aside class="rail" aria-label="About this session" tabindex="0">
        ${reading.tree.nodes.size ? group('Agents', agentsBrief(reading, look, id)) : nothing}
        ${changes ? group('Changes', changes) : nothing}
        ${budget ? group('Budget', purses(budget)) : nothing}
        ${cost(reading.tree)}
        ${requests ? group('Network requests', requests) : nothing}
        ${group('Wall', wallBrief(id, look))}
        ${view ? group('Session', facts(view, model)) : nothing}
    </aside>`;
}

const group = (name, content) => html`<section aria-label=${name}><h2>${name}</h2>${content}</section>`;

/** What all agents used, and which of them most. */
function cost(tree) {
    const all = tree.usage();
    if (!all) {
        return nothing;
    }
    const each = [...tree.nodes.values()].filter((node) => usageOf(node).any);
    return group(
        'Cost',
        html`<p class="price"><b>${all.cost ? money(all.cost) : '—'}</b> <span class="dim">${count(all.input_tokens)} tokens in, ${count(all.output_tokens)} out</span></p>
            ${
                each.length
                    ? html`<ul class="prices">${each
                          .slice(0, AGENTS_PRICED)
                          .map(
                              (node) =>
                                  html`<li><span>${clip(nameOf(node) || node.id, 32)}</span><span class="dim">${price(usageOf(node))}</span></li>`,
                          )}</ul>`
                    : nothing
            }`,
    );
}

const price = (usage) => (usage.cost ? money(usage.cost) : count(usage.input_tokens + usage.output_tokens));

const facts = (view, model) => html`<dl class="particulars"><dt>started</dt><dd>${dateTime(view.created_ms)}</dd>
    <dt>by</dt><dd>${view.captain}</dd>
    <dt>frames</dt><dd>${plural(model.lastSeq, 'frame')}</dd>
    <dt>workspace</dt><dd><code>${view.workspace}</code></dd>
    <dt>id</dt><dd class="id"><code title=${view.spawn_id}>${view.spawn_id}</code></dd></dl>`;
