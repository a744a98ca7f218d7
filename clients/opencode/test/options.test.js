import assert from 'node:assert/strict';
import {test} from 'node:test';
import {fits, profileOf, readOptions, taskId} from '../lib/options.js';

const env = {XDG_RUNTIME_DIR: '/run/user/7'};
const read = (given) => readOptions(given, env, 7);

test('everything has a default', () => {
    const options = read(undefined);
    assert.equal(options.spawnerSocket, '/run/user/7/brig/spawner.sock');
    assert.equal(readOptions({}, {}, 0).spawnerSocket, '/run/agent-spawner/spawner.sock');
    assert.deepEqual(
        [options.workspace, options.leaseSeconds, options.keepSeconds, options.sandbox],
        ['worktree', 3, 120, null],
    );
    assert.equal(profileOf(options, 'general'), null);
});

test('a mistake is named, and nothing is guessed', () => {
    for (const [given, message] of [
        [{remoteAgent: ['x']}, "'remoteAgent' is not known"],
        [{spawnerSocket: 'brig.sock'}, "'spawnerSocket' must be an absolute path"],
        [{workspace: 'tree'}, "'workspace' must be one of worktree, folder, copy, new"],
        [{remoteAgents: 'general'}, "'remoteAgents' must be an object"],
        [{remoteAgents: {general: 1}}, "'remoteAgents.general' must be a text"],
        [{models: {general: 1}}, "'models.general' must be a text"],
        [{models: ['x']}, "'models' must be an object"],
        [{localAgents: 'x'}, "'localAgents' must be a list of texts"],
        [{leaseSeconds: 0}, "'leaseSeconds' must be a whole number from 1 to 3600"],
        [{proxy: 'http://127.0.0.1:3128'}, "'proxy' must be the name of a policy of Brig"],
        [{sandbox: {tools: []}}, "'sandbox.tools' is not known"],
        [{sandbox: 'yes'}, "'sandbox.' must be an object"],
        [[], "'options' must be an object"],
    ])
        assert.throws(
            () => read(given),
            (error) => error.message.includes(message),
            message,
        );
});

test('the first pattern that fits decides, and localAgents before all', () => {
    const options = read({
        remoteAgents: {'review*': 'claude', '*': 'opencode'},
        localAgents: ['review-here', 'loc*'],
    });
    assert.equal(profileOf(options, 'reviewer'), 'claude');
    assert.equal(profileOf(options, 'general'), 'opencode');
    assert.equal(profileOf(options, 'review-here'), null);
    assert.equal(profileOf(options, 'local'), null);
    assert.equal(profileOf(read({remoteAgents: ['general'], profile: 'codex'}), 'general'), 'codex');
});

test('only the star means something in a pattern', () => {
    assert.ok(fits('a.b*c', 'a.b-\n-c'));
    assert.ok(!fits('a.b', 'axb'));
    assert.ok(!fits('gen', 'general'));
    assert.ok(fits('[x]*', '[x]y'));
});

test('a task_id is one that Brig takes, whatever the agent is called', () => {
    for (const name of ['reviewer', 'a/b ü\n', 'x'.repeat(500)]) {
        assert.match(taskId(name, '0011aabb'), /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);
        assert.ok(taskId(name, '0011aabb').endsWith('-0011aabb'));
    }
});

test("what is the sandbox's own comes from the whole where it says nothing", () => {
    const {sandbox} = read({workspace: 'folder', proxy: 'web', sandbox: true});
    assert.deepEqual(sandbox, {
        profile: 'shell',
        workspace: 'folder',
        proxy: 'web',
        allow: [],
        timeoutSeconds: 120,
    });
    assert.equal(read({workspace: 'folder', sandbox: {workspace: 'copy'}}).sandbox.workspace, 'copy');
});
