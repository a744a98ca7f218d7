import {BrigError} from './errors.js';

const LF = 0x0a;

/** Cuts a connection's bytes into the JSON objects of its lines, however they were split on their way. */
export class LineReader {
    #bytesMax;
    /** Pieces of the line that is not complete yet. */
    #pieces = [];
    #bytes = 0;

    /** @param {number} bytesMax of a line, with its end */
    constructor(bytesMax) {
        this.#bytesMax = bytesMax;
    }

    /**
     * The objects that are complete with this piece, each with the length of its line.
     *
     * @param {Buffer} piece
     * @returns {Generator<[object: Record<string, unknown>, bytes: number]>}
     * @throws {BrigError} PROTOCOL_VIOLATION
     */
    *read(piece) {
        let from = 0;
        for (let end = piece.indexOf(LF); end >= 0; end = piece.indexOf(LF, from)) {
            this.#keep(piece.subarray(from, end + 1));
            from = end + 1;
            const line = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
            this.#pieces = [];
            this.#bytes = 0;
            const text = decode(line);
            if (text !== '') {
                yield [parse(text), line.length];
            }
        }
        this.#keep(piece.subarray(from));
    }

    #keep(piece) {
        this.#bytes += piece.length;
        if (this.#bytes > this.#bytesMax) {
            throw violation(`a line of more than ${this.#bytesMax} bytes`);
        }
        if (piece.length > 0) {
            this.#pieces.push(piece);
        }
    }
}

function decode(line) {
    try {
        return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(line).replace(/\r?\n$/, '');
    } catch (cause) {
        throw violation('a line that is not UTF-8', cause);
    }
}

function parse(text) {
    let value;
    try {
        value = JSON.parse(text);
    } catch (cause) {
        throw violation('a line that is not JSON', cause);
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
        throw violation('a line that is no JSON object');
    }
    return value;
}

function violation(what, cause) {
    return new BrigError('PROTOCOL_VIOLATION', `Brig sent ${what}`, {cause});
}
