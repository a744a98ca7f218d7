// What the page shows, in one object, and one function that says it changed. The whole page is drawn from it,
// at most once per animation frame; lit-html touches only what differs.

export const state = {
    me: null, // who is signed in: {key, role, captain, spawn_id?, expires_ms}
    why: '', // why nobody is
    issuer: null, // by which people may sign in: {label, url}
    link: {state: 'connecting', retryMs: 0}, // the stream connection: connecting, live, lost
    asks: [], // what agents ask, as the gateway tells it; see inbox.js
    sessions: [], // views, newest first; see sessions.js
    ended: [],
    moreEnded: false,
    status: null, // the gateway's, for admins
    agents: {agents: [], policies: []},
    hosts: [], // other hosts, for who may start sessions
    route: {session: null, costs: false, tab: 'stream', frame: null, find: ''},
    dialog: null, // inbox, start, fork, help, share, confirm, palette
    opened: 0, // how many times one was opened or closed
    asked: null, // what a person has to confirm: {what, names?, verb, act}
    notice: null, // a line about the newest thing that failed or succeeded
    nowMs: Date.now(),
};

const FRAME_MS_MAX = 2000;
let draw = () => {};
let due = false;
let dueMs = 0;

/** Says what draws the page. */
export function drawWith(render) {
    draw = render;
}

/**
 * The state changed: the page is drawn at the next animation frame. Where nobody sees the page there is none; a browser may also
 * stop them without saying that the page is hidden, and its title is seen still.
 */
export function changed() {
    if (!due) {
        due = true;
        dueMs = performance.now();
        (document.hidden ? setTimeout : requestAnimationFrame)(drawDue);
    } else if (performance.now() - dueMs > FRAME_MS_MAX) {
        dueMs = performance.now();
        setTimeout(drawDue);
    }
}

function drawDue() {
    if (due) {
        due = false;
        draw();
    }
}

document.addEventListener('visibilitychange', () => {
    due = false;
    changed();
});

/** The same at once: what is typed next goes to what appears now. */
export function changedNow() {
    draw();
}

const narrow = matchMedia('(max-width: 900px)');
narrow.addEventListener('change', changed);

/** Whether the window is as narrow as a phone's. */
export const isNarrow = () => narrow.matches;

let noticeEnd = 0;

/** Tells the person something for some seconds: a text, or what makes the one that is true now. */
export function tell(text, kind = 'info') {
    state.notice = {text, kind};
    clearTimeout(noticeEnd);
    noticeEnd = setTimeout(() => {
        state.notice = null;
        changed();
    }, 8000);
    changed();
}

/** Shows a dialogue; null closes the one that is shown. */
export function open(dialog) {
    state.dialog = dialog;
    state.opened++;
    changed();
}

/** Does something that cannot be taken back, if the person says so once more. */
export function confirmFirst(asked) {
    state.asked = asked;
    open('confirm');
}

/** For lit-html's ref, which is called before the element is in the document. */
export const whenShown = (act) => (element) => element && queueMicrotask(() => element.isConnected && act(element));
