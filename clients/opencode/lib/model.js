// A sub-agent behind the wall, as a model. OpenCode's own task tool makes the child session, asks for
// permission, shows what comes and aborts; all it needs is a model that answers, and that is the worker. No
// network is in between: the provider's fetch is the function here, and the worker's words come over a Unix
// socket.
import {BrigError} from './brig.js';
import {callOf, isDecidable} from './dialogues.js';
import {ToolNotes} from './tool-notes.js';

const TOO_MANY_REQUESTS = 429;
const REFUSED = 400;
const ENCODER = new TextEncoder();

const textOf = (content) =>
    typeof content === 'string'
        ? content
        : (content ?? [])
              .filter((part) => part.type === 'text')
              .map((part) => part.text)
              .join('\n');

/**
 * The message for the worker: what was said since its last answer. A worker that does not know the
 * conversation gets all of it, behind what the agent is told to be.
 */
export function messageFor(messages, isNew, instructions) {
    const said = messages.filter((message) => message.role === 'user' || message.role === 'assistant');
    const last = said.findLastIndex((message) => message.role === 'assistant');
    const message = said
        .slice(last + 1)
        .map((one) => textOf(one.content))
        .join('\n\n');
    if (!isNew) return message;
    const before = said
        .slice(0, last + 1)
        .map((one) => `${one.role === 'user' ? 'Asked' : 'Answered'}: ${textOf(one.content)}`);
    return [instructions, ...before, message].filter(Boolean).join('\n\n');
}

/**
 * What a frame adds to the answer: {@code content}, or {@code reasoning_content} for what is shown beside
 * it.
 *
 * @param tools what was told of the turn's tool calls
 */
export function deltaOf(frame, tools) {
    const note = (text) => ({reasoning_content: `\n[${text}]\n`});
    const beside = (text) => (text ? {reasoning_content: text} : null);
    switch (frame.type) {
        case 'chunk': {
            const own =
                frame.agent === undefined &&
                frame.tool === undefined &&
                (frame.stream === 'text' || frame.stream === 'stdout');
            if (own) return {content: frame.content};
            return beside(frame.tool === undefined ? frame.content : tools.output(frame.tool, frame.content));
        }
        case 'tool':
            return beside(tools.note(frame));
        case 'subagent':
            return frame.status === 'spawned'
                ? note(`sub-agent ${frame.subagent_type ?? ''}: ${frame.prompt ?? ''}`)
                : null;
        case 'egress':
            return frame.kind === 'blocked' ? note(`blocked: ${frame.host}`) : null;
        case 'ask':
            return note(`asks: ${frame.title}; brig answer ${frame.ask_id} ${choicesOf(frame)}`);
        case 'answered':
            return note(`answered: ${frame.option ?? frame.text ?? 'no longer asked'}`);
        case 'error':
            return note(`${frame.code}: ${frame.error}`);
        default:
            return null;
    }
}

function choicesOf({options, text}) {
    return [...options.map(({id}) => id), ...(text ? ['--text TEXT'] : [])].join('|');
}

function refusal(error) {
    const again = error.retryAfterSeconds;
    return Response.json(
        {error: {message: error.message, type: 'brig', code: error.code}},
        {
            status: again === undefined ? REFUSED : TOO_MANY_REQUESTS,
            headers: again === undefined ? {} : {'retry-after': String(again)},
        },
    );
}

function usageOf(usage) {
    const input = usage?.input_tokens ?? 0;
    const output = usage?.output_tokens ?? 0;
    return {prompt_tokens: input, completion_tokens: output, total_tokens: input + output};
}

/**
 * The turn as the pieces of an answer.
 *
 * @param isAsking whether a dialogue of OpenCode can be shown
 */
async function* answer(frames, changes, isAsking) {
    const tools = new ToolNotes();
    let failure = null;
    for await (const frame of frames) {
        if (frame.type === 'error' && !frame.retrying && frame.agent === undefined) failure = frame;
        if (frame.type === 'ask' && isAsking && isDecidable(frame)) {
            yield {delta: {tool_calls: [callOf(frame)]}, finish: 'tool_calls', usage: usageOf(), ask: frame};
            continue;
        }
        const delta = deltaOf(frame, tools);
        if (delta) yield {delta};
        if (frame.type !== 'done') continue;
        // Gateways before 0.1.0 call it exitCode.
        const exitCode = frame.exit_code ?? frame.exitCode;
        if (exitCode !== 0 && failure) throw new BrigError(failure.error, failure.code);
        if (exitCode !== 0)
            yield {
                delta: {content: `\n[exit code ${exitCode}${frame.reason ? `, ${frame.reason}` : ''}]`},
            };
        const note = await changes();
        if (note) yield {delta: {content: `\n\n${note}`}};
        yield {delta: {}, finish: 'stop', usage: usageOf(frame.usage)};
    }
}

function eventStream(body) {
    return new Response(body, {headers: {'content-type': 'text/event-stream'}});
}

/**
 * The fetch of the provider.
 *
 * @param remote {@code agent(name)}: {@code how} its worker is started and its {@code instructions};
 *     {@code keepMs}: how long a worker waits for its session to go on; {@code dialogues}: show what it asks
 */
export function modelFetch(workers, mirror, remote) {
    /** Workers that wait for their session to go on. */
    const kept = new Map();
    /** Turns that wait for an answer of OpenCode's user, by session. */
    const asking = new Map();

    async function take(id, agent, how, signal) {
        const idle = kept.get(id);
        kept.delete(id);
        clearTimeout(idle?.timer);
        if (idle && !idle.session.isOver) return {session: idle.session, isNew: false};
        return {session: await workers.start(agent, how, signal), isNew: true};
    }

    function keep(id, session) {
        const timer = setTimeout(() => {
            kept.delete(id);
            workers.end(session);
        }, remote.keepMs);
        timer.unref();
        kept.set(id, {session, timer});
    }

    /** One piece of the answer as it stands in the stream of events. */
    function event(model, {delta, finish = null, usage}) {
        return ENCODER.encode(
            `data: ${JSON.stringify({
                id: 'brig',
                object: 'chat.completion.chunk',
                created: Math.floor(Date.now() / 1000),
                model,
                choices: [{index: 0, delta, finish_reason: finish}],
                usage,
            })}\n\n`,
        );
    }

    function stream(id, body, pieces, session, signal) {
        let over = false;
        const handleAbort = () => {
            // OpenCode also aborts what has ended.
            if (!over) workers.end(session);
        };
        signal?.addEventListener('abort', handleAbort, {once: true});
        return new ReadableStream({
            async pull(controller) {
                try {
                    const {value} = await pieces.next();
                    if (value.delta.content && id) mirror.show(id, value.delta.content);
                    if (value.finish && !value.ask) await mirror.end(id);
                    if (value.ask) suspend(id, value.ask, pieces, session);
                    controller.enqueue(event(body.model, value));
                    if (!value.finish) return;
                    over = true;
                    controller.enqueue(ENCODER.encode('data: [DONE]\n\n'));
                    controller.close();
                    if (value.ask) return;
                    if (id) keep(id, session);
                    else workers.end(session);
                } catch (error) {
                    over = true;
                    await mirror.end(id);
                    workers.end(session);
                    controller.enqueue(
                        ENCODER.encode(
                            `data: ${JSON.stringify({error: {message: error.message, code: error.code}})}\n\n`,
                        ),
                    );
                    controller.close();
                }
            },
            cancel: handleAbort,
        });
    }

    /** The turn goes on once the tool that asks has returned. */
    function suspend(id, frame, pieces, session) {
        const turn = {pieces, session};
        asking.set(id, turn);
        remote.dialogues.expect(frame, session, () => {
            if (asking.get(id) !== turn) return;
            asking.delete(id);
            workers.end(session);
        });
    }

    /** The turn that waits for the results of a tool; undefined for none. Another message ends it. */
    function resume(id, messages) {
        const turn = asking.get(id);
        asking.delete(id);
        if (turn === undefined || messages.at(-1)?.role === 'tool') return turn;
        workers.end(turn.session);
    }

    return async (url, init) => {
        const body = JSON.parse(init.body);
        const id = new Headers(init.headers).get('x-session-id');
        const {how, instructions} = remote.agent(body.model);
        try {
            const turn = id && resume(id, body.messages);
            if (turn) return eventStream(stream(id, body, turn.pieces, turn.session, init.signal));
            const {session, isNew} = await take(id, body.model, how, init.signal);
            const frames = session.turn(messageFor(body.messages, isNew, instructions));
            const pieces = answer(frames, () => workers.changes(session, how.workspace), Boolean(id));
            return eventStream(stream(id, body, pieces, session, init.signal));
        } catch (error) {
            if (error instanceof BrigError) return refusal(error);
            throw error;
        }
    };
}
