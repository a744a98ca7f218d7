import assert from 'node:assert/strict';
import {test} from 'node:test';
import {EPOCH, SPAWN_ID, TOKEN, all, chunk, done, failureOf, fakeGateway, terminated} from './fake-gateway.js';

/** Frames of a connection that says them all at once, behind its welcome, and stays. */
const says =
    (...lines) =>
    async (peer) => {
        await peer.welcome();
        peer.write(...lines);
        await peer.listen();
    };

async function start(t, session, options, request) {
    const gateway = await fakeGateway(t, {session});
    return {gateway, session: await gateway.provider(options).start({agent: 'shell', ...request})};
}

const types = (frames) => frames.map(({type, seq, from, to}) => [type, seq ?? `${from}-${to}`]);

test('reads the same frames wherever the bytes are split', async (t) => {
    const frames = [chunk(1, 'ü€😀\n'), done(2), terminated(3)];
    const bytes = Buffer.from(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
    const {session} = await start(t, [
        async (peer) => {
            await peer.welcome();
            await peer.writeByByte(bytes);
        },
    ]);
    assert.deepEqual(await all(session), frames);
    assert.equal(session.isTerminated, true);
    assert.deepEqual(session.lastDone, frames[1]);
});

test('has everything of a session that is over before anybody reads', async (t) => {
    const {gateway, session} = await start(t, [
        async (peer) => {
            await peer.welcome();
            peer.write(chunk(1, 'hi'), done(2), terminated(3));
            peer.socket.end();
        },
    ]);
    assert.equal(await session.text(), 'hi');
    assert.deepEqual(types(await all(session)), [['state', 3]]);
    await session.terminate();
    assert.equal((await failureOf(session.send('more'))).code, 'SESSION_ENDED');
    assert.equal(gateway.connections, 1);
});

for (const [what, line] of [
    ['no JSON', 'nonsense\n'],
    ['no object', '[]\n'],
    ['above the bound', `${'x'.repeat(65_536)}\n`],
    ['not UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a])],
]) {
    test(`fails on a line that is ${what}, behind the frames before it`, async (t) => {
        const {gateway, session} = await start(t, [says(chunk(1, 'a'), line, chunk(2, 'b'))]);
        const iterator = session[Symbol.asyncIterator]();
        assert.equal((await iterator.next()).value.content, 'a');
        assert.equal((await failureOf(iterator.next())).code, 'PROTOCOL_VIOLATION');
        assert.equal((await failureOf(iterator.next())).code, 'PROTOCOL_VIOLATION', 'also who asks again');
        assert.equal(gateway.connections, 1);
    });
}

test('hands out gaps, and fails where frames are missing without one', async (t) => {
    const {session} = await start(t, [
        says({type: 'gap', from: 1, to: 4, reason: 'evicted'}, chunk(5, 'a'), chunk(7, 'c')),
    ]);
    const iterator = session[Symbol.asyncIterator]();
    assert.deepEqual((await iterator.next()).value, {type: 'gap', from: 1, to: 4, reason: 'evicted'});
    assert.equal((await iterator.next()).value.seq, 5);
    const failure = await failureOf(iterator.next());
    assert.equal(failure.code, 'FRAMES_LOST');
    assert.match(failure.message, /frame 7 came where 6 was due/);
});

test('fails where a gap begins behind the frame that is due', async (t) => {
    const {session} = await start(t, [says({type: 'gap', from: 2, to: 4, reason: 'evicted'})]);
    assert.equal((await failureOf(all(session))).code, 'FRAMES_LOST');
});

test('connects again and resumes, wherever the connection breaks', async (t) => {
    const frames = [chunk(1, 'a'), chunk(2, 'b'), terminated(3)];
    const lines = frames.map((frame) => `${JSON.stringify(frame)}\n`);
    const bytes = Buffer.from(lines.join(''));
    for (let at = 0; at < bytes.length; at += 7) {
        const hellos = [];
        const {session} = await start(t, [
            async (peer) => {
                await peer.welcome();
                peer.socket.end(bytes.subarray(0, at));
            },
            async (peer) => {
                const hello = await peer.welcome();
                hellos.push(hello);
                peer.write(...frames.slice(hello.from - 1));
            },
        ]);
        assert.deepEqual(await all(session), frames);
        const complete = lines.filter((line, i) => lines.slice(0, i + 1).join('').length <= at).length;
        assert.deepEqual(hellos, [{auth: TOKEN, from: complete + 1}], `cut at ${at}`);
    }
});

test('takes a last word as a reason to resume', async (t) => {
    const {gateway, session} = await start(t, [
        says(chunk(1, 'a'), {type: 'error', error: 'too slow', code: 'SLOW_READER', epoch: EPOCH, from: 2}),
        says(chunk(2, 'b'), terminated(3)),
    ]);
    assert.deepEqual(types(await all(session)), [
        ['chunk', 1],
        ['chunk', 2],
        ['state', 3],
    ]);
    assert.equal(gateway.connections, 2);
});

test('takes merged text by the range that it has, and asks for it on each connection', async (t) => {
    const hellos = [];
    const merged = (from, seq, content) => ({...chunk(seq, content), from});
    const {session} = await start(
        t,
        [
            async (peer) => {
                hellos.push(await peer.welcome());
                peer.write(chunk(1, 'a'), merged(2, 4, 'bcd'));
                peer.socket.end();
            },
            async (peer) => {
                hellos.push(await peer.welcome(5));
                peer.write(merged(2, 4, 'bcd'), merged(5, 6, 'ef'), terminated(7));
                await peer.listen();
            },
        ],
        {maxLatencyMs: 50},
    );
    const frames = await all(session);
    assert.equal(frames.map(({content = ''}) => content).join(''), 'abcdef');
    assert.deepEqual(hellos, [
        {auth: TOKEN, from: 1, max_latency_ms: 50},
        {auth: TOKEN, from: 5, max_latency_ms: 50},
    ]);
});

test('fails where merged text begins beyond or before what is due', async (t) => {
    const beyond = await start(t, [says(chunk(1, 'a'), {...chunk(4, 'cd'), from: 3})]);
    assert.equal((await failureOf(all(beyond.session))).code, 'FRAMES_LOST');
    const before = await start(t, [says(chunk(1, 'a'), chunk(2, 'b'), {...chunk(3, 'bc'), from: 2})]);
    assert.equal((await failureOf(all(before.session))).code, 'PROTOCOL_VIOLATION');
});

test('passes over frames that it has, and gaps that it knows of', async (t) => {
    const {session} = await start(t, [
        async (peer) => {
            await peer.welcome();
            peer.write(chunk(1, 'a'), chunk(2, 'b'));
            peer.socket.end();
        },
        says(
            {type: 'gap', from: 1, to: 1, reason: 'evicted'},
            chunk(2, 'b'),
            {type: 'gap', from: 2, to: 3, reason: 'evicted'},
            terminated(4),
        ),
    ]);
    assert.deepEqual(types(await all(session)), [
        ['chunk', 1],
        ['chunk', 2],
        ['gap', '2-3'],
        ['state', 4],
    ]);
});

test('says that the stream is another one after a reconnection, and reads it from its beginning', async (t) => {
    const froms = [];
    const another = async (peer, {connections}) => {
        // As Brig does: behind the newest frame means from there on.
        const {from} = await peer.welcome(connections === 2 ? 2 : 1, '9c3m1t7z');
        froms.push(from);
        peer.write(...[chunk(1, 'x'), terminated(2)].slice(connections === 2 ? 1 : 0));
    };
    const {session} = await start(t, [
        async (peer) => {
            await peer.welcome();
            peer.write(chunk(1, 'a'), chunk(2, 'b'));
            peer.socket.end();
        },
        another,
        another,
    ]);
    const frames = await all(session);
    assert.deepEqual(types(frames), [
        ['chunk', 1],
        ['chunk', 2],
        ['gap', '3-3'],
        ['chunk', 1],
        ['state', 2],
    ]);
    assert.deepEqual(frames[2], {type: 'gap', from: 3, to: 3, reason: 'epoch_changed', epoch: '9c3m1t7z'});
    assert.deepEqual(froms, [3, 1]);
});

test('follows a stream that becomes another one on the same connection', async (t) => {
    const gap = {type: 'gap', from: 2, to: 2, reason: 'epoch_changed', epoch: '9c3m1t7z'};
    const {session} = await start(t, [
        async (peer) => {
            await peer.welcome();
            peer.write(chunk(1, 'a'), gap, chunk(1, 'x'));
            peer.socket.end();
        },
        async (peer) => {
            assert.equal((await peer.welcome(2, '9c3m1t7z')).from, 2);
            peer.write(terminated(2));
        },
    ]);
    assert.deepEqual(types(await all(session)), [
        ['chunk', 1],
        ['gap', '2-2'],
        ['chunk', 1],
        ['state', 2],
    ]);
});

test('reads the rest over the spawner socket where the socket of the session is gone', async (t) => {
    const attached = [];
    const gateway = await fakeGateway(t, {
        spawn: async (peer, request, {spawned}) => {
            if (request.action === 'attach') {
                attached.push(request);
                peer.write(
                    {type: 'authenticated', spawn_id: SPAWN_ID, epoch: EPOCH, from: 2, state: 'terminated'},
                    chunk(2, 'b'),
                    terminated(3),
                );
            } else {
                peer.write(spawned());
            }
        },
        session: [
            async (peer, {stopSession}) => {
                await peer.welcome();
                await stopSession();
                peer.write(chunk(1, 'a'));
                peer.socket.end();
            },
        ],
    });
    const session = await gateway.provider().start({agent: 'shell'});
    assert.deepEqual(types(await all(session)), [
        ['chunk', 1],
        ['chunk', 2],
        ['state', 3],
    ]);
    assert.deepEqual(attached, [{action: 'attach', id: SPAWN_ID, from: 2}]);
});

test('waits as Brig says where the session is not ready, and gives up where it says no', async (t) => {
    const refuse = (line) => async (peer) => {
        await peer.line();
        peer.write({type: 'error', error: 'no', ...line});
        peer.socket.end();
    };
    const notReady = refuse({code: 'SESSION_NOT_READY', state: 'spawning', retry_after_seconds: 0.1});
    const begin = performance.now();
    const {session, gateway} = await start(t, [notReady, notReady, says(terminated(1))]);
    assert.ok(performance.now() - begin > 190);
    assert.equal((await all(session)).length, 1);
    assert.equal(gateway.connections, 3);

    const refused = await fakeGateway(t, {session: [refuse({code: 'UNAUTHENTICATED'})]});
    assert.equal((await failureOf(refused.provider().start({agent: 'shell'}))).code, 'UNAUTHENTICATED');
    assert.equal(refused.connections, 1);
    assert.deepEqual(await refused.ended.promise, {action: 'terminate', id: SPAWN_ID});
});

test('tells its readers where it cannot connect again', async (t) => {
    const {session} = await start(
        t,
        [
            async (peer, {stopSession, stopSpawner}) => {
                await peer.welcome();
                await Promise.all([stopSession(), stopSpawner()]);
                peer.write(chunk(1, 'a'));
                peer.socket.end();
            },
        ],
        {timeouts: {reconnectMs: 200}},
    );
    const iterator = session[Symbol.asyncIterator]();
    assert.equal((await iterator.next()).value.seq, 1);
    const failure = await failureOf(iterator.next());
    assert.equal(failure.code, 'TIMEOUT');
    assert.equal(failure.cause.code, 'CONNECTION_FAILED');
    assert.equal((await failureOf(session.terminate())).code, 'CONNECTION_FAILED');
});

test('hands out what concerns the connection, and types that nobody knows yet', async (t) => {
    const lines = [
        {type: 'state', state: 'throttled'},
        {type: 'new', seq: 1, ts: 1, x: [1]},
        {type: 'error', error: 'the disk is full', code: 'RECORD_LOST'},
        terminated(2),
    ];
    const {session} = await start(t, [says(...lines)]);
    assert.deepEqual(await all(session), lines);
});
