import assert from 'node:assert/strict';
import {once} from 'node:events';
import http from 'node:http';
import {test} from 'node:test';
import {SubagentProvider} from '../index.js';

const TOKEN = 'brig_token';

/** A server that answers an upgrade, or a request, as the test says. */
async function serve(t, handleUpgrade, status = 404, body = '') {
    const seen = [];
    const server = http.createServer((request, response) => {
        seen.push(request);
        response.writeHead(status, {'content-type': 'application/problem+json'}).end(body);
    });
    if (handleUpgrade !== undefined) {
        server.on('upgrade', (request, socket) => {
            seen.push(request);
            socket.on('error', () => {});
            handleUpgrade(socket);
        });
    }
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const url = `http://127.0.0.1:${server.address().port}/brig/`;
    return {url, provider: new SubagentProvider({url, token: TOKEN}), seen};
}

const failureOf = (promise) =>
    promise.then(
        () => assert.fail('it did not fail'),
        (failure) => failure,
    );

test('speaks the lines of the spawner socket behind an upgrade, from its first byte on', async (t) => {
    const {provider, seen} = await serve(t, (socket) => {
        const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: brig.spawner.v1\r\n\r\n';
        socket.write(`${head}{"asks":[{"ask_id":"ask_1"}]}\n`);
    });
    assert.deepEqual(await provider.asks(), [{ask_id: 'ask_1'}]);
    assert.equal(seen[0].url, '/brig/api/v1/spawner');
    assert.equal(seen[0].headers.upgrade, 'brig.spawner.v1');
    assert.equal(seen[0].headers.authorization, `Bearer ${TOKEN}`);
});

test('tells what Brig refuses it with', async (t) => {
    const body = '{"code":"UNAUTHORIZED","detail":"the token is not known","retry_after_seconds":7}';
    const {provider} = await serve(t, undefined, 401, body);
    const failure = await failureOf(provider.asks());
    assert.equal(failure.code, 'UNAUTHORIZED');
    assert.equal(failure.message, 'the token is not known');
    assert.equal(failure.retryAfterSeconds, 7);
});

for (const [what, status, body, isPassing] of [
    ['no problem of Brig', 200, 'hello', false],
    ['null', 404, 'null', false],
    ['without end', 500, 'x'.repeat(1_000_000), false],
    ['of a proxy whose gateway is started', 502, '<html>', true],
]) {
    test(`fails on an answer that is ${what}`, async (t) => {
        const {provider} = await serve(t, undefined, status, body);
        const failure = await failureOf(provider.asks());
        assert.equal(failure.code, 'CONNECTION_FAILED');
        assert.equal(failure.isPassing, isPassing);
        assert.match(failure.message, new RegExp(`HTTP ${status}`));
    });
}

test('fails where what listens does not speak HTTP', async (t) => {
    const {provider} = await serve(t, (socket) => socket.end('hello\n'));
    assert.equal((await failureOf(provider.asks())).code, 'CONNECTION_FAILED');
});

test('gives up when the time is over', async (t) => {
    const {url} = await serve(t, () => {});
    const hurried = new SubagentProvider({url, token: TOKEN, timeouts: {answerMs: 50}});
    assert.equal((await failureOf(hurried.asks())).code, 'TIMEOUT');
});

for (const options of [
    {url: 'ftp://127.0.0.1', token: TOKEN},
    {url: 'nowhere', token: TOKEN},
    {url: 'http://127.0.0.1'},
    {url: 'http://127.0.0.1', token: 'a\r\nb'},
]) {
    test(`takes no ${JSON.stringify(options)}`, () => {
        assert.throws(() => new SubagentProvider(options), {code: 'INVALID_FIELD'});
    });
}
