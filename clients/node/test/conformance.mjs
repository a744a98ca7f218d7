// Does what the lines on its standard input say, and prints what came of it: see clients/conformance.
import readline from 'node:readline';
import {SubagentProvider} from '../index.js';

const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
const choiceOf = ({option, text}) => option ?? {text};

for await (const line of readline.createInterface({input: process.stdin})) {
    const {where, token, steps, options = {}} = JSON.parse(line);
    const provider = new SubagentProvider({
        ...(token === undefined ? {spawnerSocket: where} : {url: where, token}),
        maxLatencyMs: options.max_latency_ms,
        timeouts: {answerMs: options.answer_ms ?? 60_000},
    });
    const state = {};
    const outcomes = [];
    for (const step of steps) {
        outcomes.push(await run(provider, state, step).catch(toFailure));
    }
    state.session?.close();
    console.log(JSON.stringify({outcomes}));
}

async function run(provider, state, {do: what, ...step}) {
    const {session} = state;
    switch (what) {
        case 'start': {
            const request = Object.fromEntries(Object.entries(step).map(([name, value]) => [camel(name), value]));
            state.session = await provider.start(request);
            return {ok: true, spawn_id: state.session.spawnId};
        }
        case 'read':
            return {frames: await read(session, step.until)};
        case 'text':
            return {text: await session.text()};
        case 'asks':
            return {asks: await provider.asks(step.tree)};
        case 'answer_ask':
            await provider.answer(step.ask_id, choiceOf(step));
            return {ok: true};
        case 'answer':
            await session.answer(step.ask_id, choiceOf(step));
            return {ok: true};
        default:
            await session[what](step.content);
            return {ok: true};
    }
}

async function read(session, until) {
    const frames = [];
    while (frames.length !== until) {
        const {value, done} = await session[Symbol.asyncIterator]().next();
        if (done) {
            break;
        }
        frames.push(value);
        if (value.type === until) {
            break;
        }
    }
    return frames;
}

function toFailure(failure) {
    if (failure.code === undefined) {
        throw failure;
    }
    return {error: failure.code, text: failure.text, retry_after_seconds: failure.retryAfterSeconds};
}
