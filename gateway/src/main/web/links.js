// Addresses of the page, for the clipboard. They have no secret: they are for who is signed in.
import {tell} from './store.js';

/** Copies a text, and says so or why not. */
export const copy = (text, done) =>
    navigator.clipboard.writeText(text).then(
        () => tell(done),
        () => tell('The browser does not allow copying here.', 'error'),
    );

/** Copies the address of a place of the page. */
export const copyLink = (fragment) =>
    copy(
        location.origin + location.pathname + fragment,
        'Link copied. It is for those who are signed in; Share… makes one for anybody.',
    );
