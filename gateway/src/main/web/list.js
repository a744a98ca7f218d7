// A list of any length of which only what is in sight is in the document, on @tanstack/virtual-core. Rows are
// in normal flow inside one block that is moved, and each is measured, so they may have any height.
import {html, repeat, ref} from './vendor/lit.js';
import {Virtualizer, elementScroll, observeElementOffset, observeElementRect} from './vendor/virtual.js';
import {changed} from './store.js';

const ROW_PX = 20; // what a row is thought to have before it was measured
const NEAR_END_PX = 40;
const HAND_MS = 700; // for so long a list goes on moving by what a hand did
const DRAG_MS = 10_000; // nobody tells the end of a pull at the scroll bar
const UP_KEYS = ['Home', 'PageUp', 'ArrowUp'];
const USES = ['wheel', 'touchmove', 'pointerdown', 'keydown'];

function isUpwards({type, key, shiftKey, deltaY, target}) {
    return type === 'wheel'
        ? deltaY < 0
        : type === 'keydown' &&
              !target.closest('input, textarea, select') &&
              (UP_KEYS.includes(key) || (key === ' ' && shiftKey));
}

export class VirtualList {
    /** Whether the newest row is kept in sight. */
    follow = true;
    #rows = [];
    #element = null;
    #virtualizer;
    #stop = () => {};
    #usedMs = -Infinity;

    constructor() {
        this.#virtualizer = new Virtualizer(this.#options());
        // Rows above what is in sight may get another size without moving it; one in sight that a person opens grows
        // downwards. While the end is followed it is the end that stays in place.
        this.#virtualizer.shouldAdjustScrollPositionOnItemSizeChange = (item) =>
            !this.follow && item.end <= (this.#element?.scrollTop ?? 0);
    }

    #options() {
        return {
            count: this.#rows.length,
            getScrollElement: () => this.#element,
            getItemKey: (index) => this.#rows[index]?.key ?? index,
            estimateSize: () => ROW_PX,
            scrollToFn: elementScroll,
            observeElementRect,
            observeElementOffset,
            overscan: 8,
            onChange: () => changed(),
        };
    }

    /** Takes the rows that there are now. */
    show(rows) {
        this.#rows = rows;
        this.#virtualizer.setOptions(this.#options());
        this.#virtualizer._willUpdate();
    }

    get isShown() {
        return this.#element !== null;
    }

    scrollTo(index, align = 'center') {
        this.follow = false;
        this.#virtualizer.scrollToIndex(index, {align});
    }

    /** The first row that is in sight. */
    inSight() {
        const top = this.#element?.scrollTop ?? 0;
        const item = this.#virtualizer.getVirtualItems().find((one) => one.end > top);
        return this.#rows[item?.index];
    }

    scrollBy(pixels) {
        this.#element?.scrollBy({top: pixels});
    }

    toTop() {
        this.follow = false;
        this.#element?.scrollTo({top: 0});
    }

    followEnd() {
        this.follow = true;
        changed();
    }

    // One function for all rows: lit-html calls it when an element comes or goes, and not at each drawing.
    #measure = (element) => this.#virtualizer.measureElement(element ?? null);

    #attach = (element) => {
        if (element === (this.#element ?? undefined)) {
            return;
        }
        this.#stop();
        this.#element = element ?? null;
        if (element) {
            const handleScroll = () => this.#handleScroll();
            const handleUse = (event) => {
                this.#usedMs = performance.now() + (event.type === 'pointerdown' ? DRAG_MS : 0);
                // The list moves only after that, and what is drawn in between would take it back to the end.
                if (this.follow && element.scrollTop > 0 && isUpwards(event)) {
                    this.follow = false;
                    changed();
                }
            };
            element.addEventListener('scroll', handleScroll, {passive: true});
            USES.forEach((name) => element.addEventListener(name, handleUse, {passive: true}));
            const unmount = this.#virtualizer._didMount();
            this.#stop = () => {
                element.removeEventListener('scroll', handleScroll);
                USES.forEach((name) => element.removeEventListener(name, handleUse));
                unmount();
            };
            this.#virtualizer._willUpdate();
            changed();
        }
    };

    /**
     * Who scrolls up wants to read, who scrolls to the end wants to follow. That the list moves because rows came or were
     * measured says nothing: only what follows a person's hand counts.
     */
    #handleScroll() {
        const {scrollTop, scrollHeight, clientHeight} = this.#element;
        const atEnd = scrollHeight - clientHeight - scrollTop < NEAR_END_PX;
        const byHand = performance.now() - this.#usedMs < HAND_MS;
        if (byHand && atEnd !== this.follow) {
            this.follow = atEnd;
            changed();
        }
    }

    /** The part that is in sight. */
    template(label, row) {
        const items = this.#virtualizer.getVirtualItems();
        return html`<div class="log" role="log" aria-live="off" aria-label=${label}
            tabindex="0" ${ref(this.#attach)}>
            <div class="all"><div class="shown">${repeat(
                items,
                (item) => item.key,
                (item) => html`
                <div class="row"
                    data-index=${item.index} ${ref(this.#measure)}>${row(this.#rows[item.index], item.index)}</div>`,
            )}
            </div></div></div>`;
    }

    /** After drawing: where the block stands, how high all is, and the end where that is followed. */
    place() {
        const element = this.#element;
        if (!element?.isConnected) {
            return;
        }
        const [all] = element.children;
        const [shown] = all.children;
        const first = this.#virtualizer.getVirtualItems()[0];
        const height = `${this.#virtualizer.getTotalSize()}px`;
        const moved = `translateY(${first ? first.start : 0}px)`;
        if (all.style.height !== height) {
            all.style.height = height;
        }
        if (shown.style.transform !== moved) {
            shown.style.transform = moved;
        }
        if (this.follow) {
            element.scrollTop = element.scrollHeight;
        }
    }
}
