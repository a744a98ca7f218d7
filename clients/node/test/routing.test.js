import assert from 'node:assert/strict';
import {test} from 'node:test';
import {SubagentProvider} from '../index.js';

const spawnerSocket = '/nowhere';
const CASES = [
    // remoteAgents, localAgents, agent, whether it goes behind the wall
    [undefined, undefined, 'reviewer', true],
    [undefined, ['plan'], 'plan', false],
    [undefined, ['plan'], 'planner', true],
    [['reviewer'], undefined, 'reviewer', true],
    [['reviewer'], undefined, 'build', false],
    [[], undefined, 'reviewer', false],
    [['reviewer'], ['*'], 'reviewer', true],
    [['review*'], ['*'], 'reviewer', true],
    [['*'], ['review*'], 'reviewer', false],
    [['review*'], ['reviewer'], 'reviewer', false],
    [['reviewer*'], ['reviewer'], 'reviewer', false],
    [['*'], ['*'], 'reviewer', true],
    [['reviewer'], ['reviewer'], 'reviewer', true],
    [['re?iewer'], undefined, 'reviewer', true],
    [['re?iewer'], undefined, 'reiewer', false],
    [['a.b'], undefined, 'axb', false],
    [['a.*'], undefined, 'a.b', true],
    [['*er'], undefined, 'reviewerer', true],
    [['*er'], undefined, 'reviewers', false],
    [['r*e*r*'], undefined, 'reviewer', true],
    [['r*x*r'], undefined, 'reviewer', false],
    [['review*'], undefined, 'review', true],
    [['review?'], undefined, 'review', false],
    [[''], undefined, '', true],
    [['[x]'], undefined, 'x', false],
    [['*'], undefined, 'x'.repeat(129), false],
    [['*'], undefined, undefined, false],
];

for (const [remoteAgents, localAgents, agent, expected] of CASES) {
    test(`remote ${remoteAgents} local ${localAgents}: ${String(agent).slice(0, 20)}`, () => {
        assert.equal(new SubagentProvider({spawnerSocket, remoteAgents, localAgents}).isRemote(agent), expected);
    });
}

test('a pattern of many stars is no trap', () => {
    const provider = new SubagentProvider({spawnerSocket, remoteAgents: ['*a*a*a*a*a*a*b']});
    const begin = process.hrtime.bigint();
    assert.equal(provider.isRemote('a'.repeat(128)), false);
    assert.ok(process.hrtime.bigint() - begin < 1_000_000_000n);
});

test('options that nobody knows, and lists that are none, are refused', () => {
    assert.throws(() => new SubagentProvider({remoteAgent: ['x']}), {code: 'INVALID_FIELD', message: /remoteAgent/});
    assert.throws(() => new SubagentProvider({timeouts: {spawn: 1}}), {code: 'INVALID_FIELD', message: /spawn/});
    assert.throws(() => new SubagentProvider({workspaceBase: 'here'}), {code: 'INVALID_FIELD'});
    assert.throws(() => new SubagentProvider({remoteAgents: [7]}), TypeError);
});
