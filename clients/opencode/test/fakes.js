// A Brig that does what a test says: a spawner socket and one session socket, in a folder of its own.
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** A look is every 2 ms. */
const STUCK_LOOKS = 50;

export const ROOT = {directory: '/home/me/project/sub', worktree: '/home/me/project'};

function lines(socket, handle) {
    let rest = '';
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
        const all = (rest + text).split('\n');
        rest = all.pop();
        for (const line of all) handle(JSON.parse(line));
    });
}

export class FakeBrig {
    requests = [];
    messages = [];
    connections = 0;
    epoch = 'aaaaaaaa';
    #servers = [];
    #sockets = new Set();
    /** By token: the frames of each worker, and who reads them. */
    #workers = new Map();

    /** What the spawner socket answers, what a message to the worker makes of it: frames without numbers. */
    constructor({answer = {}, reply = () => []} = {}) {
        this.answer = answer;
        this.reply = reply;
        this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'brig-plugin-'));
        process.on('exit', () => fs.rmSync(this.folder, {recursive: true, force: true}));
        this.spawner = path.join(this.folder, 'spawner.sock');
        this.io = path.join(this.folder, 'io.sock');
    }

    async open() {
        await this.#listen(this.spawner, (socket) => lines(socket, (request) => this.#handleRequest(socket, request)));
        await this.#listen(this.io, (socket) => this.#handleSession(socket));
        return this;
    }

    async #listen(file, handle) {
        const server = net.createServer((socket) => {
            this.#sockets.add(socket);
            socket.on('close', () => this.#sockets.delete(socket));
            socket.on('error', () => {});
            handle(socket);
        });
        this.#servers.push(server);
        await new Promise((resolve) => server.listen(file, resolve));
    }

    #handleRequest(socket, request) {
        this.requests.push(request);
        const granted = {
            spawn_id: 'spn_1',
            task_id: request.task_id,
            auth_token: `brig_${this.requests.length}`,
            io_socket: this.io,
            status: 'spawned',
        };
        const answers = {spawn: granted, diff: {diff: ''}};
        socket.end(`${JSON.stringify(this.answer[request.action] ?? answers[request.action])}\n`);
    }

    #worker(token) {
        if (!this.#workers.has(token)) this.#workers.set(token, {frames: [], readers: new Set()});
        return this.#workers.get(token);
    }

    #handleSession(socket) {
        this.connections++;
        let worker = null;
        lines(socket, (line) => {
            if (worker !== null) {
                this.messages.push(line);
                for (const frame of this.reply(line)) this.say(frame, worker);
                return;
            }
            worker = this.#worker(line.auth);
            worker.readers.add(socket);
            socket.on('close', () => worker.readers.delete(socket));
            socket.write(`${JSON.stringify({type: 'authenticated', epoch: this.epoch, from: line.from})}\n`);
            for (const frame of worker.frames) if (frame.seq >= line.from) socket.write(`${JSON.stringify(frame)}\n`);
        });
    }

    /** A frame of a worker, the first one if none is named, to everybody who reads it. */
    say(frame, worker = this.#worker('brig_1')) {
        const numbered = {seq: worker.frames.length + 1, ...frame};
        worker.frames.push(numbered);
        this.#write(worker, numbered);
    }

    /** A line about the connection to the first worker. */
    tell(line) {
        this.#write(this.#worker('brig_1'), line);
    }

    #write(worker, line) {
        for (const socket of worker.readers) if (!socket.destroyed) socket.write(`${JSON.stringify(line)}\n`);
    }

    /** Waits until nobody reads what the first worker says, for so long that it is no accident. */
    async stuck() {
        let waited = 0;
        let same = 0;
        await until(() => {
            const waiting = [...this.#worker('brig_1').readers].reduce((sum, socket) => sum + socket.writableLength, 0);
            same = waiting > 0 && waiting === waited ? same + 1 : 0;
            waited = waiting;
            return same === STUCK_LOOKS;
        });
    }

    cut() {
        for (const socket of this.#sockets) socket.destroy();
    }

    close() {
        this.cut();
        for (const server of this.#servers) server.close();
        fs.rmSync(this.folder, {recursive: true});
    }
}

/** Waits for what has no event of its own. */
export async function until(condition) {
    const end = Date.now() + 10_000;
    while (!condition()) {
        if (Date.now() > end) throw new Error(`not within 10 s: ${condition}`);
        await new Promise((resolve) => setTimeout(resolve, 2));
    }
}

export const text = (content) => ({type: 'chunk', stream: 'stdout', content});
export const done = (exitCode = 0, more = {}) => ({type: 'done', exit_code: exitCode, ...more});

/** Runs a test with a fake and closes it. */
export async function withBrig(how, test) {
    const brig = await new FakeBrig(how).open();
    try {
        await test(brig);
    } finally {
        brig.close();
    }
}
