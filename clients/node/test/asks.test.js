import assert from 'node:assert/strict';
import {test} from 'node:test';
import {failureOf, fakeGateway} from './fake-gateway.js';

const ASK = {ask_id: 'ask_1', kind: 'tool', title: 'Bash', options: [{id: 'allow', name: 'Allow'}], default: 'deny'};

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
