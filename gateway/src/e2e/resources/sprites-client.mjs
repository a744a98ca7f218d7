// The vendor's own client as a client of the fake: the first argument names what it does, the answer is a line of JSON.
import { pathToFileURL } from 'node:url';
import { connect } from 'node:net';

const [step, url, token, ...more] = process.argv.slice(2);
const sdk = await import(pathToFileURL(`${process.env.NODE_PACKAGES}/@fly/sprites/dist/index.js`));
const client = new sdk.SpritesClient(token, { baseURL: url });

const shown = sprite => ({
    id: sprite.id,
    name: sprite.name,
    status: sprite.status,
    organization: sprite.organizationName,
    labels: sprite.labels,
    created: sprite.createdAt?.toISOString(),
});

const failure = error => ({
    name: error.name,
    message: error.message,
    status: error.statusCode,
    code: error.errorCode,
    retryAfter: error.getRetryAfterSeconds?.(),
    exitCode: error.exitCode,
    stderr: error.stderr,
});

async function run(name, command, args, input, options) {
    const started = client.sprite(name).spawn(command, args, options);
    const out = [];
    const err = [];
    started.stdout.on('data', piece => out.push(piece));
    started.stderr.on('data', piece => err.push(piece));
    const closed = Promise.all([started.stdout, started.stderr].map(stream => new Promise(end => stream.on('end', end))));
    await new Promise((resolve, reject) => started.once('spawn', resolve).once('error', reject));
    started.stdin.end(input);
    const code = await started.wait();
    await closed;
    return { code, out: Buffer.concat(out), err: Buffer.concat(err) };
}

const messages = async stream => {
    const all = [];
    for await (const message of stream) all.push(message);
    return all;
};

const steps = {
    async create(name, ...labels) {
        return shown(await client.createSprite(name, { labels }));
    },
    async get(name) {
        return shown(await client.getSprite(name));
    },
    async list(prefix) {
        return (await client.listAllSprites(prefix)).map(shown);
    },
    async delete(name) {
        await client.deleteSprite(name);
        return {};
    },
    async label(name, ...labels) {
        return shown(await client.updateSprite(name, { labels }));
    },
    async run(name, script, input) {
        const done = await run(name, 'bash', ['-c', script], input);
        return { code: done.code, out: done.out.toString(), err: done.err.toString() };
    },
    async environment(name) {
        const done = await run(name, '/usr/bin/env', [], '', { env: { ONE: '1=1' }, cwd: '/tmp' });
        return { code: done.code, out: done.out.toString() };
    },
    /** Sends many bytes through a command and compares what comes back. */
    async echo(name, bytes) {
        const sent = Buffer.alloc(Number(bytes), 'abcdefghijklmnopqrstuvwxyz0123456789\n');
        const done = await run(name, 'cat', [], sent);
        return { code: done.code, equal: sent.equals(done.out) };
    },
    async execFile(name, file, ...args) {
        return client.sprite(name).execFile(file, args);
    },
    /** A file there and back. */
    async file(name, path, bytes) {
        const sent = Buffer.alloc(Number(bytes), '0123456789');
        const files = client.sprite(name).filesystem('/home/sprite');
        await files.writeFile(path, sent, { mode: 0o750 });
        return { equal: sent.equals(await files.readFile(path)) };
    },
    /** Bytes through a port, which the far end sends back. */
    async proxy(name, port, bytes) {
        const session = await client.sprite(name).proxyPort(0, Number(port));
        const socket = connect(session.server.address().port, 'localhost');
        const sent = Buffer.alloc(Number(bytes), 'abcdefghijklmnopqrstuvwxyz');
        const received = [];
        let length = 0;
        const done = new Promise(resolve => {
            socket.on('data', piece => {
                received.push(piece);
                length += piece.length;
                if (length >= sent.length) resolve();
            });
            socket.on('close', resolve);
            socket.on('error', resolve);
        });
        socket.write(sent);
        await done;
        socket.destroy();
        session.close();
        return { equal: sent.equals(Buffer.concat(received)), length };
    },
    async checkpoint(name, comment) {
        const sprite = client.sprite(name);
        const said = await messages(await sprite.createCheckpoint(comment));
        const all = await sprite.listCheckpoints();
        return { said, all, one: await sprite.getCheckpoint(all.find(one => one.comment === comment).id) };
    },
    async restore(name, id) {
        return { said: await messages(await client.sprite(name).restoreCheckpoint(id)) };
    },
    async policy(name, domain) {
        const sprite = client.sprite(name);
        const before = await sprite.getNetworkPolicy();
        await sprite.updateNetworkPolicy({ rules: [{ domain, action: 'allow' }] });
        return { before, after: await sprite.getNetworkPolicy() };
    },
};

let answer;
try {
    answer = { ok: await steps[step](...more) };
} catch (error) {
    answer = { failed: failure(error) };
}
console.log(JSON.stringify(answer));
process.exit(0);
