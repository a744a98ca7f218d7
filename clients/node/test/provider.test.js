import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import {test} from 'node:test';
import {BrigError, SubagentProvider} from '../index.js';
import {TOKEN, SPAWN_ID, all, chunk, done, failureOf, fakeGateway, terminated} from './fake-gateway.js';

/** A session that takes messages and says nothing. */
const quiet = async (peer) => {
    await peer.welcome();
    await peer.listen();
};

test('speaks the provider protocol: spawn, auth, message, frames, terminate', async (t) => {
    const seen = [];
    const gateway = await fakeGateway(t, {
        session: [
            async (peer) => {
                seen.push(await peer.welcome(), await peer.message());
                peer.write(chunk(1, 'hi '), chunk(2, 'there'), done(3));
                seen.push(await peer.message());
                peer.write(terminated(4));
            },
        ],
    });
    const session = await gateway.provider().start({agent: 'shell', prompt: 'say hi', taskId: 't'});
    assert.equal(await session.text(), 'hi there');
    await session.terminate();
    assert.deepEqual(
        (await all(session)).map(({type, seq}) => [type, seq]),
        [['state', 4]],
    );
    const {message_id: name, ...message} = seen[1];
    assert.match(name, /^[0-9a-f-]{36}$/);
    assert.deepEqual(
        [seen[0], message, seen[2]],
        [{auth: TOKEN, from: 1}, {role: 'user', content: 'say hi'}, {action: 'terminate'}],
    );
    const [{request_id: requestId, ...spawn}] = gateway.requests;
    assert.match(requestId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(spawn, {action: 'spawn', task_id: 't', agent_config: {name: 'shell'}});
    assert.equal(gateway.requests.length, 1);
});

test('takes an answer that comes byte by byte', async (t) => {
    const gateway = await fakeGateway(t, {
        session: [quiet],
        spawn: (peer, request, {spawned}) => peer.writeByByte(Buffer.from(`${JSON.stringify(spawned())}\n`)),
    });
    const session = await gateway.provider().start({agent: 'shell'});
    assert.equal(session.spawnId, SPAWN_ID);
    assert.equal(session.workspace, `${gateway.folder}/work`);
});

test('says why a spawn was refused, and when to try again', async (t) => {
    const gateway = await fakeGateway(t, {
        spawn: (peer) => peer.write({error: 'all 200 workers are in use', code: 'MAX_WORKERS', retry_after_seconds: 5}),
    });
    const failure = await failureOf(gateway.provider().start({agent: 'shell'}));
    assert.ok(failure instanceof BrigError);
    assert.equal(failure.code, 'MAX_WORKERS');
    assert.equal(failure.retryAfterSeconds, 5);
    assert.equal(failure.message, 'all 200 workers are in use');
    assert.equal(gateway.requests.length, 1, 'the caller decides whether to try again');
});

for (const [what, answer] of [
    ['no JSON', 'HTTP/1.1 400 Bad Request\r\n'],
    ['an array', '[1]\n'],
    ['a line above the bound', 'x'.repeat(1_048_577)],
    ['no token', `${JSON.stringify({spawn_id: SPAWN_ID, task_id: 't', workspace: '/w', io_socket: '/s'})}\n`],
    ['a number for a path', `${JSON.stringify({spawn_id: SPAWN_ID, task_id: 't', workspace: '/w', io_socket: 7})}\n`],
]) {
    test(`refuses an answer that is ${what}`, async (t) => {
        const gateway = await fakeGateway(t, {spawn: (peer) => peer.write(answer)});
        assert.equal((await failureOf(gateway.provider().start({agent: 'shell'}))).code, 'PROTOCOL_VIOLATION');
    });
}

test('asks again with the same request id where the answer is lost', async (t) => {
    const gateway = await fakeGateway(t, {
        session: [quiet],
        spawn: (peer, request, {requests, spawned}) =>
            requests.length < 3 ? peer.socket.end('{"task_id":"t","spawn_') : peer.write(spawned()),
    });
    await gateway.provider().start({agent: 'shell'});
    assert.equal(gateway.requests.length, 3);
    assert.equal(new Set(gateway.requests.map(({request_id: id}) => id)).size, 1);
});

test('leaves it to the caller to try again where the second answer is a refusal', async (t) => {
    const gateway = await fakeGateway(t, {
        spawn: (peer, request, {requests}) =>
            requests.length < 2
                ? peer.socket.end()
                : peer.write({error: 'all are in use', code: 'MAX_WORKERS', retry_after_seconds: 0.01}),
    });
    assert.equal((await failureOf(gateway.provider().start({agent: 'shell'}))).code, 'MAX_WORKERS');
    assert.equal(gateway.requests.length, 2);
});

test('does not wait for a socket that cannot appear', async (t) => {
    const gateway = await fakeGateway(t, {
        spawn: (peer, request, {spawned, spawner}) => peer.write({...spawned(), io_socket: `${spawner}/io.sock`}),
    });
    const failure = await failureOf(gateway.provider().start({agent: 'shell'}));
    assert.deepEqual([failure.code, failure.cause.code], ['CONNECTION_FAILED', 'ENOTDIR']);
});

test('fails at once where nobody listens', async (t) => {
    const gateway = await fakeGateway(t);
    const provider = new SubagentProvider({spawnerSocket: path.join(gateway.folder, 'none.sock')});
    const failure = await failureOf(provider.start({agent: 'shell'}));
    assert.equal(failure.code, 'CONNECTION_FAILED');
    assert.match(failure.message, /none\.sock: ENOENT/);
});

test('gives up on a spawn that takes too long, and ends the worker that comes after all', async (t) => {
    const gateway = await fakeGateway(t, {
        spawn: async (peer, request, {spawned}) => {
            await isOver;
            peer.write(spawned());
        },
    });
    let isOver;
    const started = gateway.provider({timeouts: {spawnMs: 50}}).start({agent: 'shell'});
    isOver = started.catch(() => {});
    assert.equal((await failureOf(started)).code, 'TIMEOUT');
    assert.deepEqual(await gateway.ended.promise, {action: 'terminate', id: SPAWN_ID});
});

test('gives up on a spawn when the signal says so, and ends the worker that comes after all', async (t) => {
    const controller = new AbortController();
    const gateway = await fakeGateway(t, {
        spawn: async (peer, request, {spawned}) => {
            controller.abort(new Error('changed my mind'));
            await new Promise(setImmediate);
            peer.write(spawned());
        },
    });
    const started = gateway.provider().start({agent: 'shell', signal: controller.signal});
    assert.equal((await failureOf(started)).message, 'changed my mind');
    assert.deepEqual(await gateway.ended.promise, {action: 'terminate', id: SPAWN_ID});
});

test('does not begin where the signal has spoken already', async (t) => {
    const gateway = await fakeGateway(t);
    const started = gateway.provider().start({agent: 'shell', signal: AbortSignal.abort(new Error('no'))});
    assert.equal((await failureOf(started)).message, 'no');
    assert.equal(gateway.requests.length, 0);
});

test('waits for the socket of the session to appear', async (t) => {
    const gateway = await fakeGateway(t, {
        spawn: async (peer, request, {spawned, ioSocket}) => {
            // What a gateway that was killed leaves behind: nobody listens there.
            await fs.writeFile(ioSocket, '');
            peer.write(spawned());
        },
    });
    const started = gateway.provider().start({agent: 'shell'});
    await gateway.asked.promise;
    await fs.rm(gateway.ioSocket);
    await gateway.serveSession([quiet]);
    assert.equal((await started).spawnId, SPAWN_ID);
});

test('ends the worker whose session cannot be reached', async (t) => {
    const gateway = await fakeGateway(t);
    const failure = await failureOf(gateway.provider({timeouts: {readyMs: 200}}).start({agent: 'shell'}));
    assert.equal(failure.code, 'TIMEOUT');
    assert.equal(failure.cause.code, 'CONNECTION_FAILED');
    assert.deepEqual(await gateway.ended.promise, {action: 'terminate', id: SPAWN_ID});
});

test('ends the worker that does not take its prompt', async (t) => {
    const gateway = await fakeGateway(t, {
        session: [
            async (peer) => {
                await peer.welcome();
                await peer.line();
                peer.write({type: 'error', error: 'it takes none', code: 'INPUT_NOT_ACCEPTED'});
                assert.deepEqual(await peer.listen(), [{action: 'terminate'}]);
            },
        ],
    });
    const failure = await failureOf(gateway.provider().start({agent: 'shell', prompt: 'x'}));
    assert.equal(failure.code, 'INPUT_NOT_ACCEPTED');
    assert.equal(gateway.connections, 1);
});

test('asks for everything under the names of the protocol', async (t) => {
    const gateway = await fakeGateway(t, {session: [quiet]});
    await gateway.provider({proxy: 'web'}).start({
        agent: 'opencode',
        model: 'small',
        tools: ['read'],
        systemPrompt: 'Be brief.',
        taskId: 'fix',
        workspace: '/w/fix',
        workspaceMode: 'copy',
        once: true,
        project: 'shop',
        requestId: '8e03978e-40d5-43dd-bc93-6894a57f9324',
        envAllowlist: ['PATH'],
        timeoutSeconds: 600,
        budget: {usd: 5, wallMs: 60_000, onLimit: 'ask'},
        on: ['gpu'],
        resume: 'ses_1',
        record: true,
        wait: 30,
    });
    assert.deepEqual(gateway.requests[0], {
        action: 'spawn',
        task_id: 'fix',
        agent_config: {name: 'opencode', model: 'small', tools: ['read'], system_prompt: 'Be brief.'},
        workspace: '/w/fix',
        workspace_mode: 'copy',
        once: true,
        policy: 'web',
        project: 'shop',
        request_id: '8e03978e-40d5-43dd-bc93-6894a57f9324',
        env_allowlist: ['PATH'],
        timeout_seconds: 600,
        budget: {usd: 5, wall_ms: 60_000, on_limit: 'ask'},
        on: ['gpu'],
        resume: 'ses_1',
        record: true,
        wait: '30s',
    });
});

test('the policy of a request goes before that of the provider', async (t) => {
    const gateway = await fakeGateway(t, {session: [quiet]});
    await gateway.provider({proxy: 'web'}).start({agent: 'shell', policy: 'review'});
    assert.equal(gateway.requests[0].policy, 'review');
});

test('takes no address for a proxy', () => {
    for (const proxy of ['http://127.0.0.1:3128', 'localhost:3128', '', '/run/proxy.sock', {}, false]) {
        assert.throws(() => new SubagentProvider({proxy}), {code: 'INVALID_FIELD', message: /proxy/});
    }
});

test('keeps every workspace below its base', async (t) => {
    const gateway = await fakeGateway(t, {session: [quiet]});
    const provider = gateway.provider({workspaceBase: '/srv/work'});
    for (const request of [
        {workspace: '../else'},
        {workspace: '/srv/workshop'},
        {workspace: 'a/../..'},
        {workspace: '.'},
        {repository: '/etc', workspaceMode: 'worktree'},
        {taskId: '..'},
    ]) {
        const failure = await failureOf(provider.start({agent: 'shell', ...request}));
        assert.equal(failure.code, 'WORKSPACE_OUTSIDE_BASE', JSON.stringify(request));
    }
    assert.equal(gateway.requests.length, 0);
    await provider.start({agent: 'shell', workspace: 'shop/fix'});
    await provider.start({agent: 'shell', taskId: 'fix'});
    await provider.start({agent: 'shell'});
    await provider.start({agent: 'shell', repository: 'shop', workspaceMode: 'worktree'});
    const [one, two, three, four] = gateway.requests;
    assert.equal(one.workspace, '/srv/work/shop/fix');
    assert.equal(two.workspace, '/srv/work/fix');
    assert.equal(three.workspace, `/srv/work/${three.task_id}`);
    assert.match(three.task_id, /^task-[0-9a-f-]{36}$/);
    assert.deepEqual([four.workspace, four.repository], [undefined, '/srv/work/shop']);
});

test('starts no agent that is local, and knows every field of a request', async (t) => {
    const gateway = await fakeGateway(t);
    const provider = gateway.provider({localAgents: ['plan']});
    assert.equal((await failureOf(provider.start({agent: 'plan'}))).code, 'LOCAL_AGENT');
    assert.equal((await failureOf(provider.start({agent: 'shell', promt: 'x'}))).code, 'INVALID_FIELD');
    assert.equal(gateway.requests.length, 0);
});
