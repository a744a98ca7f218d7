import assert from 'node:assert/strict';
import {test} from 'node:test';
import {ask, BrigError, Session} from '../lib/brig.js';
import {done, text, until, withBrig} from './fakes.js';

const granted = (brig) => ({spawn_id: 'spn_1', task_id: 't', auth_token: 'brig_1', io_socket: brig.io});

async function said(turn) {
    let all = '';
    for await (const frame of turn) if (frame.type === 'chunk') all += frame.content;
    return all;
}

test('a refusal says its code and when the same may succeed', () =>
    withBrig(
        {answer: {spawn: {error: 'all workers are in use', code: 'MAX_WORKERS', retry_after_seconds: 5}}},
        async (brig) => {
            await assert.rejects(
                ask(brig.spawner, {action: 'spawn'}),
                (error) =>
                    error instanceof BrigError &&
                    error.code === 'MAX_WORKERS' &&
                    error.retryAfterSeconds === 5 &&
                    error.message.includes('all workers are in use'),
            );
        },
    ));

test('a gateway that is not there is said to be', async () => {
    await assert.rejects(ask('/nonexistent/spawner.sock', {}), (error) => error.code === 'PROVIDER_UNAVAILABLE');
});

test('who gives up waits for no answer', () =>
    withBrig({}, async (brig) => {
        const controller = new AbortController();
        const asked = ask(brig.spawner, {action: 'spawn'}, controller.signal);
        controller.abort(new Error('enough'));
        await assert.rejects(asked, /enough/);
    }));

test('turns follow each other on one session', () =>
    withBrig({reply: ({content}) => [text(`you said ${content}`), done()]}, async (brig) => {
        const session = new Session(granted(brig));
        assert.equal(await said(session.turn('one')), 'you said one');
        assert.equal(await said(session.turn('two')), 'you said two');
        assert.equal(brig.connections, 1);
        session.end();
        await until(() => brig.messages.at(-1).action === 'terminate');
    }));

test('a connection that breaks is made again, and nothing is lost or doubled', () =>
    withBrig({reply: () => [text('before ')]}, async (brig) => {
        const session = new Session(granted(brig));
        const turn = session.turn('go');
        assert.equal((await turn.next()).value.content, 'before ');
        brig.cut();
        brig.say(text('meanwhile '));
        await until(() => brig.connections === 2);
        brig.say(text('after'));
        brig.say(done());
        assert.equal(await said(turn), 'meanwhile after');
    }));

test('a stream that was lost ends the session', () =>
    withBrig({reply: () => [text('x')]}, async (brig) => {
        const session = new Session(granted(brig));
        const turn = session.turn('go');
        await turn.next();
        brig.epoch = 'bbbbbbbb';
        brig.cut();
        await assert.rejects(said(turn), /was lost/);
        assert.ok(session.isOver);
    }));

test('a message that is refused ends its turn, and not the session', () =>
    withBrig({}, async (brig) => {
        const session = new Session(granted(brig));
        const turn = session.turn('go');
        const next = turn.next();
        await until(() => brig.messages.length === 1);
        brig.tell({type: 'error', error: 'held by another', code: 'CONTROL_HELD'});
        await assert.rejects(next, (error) => error.code === 'CONTROL_HELD');
        assert.ok(!session.isOver);
    }));

test('a worker that ends says why', () =>
    withBrig({reply: () => [{type: 'state', state: 'terminated', reason: 'idle_timeout'}]}, async (brig) => {
        await assert.rejects(said(new Session(granted(brig)).turn('go')), /idle_timeout/);
    }));

test('an abort cancels the turn, which comes to its end', () =>
    withBrig(
        {reply: ({action}) => (action === 'cancel' ? [done(143, {reason: 'cancelled'})] : [text('x')])},
        async (brig) => {
            const controller = new AbortController();
            const session = new Session(granted(brig));
            for await (const frame of session.turn('go', controller.signal)) {
                if (frame.type === 'chunk') controller.abort();
                else assert.equal(frame.reason, 'cancelled');
            }
            await assert.rejects(said(session.turn('more', controller.signal)), {name: 'AbortError'});
        },
    ));

test('a reader that does not read holds the worker back', () =>
    withBrig({}, async (brig) => {
        const session = new Session(granted(brig));
        const turn = session.turn('go');
        const first = turn.next();
        await until(() => brig.messages.length === 1);
        const many = 5_000;
        for (let i = 0; i < many; i++) brig.say(text('x'.repeat(1000)));
        brig.say(done());
        await first;
        await brig.stuck();
        let count = 1;
        for await (const frame of turn) if (frame.type === 'chunk') count++;
        assert.equal(count, many);
    }));
