import assert from 'node:assert/strict';
import {test} from 'node:test';
import {BrigPlugin} from '../index.js';
import {modelOf, PROVIDER, toolsOf} from '../lib/delegation.js';
import {Mirror} from '../lib/mirror.js';
import {readOptions} from '../lib/options.js';
import {ROOT, until} from './fakes.js';

const plugin = (options) => BrigPlugin({client: {}, ...ROOT}, {spawnerSocket: '/nonexistent', ...options});

test('remote agents get a model of their own and no tool but one; others stay as they are', async () => {
    const hooks = await plugin({
        remoteAgents: {reviewer: 'claude', '*': 'opencode'},
        localAgents: ['explore', 'mine'],
    });
    const mine = {mode: 'subagent', model: 'a/b'};
    const config = {
        enabled_providers: ['a'],
        provider: {a: {}},
        agent: {
            mine,
            docs: {
                prompt: 'You write.',
                description: 'writes',
                tools: {bash: true},
                permission: {bash: 'allow'},
            },
            boss: {mode: 'primary'},
            off: {disable: true},
        },
    };
    await hooks.config(config);
    assert.deepEqual(Object.keys(config.agent).sort(), ['boss', 'docs', 'general', 'mine', 'off', 'reviewer']);
    assert.deepEqual(config.agent.docs, {
        description: 'writes',
        mode: 'subagent',
        prompt: 'You write.',
        model: `${PROVIDER}/docs`,
        permission: {'*': 'deny', 'brig_ask*': 'ask'},
    });
    assert.deepEqual(config.agent.general, {
        model: `${PROVIDER}/general`,
        permission: {'*': 'deny', 'brig_ask*': 'ask'},
    });
    assert.deepEqual(config.permission, {brig_ask: 'deny'}, 'nobody else asks');
    assert.deepEqual(Object.keys(hooks.tool), ['brig_ask']);
    assert.equal(config.agent.reviewer.mode, 'subagent');
    assert.equal(config.agent.mine, mine);
    assert.deepEqual(config.enabled_providers, ['a', PROVIDER]);
    assert.deepEqual(Object.keys(config.provider), ['a', PROVIDER]);
    assert.deepEqual(Object.keys(config.provider[PROVIDER].models).sort(), ['docs', 'general', 'reviewer']);
    await hooks.dispose();
});

test('what the rules of an agent deny it is not given behind the wall either', () => {
    assert.equal(toolsOf({}), undefined);
    assert.equal(toolsOf({permission: 'allow'}), undefined);
    assert.equal(toolsOf({permission: {'*': 'deny'}}), undefined, 'it uses no tools here');
    assert.deepEqual(toolsOf({permission: {'*': 'deny', read: 'allow', grep: 'ask'}}), ['read', 'grep']);
    assert.deepEqual(toolsOf({tools: {bash: false}, permission: {edit: 'deny'}}), ['read', 'grep', 'glob', 'task']);
    assert.deepEqual(toolsOf({permission: {task: 'deny', bash: {'git *': 'allow', '*': 'deny'}}}), [
        'bash',
        'read',
        'edit',
        'write',
        'grep',
        'glob',
    ]);
});

test('the model of an agent is the one that its worker asks, unless the options say another', () => {
    const options = readOptions({spawnerSocket: '/x', models: {plain: '', 'big*': 'large-1'}});
    assert.equal(modelOf(options, 'docs', {}), undefined);
    assert.equal(modelOf(options, 'docs', {model: 'anthropic/claude-x'}), 'claude-x');
    assert.equal(modelOf(options, 'docs', {model: 'openrouter/vendor/m:1'}), 'vendor/m:1');
    assert.equal(modelOf(options, 'docs', {model: 'bare'}), 'bare');
    assert.equal(modelOf(options, 'plain', {model: 'anthropic/claude-x'}), undefined);
    assert.equal(modelOf(options, 'bigger', {model: 'anthropic/claude-x'}), 'large-1');
});

test('a remote agent never runs on another model', async () => {
    const hooks = await plugin({remoteAgents: ['general']});
    await hooks.config({});
    await assert.rejects(
        hooks['chat.message']({agent: 'general', model: {providerID: 'a', modelID: 'b'}}),
        /behind Brig's wall only/,
    );
    await hooks['chat.message']({agent: 'general', model: {providerID: PROVIDER, modelID: 'general'}});
    await hooks['chat.message']({agent: 'build', model: {providerID: 'a', modelID: 'b'}});
});

test('without remote agents nothing changes', async () => {
    const config = {agent: {x: {}}};
    await (await plugin({})).config(config);
    assert.deepEqual(config, {agent: {x: {}}});
});

test('a plugin that cannot do its work lets nothing run', async () => {
    const told = [];
    const client = {app: {log: async ({body}) => told.push(body.message)}};
    const wrong = await BrigPlugin({client, ...ROOT}, {sandbx: true});
    await assert.rejects(wrong['chat.message']({}), /'sandbx' is not known/);
    await assert.rejects(wrong['tool.execute.before']({tool: 'bash'}), /'sandbx' is not known/);
    assert.match(told[0], /'sandbx' is not known/);
    const hooks = await plugin({remoteAgents: ['general']});
    await hooks.config(Object.freeze({}));
    await assert.rejects(hooks['tool.execute.before']({tool: 'bash'}), TypeError);
});

test('what a call says shows in its part, and nothing comes behind its end', async () => {
    const patched = [];
    const mirror = new Mirror({_client: {patch: async (call) => patched.push(call)}});
    const part = {
        type: 'tool',
        tool: 'task',
        id: 'prt_1',
        messageID: 'msg_1',
        sessionID: 'ses_p',
        callID: 'c',
        state: {status: 'running', input: {}, metadata: {sessionId: 'ses_c'}},
    };
    mirror.handleEvent({type: 'message.part.updated', properties: {part}});
    mirror.show('ses_c', 'one ');
    mirror.show('ses_c', 'two');
    await until(() => patched.length === 1);
    assert.deepEqual(patched[0].path, {sessionID: 'ses_p', messageID: 'msg_1', partID: 'prt_1'});
    assert.deepEqual(patched[0].body.state.metadata, {sessionId: 'ses_c', output: 'one two'});
    mirror.show('ses_c', 'x'.repeat(20_000));
    await until(() => patched.length === 2);
    assert.equal(patched[1].body.state.metadata.output.length, 8_000);
    mirror.show('ses_c', 'late');
    await mirror.end('ses_c');
    mirror.show('ses_c', 'later');
    await new Promise((resolve) => setTimeout(resolve, 400));
    assert.equal(patched.length, 2);
});
