// Against a real gateway: BRIG_SPAWNER_SOCKET says where it listens, BRIG_WORKSPACE_BASE is one of its workspace bases.
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import fs from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {test as nodeTest} from 'node:test';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {SubagentProvider} from '../index.js';
import {ask} from '../lib/spawner.js';
import {all, failureOf} from './fake-gateway.js';

const spawnerSocket = process.env.BRIG_SPAWNER_SOCKET;
const workspaceBase = process.env.BRIG_WORKSPACE_BASE;
const skip =
    spawnerSocket === undefined || workspaceBase === undefined
        ? 'BRIG_SPAWNER_SOCKET and BRIG_WORKSPACE_BASE name no gateway'
        : false;
const test = (name, run) => nodeTest(name, {skip}, run);
const classicClient = fileURLToPath(new URL('classic-client.mjs', import.meta.url));
const tell = (request) => ask(spawnerSocket, request, new AbortController().signal);

async function start(t, request, options) {
    const session = await new SubagentProvider({spawnerSocket, ...options}).start(request);
    t.after(() => session[Symbol.asyncDispose]());
    return session;
}

async function readUntil(session, isIt) {
    for await (const frame of session) {
        if (isIt(frame)) {
            return frame;
        }
    }
    throw new Error('the session ended');
}

test('the classic client works as it is', async () => {
    const command = 'printf "a\\nb\\n"; sleep 0.1; echo ü; exit 3';
    const {stdout} = await promisify(execFile)(process.execPath, [classicClient, spawnerSocket, 'classic', command]);
    const lines = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    assert.equal(lines[0].type, 'authenticated');
    assert.deepEqual(lines.at(-1), {said: 'a\nb\nü\n'});
    assert.equal(lines.find(({type}) => type === 'done').exit_code, 3);
    assert.equal(lines.at(-2).state, 'terminated');
    assert.equal((await tell({action: 'status', id: 'classic'})).state, 'terminated');
});

test('messages one behind the other, and their text', async (t) => {
    const session = await start(t, {agent: 'shell', prompt: 'echo one; echo no >&2; exit 3'});
    assert.equal(await session.text(), 'one\n');
    assert.equal(session.lastDone.exit_code, 3);
    await session.send('echo two');
    assert.equal(await session.text(), 'two\n');
    await session.terminate();
    assert.equal((await all(session)).at(-1).state, 'terminated');
});

test('an agent with a model: its text token by token, a failure, a cancel', async (t) => {
    const session = await start(t, {agent: 'mock', prompt: '#scenario:text:5:10'});
    assert.equal((await session.text()).trim(), 'tok0 tok1 tok2 tok3 tok4');
    await session.send('#scenario:error:400');
    assert.equal((await failureOf(session.text())).code, 'MODEL_ERROR');
    await session.send('#scenario:text:3000:10');
    await readUntil(session, ({type}) => type === 'chunk');
    const text = session.text();
    await session.cancel();
    const failure = await failureOf(text);
    assert.deepEqual([failure.code, failure.message], ['MESSAGE_FAILED', 'cancelled']);
    await session.send('#scenario:subagent');
    const frame = await readUntil(session, ({type}) => type === 'subagent');
    assert.equal(frame.status, 'spawned');
});

test('refusals have the codes of the protocol', async (t) => {
    const provider = new SubagentProvider({spawnerSocket});
    assert.equal((await failureOf(provider.start({agent: 'nobody'}))).code, 'UNKNOWN_AGENT');
    assert.equal((await failureOf(provider.start({agent: 'shell', workspace: '/etc'}))).code, 'WORKSPACE_OUTSIDE_BASE');
    assert.equal((await failureOf(provider.start({agent: 'shell', policy: 'none'}))).code, 'UNKNOWN_POLICY');
    await start(t, {agent: 'shell', taskId: 'taken'});
    assert.equal((await failureOf(provider.start({agent: 'shell', taskId: 'taken'}))).code, 'TASK_ID_IN_USE');
    const session = await start(t, {agent: 'shell'});
    assert.equal((await failureOf(session.send('x'.repeat(1_048_577)))).code, 'LINE_TOO_LONG');
    await session.send('echo still here');
    assert.equal(await session.text(), 'still here\n');
});

test('the options decide where it works and what it reaches', async (t) => {
    const session = await start(
        t,
        {agent: 'shell', prompt: 'echo hi >file', taskId: 'in-base'},
        {workspaceBase, proxy: 'build'},
    );
    await session.text();
    assert.equal(session.workspace, path.join(workspaceBase, 'in-base'));
    assert.equal(await fs.readFile(path.join(workspaceBase, 'in-base/file'), 'utf8'), 'hi\n');
    assert.equal((await tell({action: 'egress', id: session.spawnId})).policy, 'build');
});

test('the same request id starts nothing more', async (t) => {
    const request = {agent: 'shell', requestId: '8e03978e-40d5-43dd-bc93-6894a57f9324'};
    const session = await start(t, request);
    assert.equal((await start(t, request)).spawnId, session.spawnId);
});

test('a slow reader gets every byte of a long answer', async (t) => {
    const session = await start(
        t,
        {agent: 'shell', prompt: 'head -c 3000000 /dev/zero | tr "\\0" x'},
        {bufferBytes: 65_536},
    );
    await readUntil(session, ({type}) => type === 'chunk');
    let length = 0;
    for await (const frame of session) {
        await new Promise(setImmediate);
        length += frame.type === 'chunk' ? frame.content.length : 0;
        if (frame.type === 'done') {
            break;
        }
    }
    assert.ok(length > 2_900_000 && length < 3_000_000, `${length} behind the first chunk`);
});

test('a connection that is cut again and again loses nothing', async (t) => {
    const relay = await cuttingRelay(t, 600);
    const session = await start(
        t,
        {agent: 'shell', prompt: 'for i in $(seq 1 40); do echo $i; sleep 0.01; done'},
        {spawnerSocket: relay.spawner},
    );
    const numbers = (await session.text()).trim().split('\n').map(Number);
    assert.deepEqual(
        numbers,
        Array.from({length: 40}, (_, i) => i + 1),
    );
    assert.ok(relay.cuts() > 3, `${relay.cuts()} cuts`);
});

test('an abort ends the worker', async (t) => {
    const controller = new AbortController();
    const provider = new SubagentProvider({spawnerSocket});
    const session = await provider.start({agent: 'shell', prompt: 'echo up; sleep 600', signal: controller.signal});
    await readUntil(session, ({type}) => type === 'chunk');
    const end = attach(t, session.spawnId);
    controller.abort(new Error('enough'));
    assert.equal((await failureOf(all(session))).message, 'enough');
    assert.equal((await end).reason, 'requested');
});

/** Resolves with the last frame of a session, as somebody else reads it. */
function attach(t, id) {
    const socket = net.connect(spawnerSocket);
    t.after(() => socket.destroy());
    socket.write(JSON.stringify({action: 'attach', id, role: 'watcher'}));
    let text = '';
    socket.on('data', (data) => {
        text += data;
    });
    return new Promise((resolve) => {
        socket.on('close', () => resolve(JSON.parse(text.trimEnd().split('\n').at(-1))));
    });
}

/** A way to the gateway on which connections to sessions are cut after so many bytes. */
async function cuttingRelay(t, bytesMax) {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'brig-relay-'));
    const io = path.join(folder, 'io.sock');
    const spawner = path.join(folder, 'spawner.sock');
    let target;
    let cuts = 0;
    const answering = net.createServer((client) => {
        client.once('data', async (request) => {
            const answer = await tell(JSON.parse(request));
            target = answer.io_socket ?? target;
            client.end(`${JSON.stringify({...answer, io_socket: io})}\n`);
        });
    });
    const cutting = net.createServer((client) => {
        const gateway = net.connect(target);
        let left = bytesMax;
        client.pipe(gateway);
        gateway.on('data', (data) => {
            client.write(data.subarray(0, left));
            left -= data.length;
            if (left < 0) {
                cuts++;
                gateway.destroy();
                client.end();
            }
        });
        gateway.on('close', () => client.end());
        client.on('close', () => gateway.destroy());
        [client, gateway].forEach((socket) => socket.on('error', () => {}));
    });
    answering.listen(spawner);
    cutting.listen(io);
    t.after(async () => {
        answering.close();
        cutting.close();
        await fs.rm(folder, {recursive: true, force: true});
    });
    return {spawner, cuts: () => cuts};
}
