// Shows what a tool call says while it runs. OpenCode's own ctx.metadata() does nothing for plugins (1.18),
// so the part of the call is written over the API, as an editor of the conversation would.
const PAUSE_MS = 250;
const CHARS_MAX = 8_000;

export class Mirror {
    #client;
    /** Parts of calls that run, by what shows in them: a child session, or the call itself. */
    #parts = new Map();
    #texts = new Map();

    constructor(client) {
        this.#client = client;
    }

    handleEvent(event) {
        const part = event.type === 'message.part.updated' ? event.properties.part : undefined;
        if (part?.type !== 'tool') return;
        const key =
            part.tool === 'task'
                ? part.state.metadata?.sessionId
                : part.tool.startsWith('sandbox_')
                  ? part.callID
                  : undefined;
        if (key === undefined) return;
        if (part.state.status === 'running') this.#parts.set(key, part);
        else this.#parts.delete(key);
    }

    /** More was said. The newest of it is shown, a few times a second. */
    show(key, text) {
        const shown = this.#texts.get(key) ?? {text: '', timer: null, writing: Promise.resolve()};
        this.#texts.set(key, shown);
        shown.text = (shown.text + text).slice(-CHARS_MAX);
        shown.timer ??= setTimeout(() => {
            shown.timer = null;
            shown.writing = shown.writing.then(() => this.#write(key, shown.text));
        }, PAUSE_MS);
    }

    async #write(key, output) {
        const part = this.#parts.get(key);
        if (!part || !this.#client._client) return;
        const metadata = {...part.state.metadata, output};
        await this.#client._client
            .patch({
                url: '/session/{sessionID}/message/{messageID}/part/{partID}',
                path: {sessionID: part.sessionID, messageID: part.messageID, partID: part.id},
                body: {...part, state: {...part.state, metadata}},
                headers: {'Content-Type': 'application/json'},
            })
            .catch(() => {});
    }

    /**
     * The call is about to end: completes when nothing of this is on its way any more, which would undo the
     * end.
     */
    async end(key) {
        const shown = this.#texts.get(key);
        if (!shown) return;
        this.#texts.delete(key);
        clearTimeout(shown.timer);
        await shown.writing;
        this.#parts.delete(key);
    }
}
