// A streaming server as one writes it for Node: each frame parsed, and written to each reader as it comes.
// node node-peer.js --publish HOST:PORT --listen HOST:PORT (HTTP: /sse/I, /ws/I) or unix:PATH (lines: "stream I" first)
'use strict';
const crypto = require('node:crypto');
const http = require('node:http');
const net = require('node:net');

const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const streams = new Map();

function readersOf(id) {
    if (!streams.has(id)) streams.set(id, new Set());
    return streams.get(id);
}

function subscribe(id, socket, reader) {
    const readers = readersOf(id);
    readers.add(reader);
    socket.on('close', () => readers.delete(reader));
    socket.on('error', () => socket.destroy());
}

/** Calls handle with each line of a socket, without its end. */
function eachLine(socket, handle) {
    let rest = '';
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop();
        lines.forEach(handle);
    });
}

/** The stream of /sse/I and /ws/I. */
function streamOf(url) {
    return url.split('?')[0].split('/')[2];
}

function textMessage(text) {
    const payload = Buffer.from(text);
    let head;
    if (payload.length < 126) {
        head = Buffer.from([0x81, payload.length]);
    } else if (payload.length < 65536) {
        head = Buffer.from([0x81, 126, payload.length >> 8, payload.length & 255]);
    } else {
        head = Buffer.alloc(10);
        head.set([0x81, 127]);
        head.writeBigUInt64BE(BigInt(payload.length), 2);
    }
    return Buffer.concat([head, payload]);
}

const publishers = net.createServer((socket) => {
    let id = null;
    eachLine(socket, (line) => {
        if (id === null) {
            id = line.slice('stream '.length);
            return;
        }
        const frame = JSON.parse(line);
        const json = JSON.stringify(frame);
        for (const reader of readersOf(id)) reader(frame, json);
    });
    socket.on('error', () => socket.destroy());
});

const web = http.createServer((request, response) => {
    response.writeHead(200, {'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache'});
    response.flushHeaders();
    subscribe(streamOf(request.url), request.socket,
        (frame, json) => response.write(`id: ${frame.seq}\ndata: ${json}\n\n`));
});
web.on('upgrade', (request, socket) => {
    const accept = crypto.createHash('sha1').update(request.headers['sec-websocket-key'] + WEBSOCKET_GUID).digest('base64');
    socket.setNoDelay(true);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
        + `Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
    subscribe(streamOf(request.url), socket, (frame, json) => socket.write(textMessage(json)));
    socket.resume();
});

const lines = net.createServer((socket) => {
    eachLine(socket, (line) => {
        subscribe(line.slice('stream '.length), socket, (frame, json) => socket.write(json + '\n'));
        socket.write(line + '\n');
    });
});

function listen(server, address) {
    const backlog = 4096;
    if (address.startsWith('unix:')) {
        server.listen({path: address.slice('unix:'.length), backlog});
    } else {
        const [host, port] = address.split(':');
        server.listen({host, port: Number(port), backlog});
    }
}

const option = (name) => process.argv[process.argv.indexOf(name) + 1];
const readers = option('--listen');
listen(publishers, option('--publish'));
listen(readers.startsWith('unix:') ? lines : web, readers);
