// What a captain says to the session: one message is one task for the agent. Arrow up brings back what was
// said before.
import {html, live, nothing} from './vendor/lit.js';
import {isOffline, post, Refusal} from './api.js';
import {plural} from './format.js';
import {changed, isNarrow, tell} from './store.js';
import {viewing} from './viewing.js';

/** Sends a message. @return whether it was accepted */
export async function say(id, model, content, takeControl = false) {
    const {draft} = viewing(id);
    const message = `page-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
    try {
        model.sent(message);
        await post(`sessions/${id}/input`, {
            content,
            message_id: message,
            client: 'page',
            ...(takeControl && {take_control: true}),
        });
        draft.held = false;
        return true;
    } catch (failure) {
        model.waiting.delete(message);
        draft.held = failure.code === 'CONTROL_HELD';
        tell(
            failure instanceof Refusal ? failure.message : 'The gateway does not answer; the message was not sent.',
            'error',
        );
        return false;
    } finally {
        changed();
    }
}

const take = (send) => html`<button type="button" @click=${() => send(true)}
    title="Another captain has control">Take control and send</button>`;

const waits = (number) =>
    number ? html`<span class="dim" role="status">${plural(number, 'message waits', 'messages wait')}</span>` : nothing;

export function composer(view, model, look) {
    const id = view.spawn_id;
    const {draft} = look;
    if (view.ended_ms || model.over) {
        return nothing;
    }
    const send = async (takeControl) => {
        const text = draft.text.trim();
        if (text && !isOffline() && (await say(id, model, text, takeControl))) {
            draft.said.push(text);
            draft.place = draft.said.length;
            draft.text = '';
            look.travel(null);
            look.list.followEnd();
        }
    };
    const recall = (event, by) => {
        const next = draft.place + by;
        if (
            next >= 0 &&
            next <= draft.said.length &&
            !event.target.value.slice(0, event.target.selectionStart).includes('\n')
        ) {
            event.preventDefault();
            draft.place = next;
            draft.text = draft.said[next] ?? '';
            changed();
        }
    };
    const handleKey = (event) => {
        if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            send(false);
        } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
            recall(event, event.key === 'ArrowUp' ? -1 : 1);
        }
    };
    return html`<form class="composer" @submit=${(event) => {
        event.preventDefault();
        send(false);
    }}>
        <textarea rows="1" aria-label="Message to the session"
            placeholder=${isNarrow() ? 'Message…' : 'Message… (Enter sends, Shift+Enter is a new line)'} .value=${live(draft.text)}
            @input=${(event) => {
                draft.text = event.target.value;
            }} @keydown=${handleKey}></textarea>
        ${waits(model.waiting.size)}
        ${draft.held ? take(send) : nothing}
        <button class="primary" type="submit" ?disabled=${isOffline()}
            title=${isOffline() ? 'The gateway is not reached now' : ''}>Send</button></form>`;
}
