import {once} from 'node:events';
import fs from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {SubagentProvider} from '../index.js';

export const SPAWN_ID = 'spn_01kdvw5v09s6yx3m8q2t7n4e';
export const TOKEN = 'brig_dGhpcy1pcy1ub3QtYS1yZWFsLXRva2VuLTAxMjM0NTY';
export const EPOCH = '4h2k9x0c';

/** Leaves its sessions with the test. */
class ClosingProvider extends SubagentProvider {
    #test;

    constructor(t, options) {
        super(options);
        this.#test = t;
    }

    async start(request) {
        const session = await super.start(request);
        this.#test.after(() => session.close());
        return session;
    }
}

/** One connection as the fake gateway has it. */
export class Peer {
    #lines = [];
    #readers = [];
    #rest = '';

    constructor(socket) {
        this.socket = socket;
        this.closed = new Promise((resolve) => {
            socket.on('close', resolve);
        });
        socket.setEncoding('utf8');
        socket.on('error', () => {});
        socket.on('data', (text) => {
            const lines = (this.#rest + text).split('\n');
            this.#rest = lines.pop();
            this.#lines.push(...lines.map((line) => JSON.parse(line)));
            this.#hand();
        });
        socket.on('close', () => this.#hand());
    }

    /** The next line of the client; undefined when it has gone. */
    line() {
        return new Promise((resolve) => {
            this.#readers.push(resolve);
            this.#hand();
        });
    }

    /** The next line that is not a ping; pings on the way are answered. */
    async message() {
        for (;;) {
            const line = await this.line();
            if (line?.action !== 'ping') {
                return line;
            }
            this.write({type: 'pong'});
        }
    }

    /** Answers pings until the client goes; resolves with everything else that came. */
    async listen() {
        const messages = [];
        for (let line = await this.message(); line !== undefined; line = await this.message()) {
            messages.push(line);
        }
        return messages;
    }

    /** Objects become lines; text and bytes go out as they are. */
    write(...parts) {
        for (const part of parts) {
            const isRaw = typeof part === 'string' || Buffer.isBuffer(part);
            this.socket.write(isRaw ? part : `${JSON.stringify(part)}\n`);
        }
    }

    /** Each byte in a write of its own. */
    async writeByByte(bytes) {
        for (let at = 0; at < bytes.length; at++) {
            this.socket.write(bytes.subarray(at, at + 1));
            await new Promise(setImmediate);
        }
    }

    /** The welcome of a session connection, once the client said hello. */
    async welcome(from = 1, epoch = EPOCH) {
        const hello = await this.line();
        this.write({
            type: 'authenticated',
            spawn_id: SPAWN_ID,
            task_id: 't',
            role: 'captain',
            epoch,
            from,
            state: 'running',
        });
        return hello;
    }

    #hand() {
        while (this.#readers.length > 0 && (this.#lines.length > 0 || this.socket.destroyed)) {
            this.#readers.shift()(this.#lines.shift());
        }
    }
}

/**
 * A gateway that does what its scripts say, over real sockets. `session` has a script for each connection to the session,
 * in order; `spawn` handles each connection to the spawner socket. What goes wrong in a script fails the test.
 */
export async function fakeGateway(t, {session = [], spawn} = {}) {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'brig-client-'));
    const gateway = {
        folder,
        spawner: path.join(folder, 'spawner.sock'),
        ioSocket: path.join(folder, 'io.sock'),
        /** Requests on the spawner socket, in order. */
        requests: [],
        /** How many connections the session had. */
        connections: 0,
        faults: [],
        /** With the request: the first to end a worker, and the first to start one, once it is answered. */
        ended: resolvers(),
        asked: resolvers(),
    };
    gateway.spawned = () => ({
        task_id: 't',
        spawn_id: SPAWN_ID,
        workspace: `${folder}/work`,
        auth_token: TOKEN,
        io_socket: gateway.ioSocket,
        status: 'spawned',
    });
    const answer = spawn ?? ((peer) => peer.write(gateway.spawned()));
    const sockets = new Set();
    const serve = async (at, script) => {
        const server = net.createServer((socket) => {
            sockets.add(socket);
            Promise.resolve(script(new Peer(socket))).catch((fault) => gateway.faults.push(fault));
        });
        server.listen(at);
        await once(server, 'listening');
        t.after(() => server.close());
        // Its file goes with it; connections stay.
        return async () => server.close();
    };
    gateway.stopSpawner = await serve(gateway.spawner, async (peer) => {
        const request = await peer.line();
        gateway.requests.push(request);
        if (request?.action === 'terminate') {
            peer.write({spawn_id: SPAWN_ID, state: 'terminated'});
            gateway.ended.resolve(request);
        } else if (request !== undefined) {
            await answer(peer, request, gateway);
            gateway.asked.resolve(request);
        }
    });
    gateway.serveSession = async (scripts) => {
        gateway.stopSession = await serve(gateway.ioSocket, (peer) => {
            const script = scripts[Math.min(gateway.connections++, scripts.length - 1)];
            return script(peer, gateway);
        });
    };
    gateway.provider = (options) => new ClosingProvider(t, {spawnerSocket: gateway.spawner, ...options});
    t.after(async () => {
        sockets.forEach((socket) => socket.destroy());
        await fs.rm(folder, {recursive: true, force: true});
        if (gateway.faults.length > 0) {
            throw gateway.faults[0];
        }
    });
    if (session.length > 0) {
        await gateway.serveSession(session);
    }
    return gateway;
}

function resolvers() {
    const made = {};
    made.promise = new Promise((resolve, reject) => Object.assign(made, {resolve, reject}));
    return made;
}

export const chunk = (seq, content) => ({type: 'chunk', seq, ts: 1, stream: 'stdout', content});
export const done = (seq, more) => ({type: 'done', seq, ts: 1, exit_code: 0, ...more});
export const terminated = (seq) => ({type: 'state', seq, ts: 1, state: 'terminated', reason: 'requested'});

/** All frames of a session that are left. */
export async function all(session) {
    const frames = [];
    for await (const frame of session) {
        frames.push(frame);
    }
    return frames;
}

/** What it fails with. */
export async function failureOf(promise) {
    return promise.then(
        () => {
            throw new Error('it did not fail');
        },
        (failure) => failure,
    );
}
