import assert from 'node:assert/strict';
import {test} from 'node:test';
import {callOf, Dialogues, isDecidable, TOOL} from '../lib/dialogues.js';
import {until, withBrig} from './fakes.js';

const options = (...ids) => ids.map((id) => ({id, name: id}));
const ASK = {ask_id: 'ask_1', title: 'Bash: Remove', options: options('allow', 'allow_session', 'deny')};
const OPEN = {asks: [{ask_id: 'ask_1'}]};

/**
 * Calls the tool in an OpenCode that shows the dialogue.
 *
 * @param person what the person does, with the dialogue and with what OpenCode tells of it
 */
async function call(brig, person, {frame = ASK, id = 'ask_1', afterwards = () => {}} = {}) {
    const posts = [];
    const client = {_client: {post: async (request) => posts.push(request)}};
    const dialogues = new Dialogues(brig.spawner, client, 1, 1);
    const abort = new AbortController();
    let ended = 0;
    dialogues.expect(frame, {id: 'spn_1'}, () => ended++);
    let shown = null;
    const asked = (what) =>
        new Promise((resolve, reject) => {
            shown = what;
            dialogues.handleEvent({
                type: 'permission.asked',
                properties: {id: 'per_1', permission: what.permission, tool: {callID: 'c'}},
            });
            const reply = (reply) =>
                dialogues.handleEvent({type: 'permission.replied', properties: {requestID: 'per_1', reply}});
            person({resolve, reject, reply, abort});
        });
    const output = await dialogues.tools()[TOOL].execute({id}, {callID: 'c', abort: abort.signal, ask: asked});
    const answers = brig.requests.filter((request) => request.action === 'answer_ask');
    await afterwards({abort, ended: () => ended});
    return {output, answers: answers.map((request) => request.option), shown, posts, ended};
}

for (const [reply, option] of [
    ['once', 'allow'],
    ['always', 'allow_session'],
]) {
    test(`the answer "${reply}" of the dialogue is ${option}`, () =>
        withBrig({answer: {asks: OPEN, answer_ask: {ask_id: 'ask_1'}}}, async (brig) => {
            const {answers, shown, output, ended} = await call(brig, (dialogue) => {
                dialogue.resolve();
                dialogue.reply(reply);
            });
            assert.deepEqual(answers, [option]);
            assert.deepEqual(shown, {
                permission: 'brig_ask: Bash: Remove',
                patterns: ['Bash: Remove'],
                always: [],
                metadata: {},
            });
            assert.equal(output, `Answered: ${option}`);
            assert.equal(ended, 0);
        }));
}

for (const [what, detail, name] of [
    ['a command', {command: 'rm -rf build\n\u001b[2J\u202els', timeout: 1}, 'Bash: Remove: rm -rf build [2J ls'],
    ['a text', 'ls', 'Bash: Remove: ls'],
    ['another call', {url: 'http://a'}, 'Bash: Remove: {"url":"http://a"}'],
    [
        'files',
        {
            changes: [
                {path: 'a.py', diff: ''},
                {path: 'b.py', diff: ''},
            ],
        },
        'Bash: Remove: a.py, b.py',
    ],
    ['a long command', {command: 'x'.repeat(500)}, `Bash: Remove: ${'x'.repeat(286)}… (shortened)`],
])
    test(`the dialogue names ${what}`, () =>
        withBrig({answer: {asks: OPEN, answer_ask: {ask_id: 'ask_1'}}}, async (brig) => {
            const {shown} = await call(brig, ({resolve}) => resolve(), {frame: {...ASK, detail}});
            assert.equal(shown.permission, `brig_ask: ${name}`);
        }));

test('a rejected dialogue denies', () =>
    withBrig({answer: {asks: OPEN, answer_ask: {ask_id: 'ask_1'}}}, async (brig) => {
        const {answers} = await call(brig, ({reject}) => reject(new Error('rejected')));
        assert.deepEqual(answers, ['deny']);
    }));

test('"always" allows once where the ask offers no more', () =>
    withBrig({answer: {asks: OPEN, answer_ask: {ask_id: 'ask_1'}}}, async (brig) => {
        const frame = {...ASK, options: options('allow', 'deny')};
        const {answers} = await call(
            brig,
            ({resolve, reply}) => {
                reply('always');
                resolve();
            },
            {frame},
        );
        assert.deepEqual(answers, ['allow']);
    }));

test('what is settled elsewhere closes the dialogue, and is not answered', () =>
    withBrig({answer: {asks: OPEN}}, async (brig) => {
        const {answers, posts, output, ended} = await call(brig, () => (brig.answer.asks = {asks: []}));
        assert.deepEqual(answers, []);
        assert.deepEqual(posts[0].path, {requestID: 'per_1'});
        assert.equal(output, 'It is settled.');
        assert.equal(ended, 0);
    }));

test('what is settled already is not shown', () =>
    withBrig({answer: {asks: {asks: []}}}, async (brig) => {
        const {shown, output} = await call(brig, () => {});
        assert.equal(shown, null);
        assert.equal(output, 'It is settled.');
    }));

test('a gateway that is gone for a moment settles nothing', () =>
    withBrig({answer: {asks: OPEN, answer_ask: {ask_id: 'ask_1'}}}, async (brig) => {
        const {answers} = await call(brig, ({resolve, reply}) => {
            brig.answer.asks = {error: 'it begins', code: 'SHUTTING_DOWN'};
            const looks = brig.requests.length;
            until(() => brig.requests.length > looks + 1).then(() => {
                reply('once');
                resolve();
            });
        });
        assert.deepEqual(answers, ['allow']);
    }));

test('an abort ends the worker', () =>
    withBrig({answer: {asks: OPEN}}, async (brig) => {
        const {answers, ended} = await call(brig, ({abort}) => abort.abort());
        assert.deepEqual(answers, []);
        assert.equal(ended, 1);
    }));

test('an abort behind the end of the tool ends the worker only later, as OpenCode may go on', () =>
    withBrig({answer: {asks: OPEN, answer_ask: {ask_id: 'ask_1'}}}, async (brig) => {
        const afterwards = async ({abort, ended}) => {
            abort.abort();
            await Promise.resolve();
            assert.equal(ended(), 0);
            await until(() => ended() === 1);
        };
        await call(brig, ({resolve}) => resolve(), {afterwards});
    }));

test('a refused answer is told, and fails nothing', () =>
    withBrig({answer: {asks: OPEN, answer_ask: {error: 'ci was first', code: 'ASK_SETTLED'}}}, async (brig) => {
        const {output} = await call(brig, ({reject}) => reject(new Error('rejected')));
        assert.equal(output, 'Brig: ci was first (ASK_SETTLED)');
    }));

test('a model that calls the tool by itself reaches nothing', () =>
    withBrig({}, async (brig) => {
        const {output, shown} = await call(brig, () => {}, {id: 'ask_2'});
        assert.equal(output, 'Nothing is asked under this id.');
        assert.equal(shown, null);
        assert.deepEqual(brig.requests, []);
    }));

test('a dialogue is for what can be allowed or denied', () => {
    assert.ok(isDecidable(ASK));
    assert.ok(!isDecidable({options: options('0', '1', 'decline')}));
    assert.ok(!isDecidable({}));
});

test('the call shows what to judge by, up to a bound', () => {
    const shown = (detail) => JSON.parse(callOf({...ASK, detail}).function.arguments).detail;
    assert.equal(shown({command: 'rm -rf build'}), '{"command":"rm -rf build"}');
    assert.equal(shown('plain'), 'plain');
    const changes = [
        {path: 'a.py', kind: {type: 'update', move_path: 'b.py'}, diff: '@@ -1 +1 @@\n-old\n+new\n'},
        {path: 'c.py', kind: {type: 'add'}, diff: 'one\n\n-two\n'},
    ];
    assert.equal(shown({changes}), 'a.py -> b.py\n@@ -1 +1 @@\n-old\n+new\nc.py\n+one\n+\n+-two');
    for (const other of [{changes: 'rm x'}, {changes: [{path: 'a'}]}, {changes, command: 'rm x'}])
        assert.equal(shown(other), JSON.stringify(other));
    assert.equal(shown(undefined), '');
    assert.equal(shown('x'.repeat(5000)), `${'x'.repeat(4000)}… (shortened)`);
});
