// Makes prices.json of what @pydantic/genai-prices knows about models of text:
//   npm pack @pydantic/genai-prices && tar xzf *.tgz && node prices.mjs package DATE >prices.json
// The package has its data inside its program, as one array. Then make priced.jsonl anew, by priced.mjs.
import {readFileSync} from 'node:fs';
import {runInNewContext} from 'node:vm';

const [folder, date] = process.argv.slice(2);
const program = readFileSync(`${folder}/dist/index.cjs`, 'utf8');
const {name, version} = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
const data = runInNewContext(`${program}\n;${program.match(/const (\w+)=\[\{id:/)[1]}`, {exports: {}, module: {}, console});

/** Ours by theirs: in US dollars for a million tokens, or a thousand searches or requests. */
const UNITS = {
    input_mtok: 'input',
    output_mtok: 'output',
    cache_read_mtok: 'cacheRead',
    cache_write_mtok: 'cacheWrite',
    cache_write_1h_mtok: 'cacheWriteHour',
    output_reasoning_mtok: 'reasoning',
    web_searches_kcount: 'webSearches',
    requests_kcount: 'requests',
};
const MATCHES = {starts_with: 'startsWith', ends_with: 'endsWith'};

const match = (theirs) =>
    theirs &&
    Object.fromEntries(
        Object.entries(theirs).map(([key, value]) => [MATCHES[key] ?? key, Array.isArray(value) ? value.map(match) : value]),
    );

const steps = (price) =>
    typeof price === 'number'
        ? [{price}]
        : [{price: price.base}, ...price.tiers.map((tier) => ({above: tier.start, price: tier.price}))];

const usd = (prices) =>
    Object.fromEntries(Object.entries(prices).filter(([key]) => UNITS[key]).map(([key, price]) => [UNITS[key], steps(price)]));

const periods = (prices) =>
    (Array.isArray(prices) ? prices : [{prices}]).map(({constraint, prices: of}) => ({
        since: constraint?.start_date,
        from: constraint?.start_time,
        to: constraint?.end_time,
        usd: usd(of),
    }));

/** Not so: what is charged by the hour, the page or the picture. A model without any price is free. */
const isOfText = ({prices}) =>
    (Array.isArray(prices) ? prices : [{prices}]).some(
        ({prices: of}) => of.input_mtok !== undefined || of.output_mtok !== undefined || !Object.keys(of).length,
    );

/** Whether a count with that in its name is added to another one. */
const counts = (provider, part, sum) =>
    provider.extractors?.some(({mappings}) => mappings.some(({path, dest}) => dest === sum && `${path}`.includes(part))) ||
    undefined;

const providers = data.map((provider) => ({
    id: provider.id,
    api: provider.api_pattern,
    makes: match(provider.model_match),
    fallback: provider.fallback_model_providers,
    reasoningApart: counts(provider, 'reasoning', 'output_tokens'),
    models: provider.models
        .filter(isOfText)
        .map((model) => ({id: model.id, match: match(model.match), periods: periods(model.prices)})),
}));
const lines = providers.map((provider) => {
    const {models, ...rest} = provider;
    const head = JSON.stringify(rest).slice(0, -1);
    return `${head},"models":[\n${models.map((model) => JSON.stringify(model)).join(',\n')}\n]}`;
});
process.stdout.write(`{"date":"${date}","from":"${name} ${version}","providers":[\n${lines.join(',\n')}\n]}\n`);
