import assert from 'node:assert/strict';
import {test} from 'node:test';
import {deltaOf, messageFor, modelFetch} from '../lib/model.js';
import {readOptions} from '../lib/options.js';
import {ToolNotes} from '../lib/tool-notes.js';
import {Workers} from '../lib/workers.js';
import {done, ROOT, text, until, withBrig} from './fakes.js';

const user = (content) => ({role: 'user', content});
const assistant = (content) => ({role: 'assistant', content});

class FakeMirror {
    shown = '';
    ended = 0;
    show(key, more) {
        this.shown += more;
    }
    async end() {
        this.ended++;
    }
}

class FakeDialogues {
    expected = [];
    expect(frame, session, end) {
        this.expected.push({id: frame.ask_id, end});
    }
}

function setUp(brig, {keepMs = 60_000, workspace = 'new'} = {}) {
    const workers = new Workers(readOptions({spawnerSocket: brig.spawner, workspaceBase: '/base'}), ROOT);
    const mirror = new FakeMirror();
    const dialogues = new FakeDialogues();
    const fetch = modelFetch(workers, mirror, {
        dialogues,
        keepMs,
        agent: () => ({how: {profile: 'claude', workspace, proxy: 'web'}, instructions: 'You review.'}),
    });
    const post = (messages, {session = 'ses_1', signal} = {}) =>
        fetch('http://brig.invalid/v1/chat/completions', {
            body: JSON.stringify({model: 'reviewer', messages, stream: true}),
            headers: {'x-session-id': session},
            signal,
        });
    return {post, mirror, workers, dialogues};
}

/** The events of an answer, without what is the same in all. */
async function events(response) {
    return (await response.text())
        .split('\n\n')
        .filter(Boolean)
        .map((event) => event.slice('data: '.length))
        .filter((event) => event !== '[DONE]')
        .map((event) => JSON.parse(event));
}

const content = (all) => all.map((event) => event.choices?.[0].delta.content ?? '').join('');

test('a worker is asked for with a lease, and its words are the answer', () =>
    withBrig(
        {
            reply: () => [
                text('Fine'),
                {type: 'chunk', stream: 'thought', content: 'hm'},
                text('.'),
                done(0, {usage: {input_tokens: 7, output_tokens: 2}}),
            ],
        },
        async (brig) => {
            const {post, mirror} = setUp(brig);
            const all = await events(
                await post([{role: 'system', content: 'long'}, user([{type: 'text', text: 'Look at src'}])]),
            );
            const [request] = brig.requests;
            assert.equal(request.lease_seconds, 3);
            assert.equal(request.policy, 'web');
            assert.deepEqual(request.agent_config, {name: 'claude'});
            assert.match(request.task_id, /^opencode-reviewer-[0-9a-f]{8}$/);
            assert.equal(request.workspace, `/base/${request.task_id}`);
            assert.equal(brig.messages[0].content, 'You review.\n\nLook at src');
            assert.equal(content(all), 'Fine.');
            assert.equal(all.map((event) => event.choices[0].delta.reasoning_content ?? '').join(''), 'hm');
            assert.deepEqual(all.at(-1).usage, {prompt_tokens: 7, completion_tokens: 2, total_tokens: 9});
            assert.equal(all.at(-1).choices[0].finish_reason, 'stop');
            assert.deepEqual([mirror.shown, mirror.ended], ['Fine.', 1]);
        },
    ));

test('a session goes on with its worker, and with what is new only', () =>
    withBrig({reply: () => [done()]}, async (brig) => {
        const {post} = setUp(brig);
        await events(await post([user('one')]));
        await events(await post([user('one'), assistant('ok'), user('two')]));
        await events(await post([user('other')], {session: 'ses_2'}));
        assert.deepEqual(
            brig.messages.map((message) => message.content),
            ['You review.\n\none', 'two', 'You review.\n\nother'],
        );
        assert.equal(brig.requests.length, 2);
    }));

test('a worker that has gone meanwhile is replaced by one that is told all of it', () =>
    withBrig({reply: () => [done()]}, async (brig) => {
        const {post} = setUp(brig, {keepMs: 1});
        await events(await post([user('one')]));
        await until(() => brig.messages.at(-1).action === 'terminate');
        await events(await post([user('one'), assistant('ok'), user('two')]));
        assert.equal(brig.messages.at(-1).content, 'You review.\n\nAsked: one\n\nAnswered: ok\n\ntwo');
    }));

test('a refusal is one of the model: again later, or not at all', async () => {
    for (const [answer, status, retry] of [
        [{error: 'full', code: 'MAX_WORKERS', retry_after_seconds: 4}, 429, '4'],
        [{error: 'no such agent', code: 'UNKNOWN_AGENT'}, 400, null],
    ]) {
        await withBrig({answer: {spawn: answer}}, async (brig) => {
            const response = await setUp(brig).post([user('x')]);
            assert.equal(response.status, status);
            assert.equal(response.headers.get('retry-after'), retry);
            assert.match((await response.json()).error.message, new RegExp(answer.error));
        });
    }
});

test('a folder that is no repository is refused before anything starts', () =>
    withBrig({}, async (brig) => {
        const workers = new Workers(readOptions({spawnerSocket: brig.spawner}), {
            directory: '/home/me',
            worktree: '/',
        });
        await assert.rejects(workers.start('x', {profile: 'shell', workspace: 'worktree'}), /no git repository/);
        assert.equal(brig.requests.length, 0);
    }));

test('an agent that gave up fails the answer; an exit code is told', async () => {
    await withBrig(
        {reply: () => [{type: 'error', code: 'MODEL_ERROR', error: 'no key'}, done(1, {reason: 'failed'})]},
        async (brig) => {
            assert.match((await events(await setUp(brig).post([user('x')]))).at(-1).error.message, /no key/);
            await until(() => brig.messages.at(-1).action === 'terminate');
        },
    );
    await withBrig({reply: () => [text('half'), done(3)]}, async (brig) => {
        assert.equal(content(await events(await setUp(brig).post([user('x')]))), 'half\n[exit code 3]');
    });
});

test('an abort ends the worker; one that comes behind the end does not', () =>
    withBrig(
        {
            reply: ({content}) => (content?.endsWith('short') ? [done()] : [text('x')]),
        },
        async (brig) => {
            const {post} = setUp(brig);
            const late = new AbortController();
            await events(await post([user('short')], {session: 'ses_1', signal: late.signal}));
            late.abort();
            const controller = new AbortController();
            const response = await post([user('long')], {session: 'ses_2', signal: controller.signal});
            await until(() => brig.messages.length === 2);
            controller.abort();
            await until(() => brig.messages.length === 3);
            assert.deepEqual(brig.messages[2], {action: 'terminate'});
            await response.text();
            await events(await post([user('short'), assistant(''), user('short')], {session: 'ses_1'}));
            assert.equal(brig.requests.length, 2, 'the first worker lives on');
        },
    ));

test('what changed is said, with where it is', () =>
    withBrig(
        {
            reply: () => [text('Done.'), done()],
            answer: {
                diff: {diff: 'diff --git a/a.txt b/a.txt\n+x\ndiff --git a/b c b/b c\n', branch: 'brig/t'},
            },
        },
        async (brig) => {
            const all = await events(await setUp(brig, {workspace: 'worktree'}).post([user('x')]));
            assert.equal(brig.requests[0].repository, ROOT.worktree);
            assert.match(
                content(all),
                /^Done\.\n\n\[Brig: 2 changed in a worktree on the branch brig\/t, not here: a\.txt, b c\. brig diff /,
            );
        },
    ));

test('each frame is shown as what it is', () => {
    const tools = new ToolNotes();
    const shown = (frame) => deltaOf(frame, tools);
    assert.deepEqual(shown({type: 'chunk', stream: 'text', agent: 'a1', content: 'x'}), {
        reasoning_content: 'x',
    });
    assert.deepEqual(shown({type: 'chunk', stream: 'stdout', tool: 't1', content: 'x'}), {
        reasoning_content: 'x',
    });
    assert.deepEqual(shown({type: 'tool', name: 'bash', title: 'make', status: 'running'}), {
        reasoning_content: '\n[make]\n',
    });
    assert.equal(shown({type: 'tool', id: 't0', status: 'completed'}), null);
    assert.deepEqual(shown({type: 'egress', kind: 'blocked', host: 'evil.example'}), {
        reasoning_content: '\n[blocked: evil.example]\n',
    });
    assert.equal(shown({type: 'egress', kind: 'allowed', host: 'x'}), null);
    assert.equal(shown({type: 'something_new'}), null);
});

test('a tool is shown with what it is given and what it wrote, up to a bound', () => {
    const tools = new ToolNotes();
    const shown = (frame) => deltaOf({type: 'tool', ...frame}, tools)?.reasoning_content;
    assert.equal(shown({id: '1', name: 'bash', status: 'pending'}), undefined);
    assert.equal(shown({id: '1', status: 'running', input: {command: 'ls'}}), '\n$ ls\n');
    assert.equal(shown({id: '1', status: 'completed', output: 'a\n'}), 'a\n');
    assert.equal(shown({id: '2', name: 'read', status: 'running', input: {file_path: 'a.txt'}}), '\n[read a.txt]\n');
    assert.equal(shown({id: '2', status: 'failed', output: 'no'}), 'no\n\n[read failed]\n');
    const live = () => deltaOf({type: 'chunk', stream: 'stdout', tool: '3', content: 'x'.repeat(3000)}, tools);
    assert.equal(live().reasoning_content.length, 3000);
    assert.equal(live().reasoning_content, `${'x'.repeat(1000)}\n[…]\n`);
    assert.equal(live(), null);
    assert.equal(shown({id: '3', status: 'completed', output: 'all of it'}), undefined);
});

test('parts that are no text are left out', () => {
    assert.equal(
        messageFor([user([{type: 'text', text: 'a'}, {type: 'image_url'}, {type: 'text', text: 'b'}])], false),
        'a\nb',
    );
});

const ASK = {type: 'ask', ask_id: 'ask_1', title: 'Bash', options: [{id: 'allow'}, {id: 'deny'}]};
const call = {role: 'assistant', content: null, tool_calls: []};
const result = {role: 'tool', content: 'Answered: allow'};

test('a worker that asks calls the tool that does, and goes on behind its result', () =>
    withBrig({reply: () => [text('I look. '), ASK]}, async (brig) => {
        const {post, dialogues} = setUp(brig);
        const first = await events(await post([user('one')]));
        const {delta, finish_reason: finish} = first.at(-1).choices[0];
        assert.equal(delta.tool_calls[0].function.name, 'brig_ask');
        assert.equal(JSON.parse(delta.tool_calls[0].function.arguments).id, 'ask_1');
        assert.equal(finish, 'tool_calls');
        assert.deepEqual(
            dialogues.expected.map(({id}) => id),
            ['ask_1'],
        );
        brig.say({type: 'answered', ask_id: 'ask_1', option: 'allow', reason: 'person'});
        brig.say(text('Done.'));
        brig.say(done());
        assert.equal(content(await events(await post([user('one'), call, result]))), 'Done.');
        assert.equal(brig.messages.length, 1, 'it is the same turn');
        brig.reply = () => [text('More.'), done()];
        assert.equal(content(await events(await post([user('one'), assistant('Done.'), user('two')]))), 'More.');
        brig.reply = () => [ASK];
        await events(await post([user('three')]));
        dialogues.expected[0].end();
        brig.say(text('Again.'));
        brig.say(done());
        assert.equal(content(await events(await post([user('three'), call, result]))), 'Again.');
        assert.equal(brig.requests.length, 1, 'it is the same worker');
    }));

test('another message, or an abort, ends a worker that asks', () =>
    withBrig({reply: ({content}) => (content ? [ASK] : [])}, async (brig) => {
        const {post, dialogues} = setUp(brig);
        await events(await post([user('one')]));
        await events(await post([user('one'), call, user('two')]));
        await until(() => brig.messages.some((message) => message.action === 'terminate'));
        assert.equal(brig.requests.length, 2);
        dialogues.expected[1].end();
        await until(() => brig.messages.filter((message) => message.action === 'terminate').length === 2);
    }));

test('what no dialogue can answer is told with the command that does', () =>
    withBrig(
        {
            reply: () => [
                {...ASK, options: [{id: '0'}, {id: 'decline'}], text: true},
                {type: 'answered', ask_id: 'ask_1', text: 'so'},
                done(),
            ],
        },
        async (brig) => {
            const all = await events(await setUp(brig).post([user('one')]));
            assert.equal(
                all.map((event) => event.choices[0].delta.reasoning_content ?? '').join(''),
                '\n[asks: Bash; brig answer ask_1 0|decline|--text TEXT]\n\n[answered: so]\n',
            );
        },
    ));
