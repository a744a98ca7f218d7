import assert from 'node:assert/strict';
import {test} from 'node:test';
import {LineReader} from '../lib/lines.js';

const LINES = Buffer.from('{"a":"ü€😀"}\r\n\n\r\n{"b":[1,{"c":2}]}\n{"d":"\\n"}\n');
const OBJECTS = [{a: 'ü€😀'}, {b: [1, {c: 2}]}, {d: '\n'}];

function read(reader, ...pieces) {
    return pieces.flatMap((piece) => [...reader.read(Buffer.from(piece))]).map(([object]) => object);
}

test('reads the same objects wherever the bytes are split', () => {
    for (let at = 0; at <= LINES.length; at++) {
        for (let next = at; next <= LINES.length; next++) {
            const reader = new LineReader(64);
            assert.deepEqual(
                read(reader, LINES.subarray(0, at), LINES.subarray(at, next), LINES.subarray(next)),
                OBJECTS,
            );
        }
    }
});

test('says how long each line was', () => {
    assert.deepEqual(
        [...new LineReader(64).read(Buffer.from('{}\n{"a":1}\r\n'))].map(([, bytes]) => bytes),
        [3, 9],
    );
});

test('bounds a line that is complete in one piece, in two, and one that never ends', () => {
    const line = `${JSON.stringify({a: 'x'.repeat(92)})}\n`;
    assert.equal(line.length, 101);
    assert.equal(read(new LineReader(101), line).length, 1);
    for (const pieces of [[line], [line.slice(0, 50), line.slice(50)], [line.slice(0, -1), '\n'], ['x'.repeat(101)]]) {
        assert.throws(() => read(new LineReader(100), ...pieces), {
            code: 'PROTOCOL_VIOLATION',
            message: /more than 100 bytes/,
        });
    }
});

test('refuses what is no JSON object in UTF-8', () => {
    for (const line of ['nonsense', '{"a":', '[]', 'null', '7', '"text"', '\ufeff{}']) {
        assert.throws(() => read(new LineReader(100), `${line}\n`), {code: 'PROTOCOL_VIOLATION'}, line);
    }
    const reader = new LineReader(100);
    assert.throws(() => [...reader.read(Buffer.from([0x22, 0xff, 0x22, 0x0a]))], {message: /not UTF-8/});
});
