// One worker for all that the agents of this OpenCode do: sandbox_bash, sandbox_read, sandbox_write and
// sandbox_edit in place of the tools that touch the host.
import {randomBytes} from 'node:crypto';
import {contentScript, insidePath, quote, readScript, TOO_BIG, WRITE_BYTES_MAX, writeScripts} from './script.js';

const REQUIRED = {
    sandbox_bash: ['command'],
    sandbox_read: ['path'],
    sandbox_write: ['path', 'content'],
    sandbox_edit: ['path', 'oldString', 'newString'],
};
/** The kernel takes 128 KiB as one argument of a program. */
const SCRIPT_BYTES_MAX = 120_000;
/** Below what OpenCode would write to a file of the host instead. */
const OUTPUT_CHARS_MAX = 48_000;
const LINES_MAX = 1_900;
const LINE_CHARS_MAX = 2_000;
/** Brig ends a worker that has nothing to do for half an hour. */
const STAY_MS = 10 * 60_000;

export class Sandbox {
    #options;
    #workers;
    #mirror;
    #place;
    #worker = null;
    #queue = Promise.resolve();
    #stay;

    constructor(options, workers, mirror, place) {
        this.#options = options;
        this.#workers = workers;
        this.#mirror = mirror;
        this.#place = place;
        this.#stay = setInterval(
            () => this.#worker?.isOver === false && this.#enqueue(() => this.#run(':').catch(() => {})),
            STAY_MS,
        );
        this.#stay.unref();
    }

    close() {
        clearInterval(this.#stay);
    }

    /** OpenCode takes all arguments of a plugin's tool for required. */
    define(tool, definition) {
        if (REQUIRED[tool] && definition.jsonSchema)
            definition.jsonSchema = {...definition.jsonSchema, required: REQUIRED[tool]};
    }

    /** Calls run one after the other, as messages to the worker do. */
    #enqueue(task) {
        const run = this.#queue.then(task);
        this.#queue = run.catch(() => {});
        return run;
    }

    async #connect(signal) {
        if (this.#worker?.isOver !== false) {
            if (this.#worker) this.#workers.end(this.#worker);
            this.#worker = await this.#workers.start('sandbox', this.#options, signal);
        }
        return this.#worker;
    }

    /** Runs a script behind the wall. @param told gets what it writes, as it comes */
    async #run(script, signal, charsMax = Infinity, told = () => {}) {
        if (Buffer.byteLength(script) > SCRIPT_BYTES_MAX)
            throw new Error(`the command is longer than ${SCRIPT_BYTES_MAX} bytes`);
        const said = {stdout: '', stderr: '', output: '', left: 0};
        const worker = await this.#connect(signal);
        for await (const frame of worker.turn(script, signal)) {
            if (frame.type === 'chunk') {
                said[frame.stream] = (said[frame.stream] + frame.content).slice(0, charsMax);
                said.output += frame.content;
                const over = said.output.length - charsMax;
                if (over > 0) {
                    said.output = said.output.slice(over);
                    said.left += over;
                }
                told(frame.content);
            }
            if (frame.type === 'done') {
                return {...said, exitCode: frame.exit_code ?? frame.exitCode, reason: frame.reason};
            }
        }
    }

    async #done(script, signal) {
        const done = await this.#run(script, signal);
        signal.throwIfAborted();
        if (done.exitCode === TOO_BIG) throw new Error('the file is too big');
        if (done.exitCode !== 0) throw new Error(done.stderr.trim() || `it failed with exit code ${done.exitCode}`);
        return done.stdout;
    }

    #path(given, context) {
        return insidePath(
            given,
            this.#workers.root(this.#options.workspace),
            context.directory ?? this.#place.directory,
        );
    }

    async #bash({command, timeout}, context) {
        await context.ask({permission: 'sandbox_bash', patterns: [command], always: ['*'], metadata: {}});
        const timeoutMs = Math.min(timeout ?? this.#options.timeoutSeconds * 1000, this.#options.timeoutSeconds * 1000);
        return this.#enqueue(async () => {
            const late = AbortSignal.timeout(timeoutMs);
            const script = `cd ${quote(this.#path('.', context))} && eval ${quote(command)}`;
            const done = await this.#run(script, AbortSignal.any([context.abort, late]), OUTPUT_CHARS_MAX, (text) =>
                this.#mirror.show(context.callID, text),
            );
            await this.#mirror.end(context.callID);
            const notes = [
                late.aborted && `it was ended after ${timeoutMs} ms`,
                context.abort.aborted && 'it was aborted',
                done.exitCode !== 0 && `exit code ${done.exitCode}${done.reason ? `, ${done.reason}` : ''}`,
            ];
            return {
                title: command,
                output: [bounded(done), ...notes.filter(Boolean).map((note) => `[${note}]`)].join('\n'),
                metadata: {exit: done.exitCode},
            };
        });
    }

    async #read({path, offset = 1, limit = LINES_MAX}, context) {
        await context.ask({permission: 'sandbox_read', patterns: [path], always: ['*'], metadata: {}});
        const from = Math.max(1, Math.trunc(offset));
        const lines = Math.min(LINES_MAX, Math.max(1, Math.trunc(limit)));
        const file = this.#path(path, context);
        const text = textOf(await this.#enqueue(() => this.#done(readScript(file, from, lines), context.abort)), true);
        let output = '';
        let line = from;
        for (const one of text.replace(/\n$/, '').split('\n')) {
            const next = `${line}: ${one.slice(0, LINE_CHARS_MAX)}\n`;
            if (output.length + next.length > OUTPUT_CHARS_MAX) break;
            output += next;
            line++;
        }
        const isAll = line - from < lines && output.length + LINE_CHARS_MAX < OUTPUT_CHARS_MAX;
        return {
            title: path,
            output: isAll ? output : `${output}[more may follow: go on with offset ${line}]`,
            metadata: {},
        };
    }

    async #store(file, content, signal) {
        if (Buffer.byteLength(content) > WRITE_BYTES_MAX) throw new Error(`more than ${WRITE_BYTES_MAX} bytes`);
        for (const script of writeScripts(file, content, randomBytes(6).toString('hex')))
            await this.#done(script, signal);
    }

    async #write({path, content}, context) {
        await context.ask({permission: 'sandbox_write', patterns: [path], always: ['*'], metadata: {}});
        await this.#enqueue(() => this.#store(this.#path(path, context), content, context.abort));
        return {title: path, output: 'Wrote the file.', metadata: {}};
    }

    async #edit({path, oldString, newString, replaceAll = false}, context) {
        await context.ask({permission: 'sandbox_edit', patterns: [path], always: ['*'], metadata: {}});
        if (oldString === newString) throw new Error('oldString and newString are the same');
        const file = this.#path(path, context);
        const count = await this.#enqueue(async () => {
            const parts = textOf(await this.#done(contentScript(file), context.abort), false).split(oldString);
            if (oldString === '' || parts.length === 1) throw new Error('oldString is not in the file');
            if (parts.length > 2 && !replaceAll)
                throw new Error(
                    `oldString is ${parts.length - 1} times in the file: give more around it, or set replaceAll`,
                );
            await this.#store(file, parts.join(newString), context.abort);
            return parts.length - 1;
        });
        return {title: path, output: `Replaced ${count} of them.`, metadata: {}};
    }

    tools() {
        const text = (description) => ({type: 'string', description});
        const file = text('The file: below the project, or relative to it');
        const wall = 'Runs in a sandbox, which has the project in /workspace and nothing else of this computer.';
        return {
            sandbox_bash: {
                description: `Runs a command with bash, to search, build, test and all else. ${wall}`,
                args: {
                    command: text('The command'),
                    timeout: {
                        type: 'integer',
                        description: `Milliseconds, at most ${this.#options.timeoutSeconds * 1000}`,
                    },
                },
                execute: (args, context) => this.#bash(args, context),
            },
            sandbox_read: {
                description: `Reads a text file, with line numbers, or lists a folder. ${wall}`,
                args: {
                    path: file,
                    offset: {type: 'integer', description: 'First line, from 1'},
                    limit: {type: 'integer', description: 'Number of lines'},
                },
                execute: (args, context) => this.#read(args, context),
            },
            sandbox_write: {
                description: `Writes a text file, with the folders that it needs. ${wall}`,
                args: {path: file, content: text('All of the file')},
                execute: (args, context) => this.#write(args, context),
            },
            sandbox_edit: {
                description: `Replaces a text in a file. ${wall}`,
                args: {
                    path: file,
                    oldString: text('What is there, exactly, without line numbers'),
                    newString: text('What is to be there'),
                    replaceAll: {type: 'boolean', description: 'Replace each of them, not the only one'},
                },
                execute: (args, context) => this.#edit(args, context),
            },
        };
    }
}

/** The end of what was written, which says how it ended. */
function bounded({output, left}) {
    const lines = output.split('\n');
    const shown = lines.slice(-LINES_MAX);
    return left > 0 || shown.length < lines.length ? `[the beginning is left out]\n${shown.join('\n')}` : output;
}

/** @param isCut the last character may be incomplete */
function textOf(encoded, isCut) {
    const bytes = Buffer.from(encoded, 'base64');
    if (bytes.includes(0)) throw new Error('it is a binary file');
    try {
        return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes, {stream: isCut});
    } catch {
        throw new Error('it is a binary file, or not UTF-8');
    }
}
