// The scripts run in a real bash here, with a folder in place of the wall's /workspace: what they do to
// names and contents is the same. That nothing outside is reached is the wall's own doing, and tested with
// it (OpenCodePluginTest).
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {readOptions} from '../lib/options.js';
import {Sandbox} from '../lib/sandbox.js';
import {EDIT_BYTES_MAX, insidePath, quote, writeScripts} from '../lib/script.js';
import {Workers} from '../lib/workers.js';
import {done, FakeBrig, ROOT, text} from './fakes.js';

const NAMES = [
    'plain',
    "it's",
    'a "b"',
    '$(touch x)',
    '`touch x`',
    'new\nline',
    '-rf',
    'back\\slash',
    'sp ace',
    'ü',
    '*',
    '!',
];

let folder, brig, sandbox, tools, asked;

/** The worker: runs a message as the shell profile does, in the folder. */
function run({content, action}) {
    if (action !== undefined) return [done(143, {reason: 'cancelled'})];
    if (content.includes('forever')) return [text('begun\n')];
    try {
        return [
            text(
                execFileSync('bash', ['-c', content.replaceAll('/workspace', folder)], {
                    stdio: ['ignore', 'pipe', 'pipe'],
                    maxBuffer: 1e8,
                }).toString(),
            ),
            done(),
        ];
    } catch (error) {
        return [
            text(error.stdout.toString()),
            {type: 'chunk', stream: 'stderr', content: error.stderr.toString()},
            done(error.status),
        ];
    }
}

before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'brig-sandbox-'));
    brig = await new FakeBrig({reply: run}).open();
    const options = readOptions({
        spawnerSocket: brig.spawner,
        sandbox: {allow: ['webfetch', 'my_*'], timeoutSeconds: 5},
    });
    sandbox = new Sandbox(options.sandbox, new Workers(options, ROOT), {show() {}, async end() {}}, ROOT);
    tools = sandbox.tools();
});

after(() => {
    sandbox.close();
    brig.close();
    fs.rmSync(folder, {recursive: true});
});

/** Calls a tool in a session whose folder is the root of the project. */
function call(tool, args, abort = new AbortController().signal) {
    asked = null;
    const context = {directory: ROOT.worktree, abort, callID: 'c', ask: async (what) => (asked = what)};
    return tools[`sandbox_${tool}`].execute(args, context);
}

test('a name means itself, whatever is in it', async () => {
    for (const name of NAMES) {
        const file = `odd/${name}/${name}.txt`;
        await call('write', {path: file, content: `<in> ${name}\n`});
        assert.equal(fs.readFileSync(path.join(folder, file), 'utf8'), `<in> ${name}\n`);
        await call('edit', {path: file, oldString: '<in>', newString: '$& $1 out'});
        assert.equal((await call('read', {path: file})).output.replace(/^\d+: /gm, ''), `$& $1 out ${name}\n`);
    }
    assert.deepEqual(fs.readdirSync(path.join(folder, 'odd')).sort(), [...NAMES].sort());
    assert.deepEqual(fs.readdirSync(folder), ['odd']);
});

test('a word of bash is one word, and a NUL is none', () => {
    assert.equal(execFileSync('bash', ['-c', `printf %s ${NAMES.map(quote).join('')}`]).toString(), NAMES.join(''));
    assert.throws(() => quote('a\0b'), /NUL/);
});

test('paths of the project are those of the wall; all others are left to it', () => {
    const inside = (given) => insidePath(given, '/home/me/project', '/home/me/project/sub');
    assert.equal(inside('a.txt'), '/workspace/sub/a.txt');
    assert.equal(inside('../../x'), '/workspace/sub/../../x');
    assert.equal(inside('/home/me/project/sub/a'), '/workspace/sub/a');
    assert.equal(inside('/home/me/project'), '/workspace');
    assert.equal(inside('/home/me/project2/a'), '/home/me/project2/a');
    assert.equal(inside('/etc/passwd'), '/etc/passwd');
    assert.equal(insidePath('/home/me/a', null, '/home/me'), '/home/me/a');
    assert.equal(insidePath('a', null, '/home/me'), '/workspace/a');
});

test('a file that is too long for one message comes in pieces, and whole', async () => {
    const long = Array.from({length: 60_000}, (_, i) => `line ${i} ü`).join('\n');
    fs.writeFileSync(path.join(folder, 'long.txt'), 'old', {mode: 0o640});
    await call('write', {path: 'long.txt', content: long});
    assert.equal(fs.readFileSync(path.join(folder, 'long.txt'), 'utf8'), long);
    assert.equal(fs.statSync(path.join(folder, 'long.txt')).mode & 0o777, 0o640);
    assert.ok(writeScripts('/f', long, 'r').length > 5);
    assert.deepEqual(
        fs.readdirSync(folder).filter((name) => name.startsWith('.brig')),
        [],
    );
    await assert.rejects(call('write', {path: 'x', content: 'x'.repeat(4 * 1024 * 1024 + 1)}), /more than/);
});

test('a long file is read in parts, and says that there is more', async () => {
    fs.writeFileSync(path.join(folder, 'many'), Array.from({length: 5_000}, (_, i) => `number ${i + 1}\n`).join(''));
    const {output} = await call('read', {path: 'many'});
    assert.ok(
        output.startsWith('1: number 1\n') && output.endsWith('[more may follow: go on with offset 1901]'),
        output.slice(-80),
    );
    assert.equal((await call('read', {path: 'many', offset: 4_999})).output, '4999: number 4999\n5000: number 5000\n');
    assert.equal(
        (await call('read', {path: 'many', offset: 2, limit: 1})).output,
        '2: number 2\n[more may follow: go on with offset 3]',
    );
    fs.writeFileSync(path.join(folder, 'one-line'), 'ü'.repeat(1_000_000));
    assert.ok((await call('read', {path: 'one-line'})).output.length < 2_200);
});

test('what is no text, no file or not there is refused plainly', async () => {
    fs.writeFileSync(path.join(folder, 'nul'), 'a\0b');
    fs.writeFileSync(path.join(folder, 'latin'), Buffer.from([0x61, 0xfc, 0x0a]));
    fs.writeFileSync(path.join(folder, 'huge'), Buffer.alloc(EDIT_BYTES_MAX + 1, 'a'));
    execFileSync('mkfifo', [path.join(folder, 'fifo')]);
    await assert.rejects(call('read', {path: 'nul'}), /binary file/);
    await assert.rejects(call('read', {path: 'latin'}), /not UTF-8/);
    await assert.rejects(call('read', {path: 'none'}), /^Error: no such file$/);
    await assert.rejects(call('read', {path: 'fifo'}), /^Error: not a file$/);
    await assert.rejects(call('edit', {path: 'huge', oldString: 'a', newString: 'b'}), /too big/);
    await assert.rejects(call('edit', {path: 'odd', oldString: 'a', newString: 'b'}), /not a file/);
    assert.match((await call('read', {path: '.'})).output, /fifo\|\n|fifo\n/);
});

test('an edit is exact', async () => {
    fs.writeFileSync(path.join(folder, 'e'), '\uFEFFa b a\r\nc');
    await assert.rejects(call('edit', {path: 'e', oldString: 'a', newString: 'x'}), /2 times/);
    await assert.rejects(call('edit', {path: 'e', oldString: 'z', newString: 'x'}), /not in the file/);
    await assert.rejects(call('edit', {path: 'e', oldString: '', newString: 'x'}), /not in the file/);
    await call('edit', {path: 'e', oldString: 'a', newString: 'x', replaceAll: true});
    assert.equal(fs.readFileSync(path.join(folder, 'e'), 'utf8'), '\uFEFFx b x\r\nc');
});

test('a command ends with its exit code, its time or its abort', async () => {
    assert.equal((await call('bash', {command: 'echo "it\'s"; (exit 3)'})).output, "it's\n\n[exit code 3]");
    assert.deepEqual(asked, {
        permission: 'sandbox_bash',
        patterns: ['echo "it\'s"; (exit 3)'],
        always: ['*'],
        metadata: {},
    });
    assert.match(
        (await call('bash', {command: 'forever', timeout: 50})).output,
        /begun\n\n\[it was ended after 50 ms\]\n\[exit code 143, cancelled\]/,
    );
    const abort = new AbortController();
    const running = call('bash', {command: 'forever'}, abort.signal);
    setTimeout(() => abort.abort(), 20);
    assert.match((await running).output, /\[it was aborted\]/);
    await assert.rejects(call('bash', {command: 'x'.repeat(130_000)}), /longer than/);
    const much = await call('bash', {command: 'seq 1 100000'});
    assert.ok(
        much.output.startsWith('[the beginning is left out]\n') &&
            much.output.endsWith('100000\n') &&
            much.output.length < 50_000,
    );
});

test('all calls run in one worker, one after the other', async () => {
    const before = brig.requests.length;
    const all = await Promise.all([1, 2, 3].map((i) => call('bash', {command: `echo ${i} >> order; cat order`})));
    assert.deepEqual(
        all.map((one) => one.output),
        ['1\n', '1\n2\n', '1\n2\n3\n'],
    );
    assert.deepEqual([before, brig.requests.length], [1, 1]);
    assert.equal(brig.requests[0].repository, ROOT.worktree);
});

test('a permission that is denied runs nothing', async () => {
    const context = {
        directory: ROOT.worktree,
        abort: new AbortController().signal,
        ask: () => Promise.reject(new Error('denied')),
    };
    const said = brig.messages.length;
    for (const [name, tool] of Object.entries(tools)) {
        await assert.rejects(
            tool.execute({command: 'x', path: 'x', content: 'x', oldString: 'x', newString: 'y'}, context),
            /denied/,
            name,
        );
    }
    assert.equal(brig.messages.length, said);
});

test('only what a call needs is required of it', () => {
    const definition = {jsonSchema: {type: 'object', required: ['path', 'offset', 'limit']}};
    const before = definition.jsonSchema;
    sandbox.define('sandbox_read', definition);
    assert.deepEqual(definition.jsonSchema.required, ['path']);
    assert.notEqual(definition.jsonSchema, before);
    sandbox.define('task', definition);
    assert.deepEqual(definition.jsonSchema.required, ['path']);
});
