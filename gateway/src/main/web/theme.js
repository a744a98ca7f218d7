// Dark or light: as the system has it, or as the person chose.
import {changed} from './store.js';

const STORED = 'brig-colours';
const NEXT = {auto: 'dark', dark: 'light', light: 'auto'};

export const theme = () => document.documentElement.dataset.theme ?? 'auto';

function set(name) {
    if (name === 'auto') {
        delete document.documentElement.dataset.theme;
        localStorage.removeItem(STORED);
    } else {
        document.documentElement.dataset.theme = name;
        localStorage.setItem(STORED, name);
    }
}

export function nextTheme() {
    set(NEXT[theme()]);
    changed();
}

set(NEXT[localStorage.getItem(STORED)] ? localStorage.getItem(STORED) : 'auto');
