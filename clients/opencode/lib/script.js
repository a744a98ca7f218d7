// What runs inside the wall for each sandbox tool: bash, which reads names and contents only as quoted
// words. What a path means is for the wall to say: nothing here decides what is outside.
import path from 'node:path';

/** Base64 of one message: the kernel takes 128 KiB as one argument of a program. */
const PIECE_CHARS = 96 * 1024;
export const READ_BYTES_MAX = 256 * 1024;
export const EDIT_BYTES_MAX = 1024 * 1024;
export const WRITE_BYTES_MAX = 4 * 1024 * 1024;
const NO_FILE = 66;
export const TOO_BIG = 67;

/** A word of bash that means exactly that text. */
export function quote(text) {
    if (text.includes('\0')) throw new Error('a path or command cannot hold a NUL byte');
    return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Where a path of the session is inside the wall.
 *
 * @param root the folder of the host that is /workspace inside; null for none
 * @param directory that of the session, which relative paths count from
 */
export function insidePath(given, root, directory) {
    const below = (folder) => {
        const relative = root === null ? '' : path.relative(root, folder);
        return relative === ''
            ? '/workspace'
            : relative === '..' || relative.startsWith('../')
              ? null
              : `/workspace/${relative}`;
    };
    if (!path.isAbsolute(given)) return `${below(directory) ?? '/workspace'}/${given}`;
    if (root !== null && (given === root || given.startsWith(`${root}/`)))
        return `/workspace${given.slice(root.length)}`;
    return given;
}

const refuse = (test, why) => `${test} && { echo '${why}' >&2; exit ${NO_FILE}; }; `;
const requireThere = (file) => `f=${quote(file)}; ${refuse('[ ! -e "$f" ]', 'no such file')}`;
const requireReadable = (file) => requireThere(file) + refuse('[ ! -r "$f" ]', 'permission denied');
const requireFile = (file) => requireReadable(file) + refuse('[ ! -f "$f" ]', 'not a file');

/** Lines of a file as base64, or the names in a folder. */
export function readScript(file, offset, limit) {
    const folder = `if [ -d "$f" ]; then ls -1Ap -- "$f" | head -c ${READ_BYTES_MAX} | base64 -w0; exit; fi; `;
    return (
        requireReadable(file) +
        folder +
        requireFile(file) +
        `tail -n +${offset} -- "$f" | head -n ${limit} | head -c ${READ_BYTES_MAX} | base64 -w0`
    );
}

/** A whole file as base64. */
export function contentScript(file) {
    const requireSmall = `[ "$(stat -Lc %s -- "$f")" -le ${EDIT_BYTES_MAX} ] || exit ${TOO_BIG}; `;
    return `${requireFile(file)}${requireSmall}base64 -w0 -- "$f"`;
}

/**
 * The messages that write a file, one after the other. What does not fit into one goes beside the file
 * first, and then into it: links are followed as they lie inside the wall, and the file keeps its
 * permissions.
 */
export function writeScripts(file, content, random) {
    const encoded = Buffer.from(content, 'utf8').toString('base64');
    const into = `f=${quote(file)}; d=$(dirname -- "$f") || exit; mkdir -p -- "$d" && `;
    if (encoded.length <= PIECE_CHARS) return [`${into}printf %s ${quote(encoded)} | base64 -d > "$f"`];
    const scripts = [];
    const beside = `${into}t="$d"/.brig-${random} && `;
    for (let i = 0; i < encoded.length; i += PIECE_CHARS) {
        scripts.push(`${beside}printf %s ${quote(encoded.slice(i, i + PIECE_CHARS))} | base64 -d >> "$t"`);
    }
    scripts.push(`${beside}cat -- "$t" > "$f"; s=$?; rm -f -- "$t"; exit $s`);
    return scripts;
}
