import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import {test} from 'node:test';
import * as client from '../index.js';

const declarations = await fs.readFile(new URL('../index.d.ts', import.meta.url), 'utf8');

/** The names in the braces behind `export … name`. */
function members(name) {
    const [, body] = declarations.match(new RegExp(`^export (?:class|interface) ${name}\\b[^{]*\\{\\n(.*?)^\\}`, 'ms'));
    return [...body.matchAll(/^ {4}(?:private |readonly |get )*([\w]+|\[Symbol\.\w+\])\??[(:]/gm)].map(
        ([, member]) => member,
    );
}

/** Node's own description of the second is another in each version. */
const SYMBOLS = new Map([
    [Symbol.asyncIterator, '[Symbol.asyncIterator]'],
    [Symbol.asyncDispose, '[Symbol.asyncDispose]'],
]);
const nameOf = (key) => SYMBOLS.get(key) ?? key;

for (const [name, exported] of Object.entries(client)) {
    test(`index.d.ts says what a ${name} has`, () => {
        const fields = name === 'BrigError' ? Object.keys(new exported('X', 'x')) : [];
        assert.deepEqual(members(name).sort(), [...Reflect.ownKeys(exported.prototype), ...fields].map(nameOf).sort());
    });
}

test('index.d.ts declares the classes that there are, and no other', () => {
    const declared = [...declarations.matchAll(/^export class (\w+)/gm)].map(([, name]) => name);
    assert.deepEqual(declared.sort(), Object.keys(client).sort());
});

test('index.d.ts declares the options that there are, and no other', async () => {
    for (const name of members('SubagentProviderOptions')) {
        assert.doesNotThrow(() => new client.SubagentProvider({[name]: undefined}), name);
    }
    for (const name of members('Timeouts')) {
        assert.doesNotThrow(() => new client.SubagentProvider({timeouts: {[name]: 1}}), name);
    }
    const provider = new client.SubagentProvider({spawnerSocket: '/nowhere'});
    for (const name of members('StartRequest')) {
        await assert.rejects(
            provider.start({agent: 'shell', [name]: undefined}),
            ({code}) => code !== 'INVALID_FIELD',
            name,
        );
    }
});
