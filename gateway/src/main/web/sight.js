// Which tiles a person sees, or nearly: only their sessions are streamed.

const NEAR = '300px';
const seen = new Map(); // the tile that is in sight, by spawn_id
let tell = () => {};

const observer = new IntersectionObserver(handleSight, {rootMargin: NEAR, scrollMargin: NEAR});

/** Says what to do when other tiles are in sight. */
export function whenSeen(act) {
    tell = act;
}

export const isSeen = (id) => seen.has(id);

/** For lit-html's ref of a tile, which has `data-session`. */
export const tileRef = (element) => element && observer.observe(element);

function handleSight(entries) {
    for (const {target, isIntersecting} of entries) {
        const id = target.dataset.session;
        if (isIntersecting) {
            seen.set(id, target);
        } else if (seen.get(id) === target) {
            seen.delete(id);
        }
        if (!target.isConnected) {
            observer.unobserve(target);
        }
    }
    tell();
}
