import assert from 'node:assert/strict';
import {test} from 'node:test';
import {all, failureOf, fakeGateway, terminated} from './fake-gateway.js';

const ASK = {ask_id: 'ask_1', kind: 'tool', title: 'Bash', options: [{id: 'allow', name: 'Allow'}], default: 'deny'};

const ids = ['1', '2', '3'].map((end) => `ask_${end.padStart(24, '0')}`);

test('lists what agents ask', async (t) => {
    const asks = Array.from({length: 100}, () => ({...ASK, detail: 'x'.repeat(16_384)}));
    const gateway = await fakeGateway(t, {spawn: (peer) => peer.write({asks})});
    const provider = gateway.provider();
    assert.deepEqual(await provider.asks(), asks);
    await provider.asks('fix-tests');
    assert.deepEqual(gateway.requests, [{action: 'asks'}, {action: 'asks', tree: 'fix-tests'}]);
});

test('answers with an option, or in own words', async (t) => {
    const gateway = await fakeGateway(t, {
        spawn: (peer, {option, text}) => peer.write({ask_id: 'ask_1', option, text}),
    });
    await gateway.provider().answer('ask_1', 'allow');
    await gateway.provider().answer('ask_1', {text: 'the second file'});
    assert.deepEqual(gateway.requests, [
        {action: 'answer_ask', id: 'ask_1', option: 'allow'},
        {action: 'answer_ask', id: 'ask_1', text: 'the second file'},
    ]);
});

test('says who was first', async (t) => {
    const gateway = await fakeGateway(t, {
        spawn: (peer) => peer.write({error: 'uid:1000 answered it', code: 'ASK_SETTLED'}),
    });
    const failure = await failureOf(gateway.provider().answer('ask_1', 'allow'));
    assert.equal(failure.code, 'ASK_SETTLED');
    assert.equal(failure.isPassing, false);
});

test('answers on the connection of the session', async (t) => {
    const gateway = await fakeGateway(t, {
        session: [
            async (peer) => {
                await peer.welcome();
                const lines = [await peer.message(), await peer.message(), await peer.message()];
                assert.deepEqual(lines, [
                    {action: 'answer_ask', ask_id: ids[0], option: 'allow'},
                    {action: 'answer_ask', ask_id: ids[1], text: 'the second file'},
                    {action: 'answer_ask', ask_id: ids[0], option: 'deny'},
                ]);
                // Decided in another order than asked, and after a line that came later.
                assert.equal((await peer.line()).action, 'cancel');
                await peer.line();
                peer.write({type: 'pong'}, {type: 'answer', ask_id: ids[1], text: 'the second file'});
                peer.write({type: 'answer', ask_id: ids[0], option: 'allow'});
                peer.write({type: 'error', error: 'uid:1000 answered it', code: 'ASK_SETTLED', ask_id: ids[0]});
                peer.write({type: 'error', error: 'unknown', code: 'NOT_FOUND', ask_id: ids[2]}, terminated(1));
            },
        ],
    });
    const session = await gateway.provider().start({agent: 'shell'});
    const results = Promise.allSettled([
        session.answer(ids[0], 'allow'),
        session.answer(ids[1], {text: 'the second file'}),
        session.answer(ids[0], 'deny'),
        session.cancel(),
    ]);
    assert.deepEqual(
        (await results).map(({status, reason}) => reason?.code ?? status),
        ['fulfilled', 'fulfilled', 'ASK_SETTLED', 'fulfilled'],
    );
    assert.deepEqual(
        (await all(session)).map(({type}) => type),
        ['state'],
    );
});

test('does not know of an answer whose connection broke', async (t) => {
    const gateway = await fakeGateway(t, {
        session: [
            async (peer) => {
                await peer.welcome();
                await peer.line();
                peer.socket.destroy();
            },
            async (peer) => {
                await peer.welcome();
                await peer.listen();
            },
        ],
    });
    const session = await gateway.provider().start({agent: 'shell'});
    assert.equal((await failureOf(session.answer(ids[0], 'allow'))).code, 'CONNECTION_LOST');
    for (const [id, answer] of [
        [ids[0], {}],
        ['ask_1', 'allow'],
        [undefined, 'allow'],
    ]) {
        assert.equal((await failureOf(session.answer(id, answer))).code, 'INVALID_FIELD');
    }
});

for (const answer of [undefined, null, {}, {text: 1}, {option: 'allow'}, 1]) {
    test(`sends no answer for ${JSON.stringify(answer)}`, async (t) => {
        const gateway = await fakeGateway(t);
        assert.equal((await failureOf(gateway.provider().answer('ask_1', answer))).code, 'INVALID_FIELD');
        assert.deepEqual(gateway.requests, []);
    });
}

test('refuses a list that is none', async (t) => {
    const gateway = await fakeGateway(t, {spawn: (peer) => peer.write({asks: {}})});
    assert.equal((await failureOf(gateway.provider().asks())).code, 'PROTOCOL_VIOLATION');
});
