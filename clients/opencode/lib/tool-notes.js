// A worker's tool calls as a person reads them beside its words: what is run or opened, then what it wrote,
// up to a bound.
const OUTPUT_CHARACTERS_MAX = 4000;
const INPUT_CHARACTERS_MAX = 1000;
const CALLS_MAX = 1000;
const COMMANDS = ['command', 'cmd'];
const SUBJECTS = ['filePath', 'file_path', 'path', 'pattern', 'url', 'query'];

function first(input, names) {
    for (const name of names) {
        const value = Array.isArray(input?.[name]) ? input[name].join(' ') : input?.[name];
        if (typeof value === 'string' && value !== '') return value.slice(0, INPUT_CHARACTERS_MAX);
    }
    return '';
}

function beginning(name, {input, title}) {
    const command = first(input, COMMANDS);
    if (command) return `\n$ ${command}\n`;
    const subject = first(input, SUBJECTS);
    return `\n[${subject ? `${name} ${subject}` : (title ?? name)}]\n`;
}

/** The calls of one turn. */
export class ToolNotes {
    #calls = new Map();

    #call(id) {
        if (!this.#calls.has(id)) {
            if (this.#calls.size >= CALLS_MAX) this.#calls.delete(this.#calls.keys().next().value);
            this.#calls.set(id, {name: '', begun: false, told: 0, live: false});
        }
        return this.#calls.get(id);
    }

    #bounded(call, text) {
        const room = OUTPUT_CHARACTERS_MAX - call.told;
        call.told = Math.min(OUTPUT_CHARACTERS_MAX + 1, call.told + text.length);
        return text.length <= room ? text : room < 0 ? '' : `${text.slice(0, room)}\n[…]\n`;
    }

    /** What a frame {@code tool} has to tell; empty for nothing new. */
    note(frame) {
        const call = this.#call(frame.id);
        call.name = frame.name ?? call.name;
        let note = '';
        if (!call.begun && (frame.input || (frame.name && frame.status === 'running'))) {
            call.begun = true;
            note += beginning(call.name, frame);
        }
        if (!call.live && frame.output)
            note += this.#bounded(call, frame.output) + (frame.output.endsWith('\n') || frame.more ? '' : '\n');
        if (frame.status === 'failed' && !frame.more) note += `\n[${call.name || 'tool'} failed]\n`;
        return note;
    }

    /** More of what a call writes while it runs, as far as it is told. */
    output(id, content) {
        const call = this.#call(id);
        call.live = true;
        return this.#bounded(call, content);
    }
}
