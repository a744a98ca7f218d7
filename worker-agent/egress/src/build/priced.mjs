// Makes src/test/resources/brig/egress/filter/priced.jsonl: answers of models, with what the calculator of
// @pydantic/genai-prices makes of them. Of the same version as prices.json, or the test compares two price lists:
//   npm pack @pydantic/genai-prices@0.1.8 && tar xzf *.tgz && node priced.mjs package >priced.jsonl
// The same package gives the same file.
import {pathToFileURL} from 'node:url';
import {resolve} from 'node:path';

const {calcPrice, extractUsage, findProvider} = await import(pathToFileURL(resolve(process.argv[2], 'dist/index.js')));

/** An address of each API, the calculator's name of its form, ours, and the part of its models that counts: one of so many. */
const APIS = [
    ['https://api.anthropic.com/v1/messages', 'default', 'anthropic', 1],
    ['https://api.openai.com/v1/chat/completions', 'chat', 'chat', 3],
    ['https://api.openai.com/v1/responses', 'responses', 'responses', 3],
    ['https://generativelanguage.googleapis.com/v1beta/openai/chat/completions', 'chat', 'chat', 2],
    ['https://api.deepseek.com/chat/completions', 'chat', 'chat', 1],
    ['https://api.x.ai/v1/chat/completions', 'chat', 'chat', 1],
    ['https://api.moonshot.ai/v1/chat/completions', 'chat', 'chat', 1],
    ['https://api.z.ai/api/paas/v4/chat/completions', 'chat', 'chat', 1],
    ['https://openrouter.ai/api/v1/chat/completions', 'chat', 'chat', 20],
    ['https://bedrock-runtime.us-east-1.amazonaws.com/model', 'anthropic', 'bedrock', 4],
];
const TIMES = ['2025-02-03T01:00:00Z', '2025-06-01T17:00:00Z', '2026-07-29T23:59:59Z', '2026-11-26T03:00:00Z', '2026-11-26T12:00:00Z'];
const COUNTS = [0, 1, 37, 812, 2_817, 20_000, 34_567, 128_000, 200_000, 200_001, 272_000, 1_234_567];

let seed = 20_261_126;
/** A whole number below that, by mulberry32. */
function random(below) {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
}
const one = (list) => list[random(list.length)];

const periods = ({prices}) => (Array.isArray(prices) ? prices : [{prices}]);
const tiers = (model) =>
    periods(model).flatMap(({prices}) => Object.values(prices).flatMap((price) => price?.tiers?.map(({start}) => start) ?? []));
const isOfText = (model) =>
    periods(model).some(({prices}) => prices.input_mtok !== undefined || prices.output_mtok !== undefined);
/** The seconds before and after each change. */
const edges = (model) =>
    periods(model).flatMap(({constraint: {start_date: day, start_time: from, end_time: to} = {}}) =>
        day
            ? [-1, 0].map((seconds) => new Date(Date.parse(`${day}T00:00:00Z`) + seconds * 1000))
            : [from, to].filter(Boolean).flatMap((time) => [-1, 0].map((seconds) => new Date(Date.parse(`2026-11-26T${time}`) + seconds * 1000))),
    );

const USAGES = {
    anthropic: (input, output) => {
        const cached = random(3) ? random(input + 1) : 0;
        const written = random(3) ? random(input - cached + 1) : 0;
        const hour = random(2) ? random(written + 1) : 0;
        return {
            input_tokens: input - cached - written,
            cache_creation_input_tokens: written,
            cache_read_input_tokens: cached,
            output_tokens: output,
            ...(random(2) && {cache_creation: {ephemeral_5m_input_tokens: written - hour, ephemeral_1h_input_tokens: hour}}),
            ...(random(4) || {server_tool_use: {web_search_requests: 1 + random(9)}}),
        };
    },
    /** The calculator does not read here for how long a cache keeps what it took; Brig does. */
    bedrock: (input, output) => ({...USAGES.anthropic(input, output), cache_creation: undefined}),
    chat: (input, output) => ({
        prompt_tokens: input,
        completion_tokens: output,
        ...(random(3) && {prompt_tokens_details: {cached_tokens: random(input + 1)}}),
        ...(random(2) && {completion_tokens_details: {reasoning_tokens: random(output + 1)}}),
    }),
    responses: (input, output) => ({
        input_tokens: input,
        output_tokens: output,
        ...(random(3) && {input_tokens_details: {cached_tokens: random(input + 1)}}),
        ...(random(2) && {output_tokens_details: {reasoning_tokens: random(output + 1)}}),
    }),
};

function price(url, form, answer, at) {
    const provider = findProvider({providerApiUrl: url});
    try {
        const {model, usage} = extractUsage(provider, answer, form);
        return calcPrice(usage, model, {providerApiUrl: url, timestamp: new Date(at)})?.total_price ?? null;
    } catch {
        return null;
    }
}

for (const [url, form, ours, oneOf] of APIS) {
    for (const model of findProvider({providerApiUrl: url}).models.filter(isOfText)) {
        if (random(oneOf)) {
            continue;
        }
        const changes = edges(model);
        const steps = tiers(model);
        const times = changes.length ? changes.slice(-4) : [one(TIMES)];
        const inputs = steps.length ? [steps[0], steps[0] + 1] : form === 'default' ? [one(COUNTS), one(COUNTS)] : [one(COUNTS)];
        for (const time of times) {
            for (const input of inputs) {
                const at = new Date(time).toISOString().replace('.000', '');
                const answer = {id: 'a', model: model.id, usage: USAGES[ours](input, one(COUNTS))};
                console.log(JSON.stringify({url, at, usd: price(url, form, answer, at), answer}));
            }
        }
    }
}
