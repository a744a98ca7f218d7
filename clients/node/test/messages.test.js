import assert from 'node:assert/strict';
import {test} from 'node:test';
import {EPOCH, SPAWN_ID, all, chunk, done, failureOf, fakeGateway, terminated} from './fake-gateway.js';

async function start(t, session, options, request) {
    const gateway = await fakeGateway(t, {session});
    return {gateway, session: await gateway.provider(options).start({agent: 'shell', ...request})};
}

test('sends messages in order, and each is told what became of it', async (t) => {
    const seen = [];
    const {session} = await start(t, [
        async (peer) => {
            await peer.welcome();
            for (let i = 0; i < 3; i++) {
                const line = await peer.line();
                seen.push(line.content ?? line.action);
                assert.deepEqual(await peer.line(), {action: 'ping'});
                if (line.content === 'b') {
                    peer.write({type: 'error', error: 'another has control', code: 'CONTROL_HELD'});
                }
                peer.write(chunk(i + 1, 'x'), {type: 'pong'});
            }
        },
    ]);
    const results = await Promise.allSettled([session.send('a'), session.send('b'), session.cancel()]);
    assert.deepEqual(
        results.map(({status, reason}) => reason?.code ?? status),
        ['fulfilled', 'CONTROL_HELD', 'fulfilled'],
    );
    assert.deepEqual(seen, ['a', 'b', 'cancel']);
});

test('takes an error of the stream or of the record for no refusal', async (t) => {
    const {session} = await start(t, [
        async (peer) => {
            await peer.welcome();
            await peer.line();
            peer.write(
                {type: 'error', seq: 1, ts: 1, error: 'the model failed', code: 'MODEL_ERROR'},
                {type: 'error', error: 'the disk is full', code: 'RECORD_LOST'},
                {type: 'pong'},
                terminated(2),
            );
        },
    ]);
    await session.send('a');
    assert.deepEqual(
        (await all(session)).map(({code, state}) => code ?? state),
        ['MODEL_ERROR', 'RECORD_LOST', 'terminated'],
    );
});

test('sends a message again under its name where nobody knows whether it arrived', async (t) => {
    const sent = [];
    const {session} = await start(t, [
        async (peer) => {
            await peer.welcome();
            sent.push(await peer.line());
            peer.socket.destroy();
        },
        async (peer) => {
            await peer.welcome();
            for (let i = 0; i < 2; i++) {
                sent.push(await peer.message());
                peer.write({type: 'pong'});
            }
        },
    ]);
    await session.send('once');
    await session.send('two');
    assert.deepEqual(
        sent.map(({content}) => content),
        ['once', 'once', 'two'],
    );
    assert.match(sent[0].message_id, /^[A-Za-z0-9_-]{1,64}$/);
    assert.deepEqual(sent[1], sent[0]);
    assert.notEqual(sent[2].message_id, sent[0].message_id);
});

test('a message waits no longer for its answer than it may', async (t) => {
    const {session} = await start(
        t,
        [
            async (peer) => {
                await peer.welcome();
                await peer.closed;
            },
        ],
        {timeouts: {answerMs: 50}},
    );
    assert.equal((await failureOf(session.send('a'))).code, 'TIMEOUT');
});

test('text() is what the agent says: not its thoughts, its tools, its sub-agents or its program', async (t) => {
    const {session} = await start(t, [
        async (peer) => {
            await peer.welcome();
            peer.write(
                chunk(1, 'a'),
                {...chunk(2, 'b'), stream: 'text'},
                {...chunk(3, 'no'), stream: 'stderr'},
                {...chunk(4, 'no'), stream: 'thought'},
                {...chunk(5, 'no'), tool: 'call_1'},
                {...chunk(6, 'no'), agent: 'x'},
                done(7, {exit_code: 3}),
                chunk(8, 'second'),
                done(9),
            );
            await peer.listen();
        },
    ]);
    assert.equal(await session.text(), 'ab');
    assert.equal(session.lastDone.exit_code, 0, 'the newest that came');
    assert.equal(await session.text(), 'second');
});

for (const [what, lines, code, message] of [
    [
        'the agent gave up',
        [
            {type: 'error', seq: 2, ts: 1, error: 'overloaded', code: 'MODEL_ERROR'},
            done(3, {exit_code: 1, reason: 'failed'}),
        ],
        'MODEL_ERROR',
        /overloaded/,
    ],
    [
        'the message was cancelled',
        [
            {type: 'error', seq: 2, ts: 1, error: 'again', code: 'MODEL_ERROR', retrying: true},
            done(3, {exit_code: 1, reason: 'cancelled'}),
        ],
        'MESSAGE_FAILED',
        /cancelled/,
    ],
    ['frames are gone', [{type: 'gap', from: 2, to: 9, reason: 'evicted'}, done(10)], 'FRAMES_LOST', /2 to 9/],
    ['the session ended', [terminated(2)], 'SESSION_ENDED', /ended/],
]) {
    test(`text() fails where ${what}, and has what was said until then`, async (t) => {
        const {session} = await start(t, [
            async (peer) => {
                await peer.welcome();
                peer.write(chunk(1, 'so far'), ...lines);
                await peer.listen();
            },
        ]);
        const failure = await failureOf(session.text());
        assert.deepEqual([failure.code, failure.text], [code, 'so far']);
        assert.match(failure.message, message);
    });
}

test('reading may stop and go on', async (t) => {
    const {session} = await start(t, [
        async (peer) => {
            await peer.welcome();
            peer.write(chunk(1, 'a'), chunk(2, 'b'), terminated(3));
        },
    ]);
    for await (const frame of session) {
        assert.equal(frame.seq, 1);
        break;
    }
    assert.deepEqual(
        (await all(session)).map(({seq}) => seq),
        [2, 3],
    );
});

test('holds Brig back while nobody reads, but hears the answers to what it sends', async (t) => {
    const line = `${JSON.stringify(chunk(0, 'x'.repeat(30_000)))}\n`;
    let held = 0;
    let handleFull;
    const full = new Promise((resolve) => {
        handleFull = resolve;
    });
    const {session} = await start(
        t,
        [
            async (peer) => {
                await peer.welcome();
                let seq = 0;
                let isFull = false;
                while (!isFull) {
                    seq++;
                    peer.write(line.replace('"seq":0', `"seq":${seq}`));
                    await new Promise(setImmediate);
                    isFull = peer.socket.writableLength > 4_000_000;
                }
                held = seq;
                handleFull();
                assert.equal((await peer.line()).content, 'hello');
                peer.write({type: 'pong'});
                assert.equal((await peer.message()).action, 'terminate');
                peer.write({type: 'pong'}, terminated(seq + 1));
            },
        ],
        {bufferBytes: 100_000},
    );
    await full;
    await session.send('hello');
    await session.terminate();
    assert.equal((await all(session)).length, held + 1);
});

test('lets Brig go on when what waited was read', async (t) => {
    const {session} = await start(
        t,
        [
            async (peer) => {
                await peer.welcome();
                for (let seq = 1; seq <= 60; seq++) {
                    peer.write(chunk(seq, 'x'.repeat(30_000)));
                }
                peer.write(terminated(61));
            },
        ],
        {bufferBytes: 100_000},
    );
    for (let seq = 1; seq <= 61; seq++) {
        await new Promise(setImmediate);
        assert.equal((await session[Symbol.asyncIterator]().next()).value.seq, seq);
    }
});

test('an abort ends the session and its worker, and those who wait are told why', async (t) => {
    const controller = new AbortController();
    const {gateway, session} = await start(
        t,
        [
            async (peer) => {
                await peer.welcome();
                peer.write(chunk(1, 'a'));
                await peer.closed;
            },
        ],
        {},
        {signal: controller.signal},
    );
    const iterator = session[Symbol.asyncIterator]();
    await iterator.next();
    const waiting = iterator.next();
    controller.abort(new Error('enough'));
    assert.equal((await failureOf(waiting)).message, 'enough');
    assert.deepEqual(await gateway.ended.promise, {action: 'terminate', id: SPAWN_ID});
    assert.equal((await failureOf(session.send('x'))).code, 'SESSION_ENDED');
});

test('disposing ends the worker, over the spawner socket where the connection fails', async (t) => {
    const {session} = await start(t, [
        async (peer) => {
            await peer.welcome();
            assert.deepEqual(await peer.listen(), [{action: 'terminate'}]);
        },
    ]);
    await session[Symbol.asyncDispose]();
    assert.deepEqual(await all(session), []);

    const broken = await start(t, [
        async (peer) => {
            await peer.welcome();
            await peer.line();
            peer.write({type: 'error', error: 'the gateway stops', code: 'SHUTTING_DOWN', epoch: EPOCH, from: 1});
        },
    ]);
    await broken.session[Symbol.asyncDispose]();
    assert.deepEqual(await broken.gateway.ended.promise, {action: 'terminate', id: SPAWN_ID});
});

test('closing leaves the worker alone', async (t) => {
    const {gateway, session} = await start(t, [
        async (peer) => {
            await peer.welcome();
            peer.write(chunk(1, 'nobody reads it'));
            await peer.listen();
        },
    ]);
    await session.send('x');
    session.close();
    assert.deepEqual(await all(session), []);
    assert.deepEqual(
        gateway.requests.map(({action}) => action),
        ['spawn'],
    );
});
