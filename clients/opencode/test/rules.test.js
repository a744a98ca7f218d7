import assert from 'node:assert/strict';
import {test} from 'node:test';
import {BrigPlugin} from '../index.js';
import {Rules} from '../lib/rules.js';
import {ROOT} from './fakes.js';

test('tools of the host are taken away, by whatever name', () => {
    const rules = new Rules(['webfetch', 'my_*']);
    const config = {
        permission: {bash: {'rm *': 'ask'}, '*': 'allow', webfetch: 'ask'},
        agent: {
            plan: {tools: {bash: true}},
            mine: {permission: {edit: 'ask', bash: 'allow', my_tool: 'allow'}},
        },
    };
    rules.configure(config);
    assert.deepEqual(Object.entries(config.permission).slice(0, 4), [
        ['*', 'allow'],
        ['webfetch', 'ask'],
        ['sandbox_bash', {'rm *': 'ask'}],
        ['bash', 'deny'],
    ]);
    assert.equal(config.agent.plan.permission.sandbox_write, 'deny');
    assert.equal(config.agent.plan.tools, undefined);
    assert.equal(config.agent.explore.permission.sandbox_bash, 'allow');
    const {sandbox_edit, sandbox_bash, bash, edit, my_tool} = config.agent.mine.permission;
    assert.deepEqual([sandbox_edit, sandbox_bash, bash, edit, my_tool], ['ask', 'allow', 'deny', 'deny', 'allow']);
    for (const tool of ['bash', 'read', 'apply_patch', 'mcp_files_read', 'glob', 'execute', 'sandbox'])
        assert.throws(() => rules.check(tool), /would touch the host/);
    for (const tool of ['sandbox_bash', 'task', 'todowrite', 'webfetch', 'my_tool']) rules.check(tool);
});

test('a walled session refuses what it was not to be offered', async () => {
    const hooks = await BrigPlugin({client: {}, ...ROOT}, {spawnerSocket: '/nonexistent', sandbox: true});
    const config = {};
    await hooks.config(config);
    assert.equal(config.permission.bash, 'deny');
    assert.deepEqual(Object.keys(hooks.tool).sort(), ['sandbox_bash', 'sandbox_edit', 'sandbox_read', 'sandbox_write']);
    await assert.rejects(hooks['tool.execute.before']({tool: 'mymcp_run'}), /would touch the host/);
    await hooks['tool.execute.before']({tool: 'sandbox_bash'});
    await hooks.dispose();
});

test('rules for the tools of the host stay where nothing is walled', async () => {
    const hooks = await BrigPlugin({client: {}, ...ROOT}, {spawnerSocket: '/nonexistent'});
    await hooks['tool.execute.before']({tool: 'bash'});
    assert.deepEqual(hooks.tool, {});
});
