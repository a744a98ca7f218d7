// What reaches a person who looks elsewhere: a notification of the browser, and a sound, each only for who asked for it.
import {openAsks} from './inbox.js';
import {changed, state, tell} from './store.js';

const STORED = 'brig-notify';
const BEEP = {hertz: 660, seconds: 0.16, loudness: 0.08};
const AT_WORK = new Set(['starting', 'working', 'throttled_by_provider', 'waiting']);

const wanted = read();
let asksBefore = 0;
const doing = new Map(); // by session: what it did

function read() {
    try {
        return {notices: false, sound: false, ...JSON.parse(localStorage.getItem(STORED))};
    } catch {
        return {notices: false, sound: false};
    }
}

function keep() {
    localStorage.setItem(STORED, JSON.stringify(wanted));
    changed();
}

export const notifies = () => wanted.notices && globalThis.Notification?.permission === 'granted';
export const sounds = () => wanted.sound;

/** Turns notifications on or off; the browser asks the person itself. */
export async function toggleNotices() {
    const was = notifies();
    const allowed = was || (await globalThis.Notification?.requestPermission()) === 'granted';
    wanted.notices = !was && allowed;
    tell(
        allowed
            ? `Notifications are ${wanted.notices ? 'on: when an agent asks, and when a session is done' : 'off'}.`
            : 'The browser does not allow notifications here.',
        allowed ? 'info' : 'error',
    );
    keep();
}

export function toggleSound() {
    wanted.sound = !wanted.sound;
    if (wanted.sound) {
        beep();
    }
    tell(`Sound is ${wanted.sound ? 'on' : 'off'}.`);
    keep();
}

/** Looks at what changed since it looked last. */
export function notice() {
    const asks = openAsks();
    if (asks > asksBefore) {
        reach('An agent asks', state.asks.at(-1)?.task_id ?? '', '#/');
    }
    asksBefore = asks;
    for (const {spawn_id: id, task_id: name, activity} of state.sessions) {
        const before = doing.get(id);
        // Between its start and its first turn a session is idle for a moment.
        const isReady = before === 'starting' && activity === 'idle';
        if (AT_WORK.has(before) && !AT_WORK.has(activity) && !isReady) {
            reach(activity === 'failed' ? 'A session failed' : 'A session is done', name, `#/session/${id}`);
        }
        doing.set(id, activity);
    }
    [...doing.keys()]
        .filter((id) => state.sessions.every((one) => one.spawn_id !== id))
        .forEach((id) => doing.delete(id));
}

function reach(title, body, place) {
    if (!document.hidden) {
        return;
    }
    if (notifies()) {
        const shown = new Notification(title, {body, tag: place});
        shown.onclick = () => {
            window.focus();
            location.hash = place;
            shown.close();
        };
    }
    if (wanted.sound) {
        beep();
    }
}

function beep() {
    const audio = new AudioContext();
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = BEEP.hertz;
    volume.gain.value = BEEP.loudness;
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + BEEP.seconds);
    tone.onended = () => audio.close();
}
