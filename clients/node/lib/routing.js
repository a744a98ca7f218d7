/**
 * Which agents go behind the wall. Of the names and globs (`*`, `?`) of both lists the one that says most about a name
 * decides: the name itself, else the glob with more letters in it. Where both say as much, the wall wins.
 */
export class Routing {
    #remote;
    #local;

    /**
     * @param {readonly string[]} remoteAgents
     * @param {readonly string[]} localAgents
     */
    constructor(remoteAgents, localAgents) {
        this.#remote = remoteAgents.map(toPattern);
        this.#local = localAgents.map(toPattern);
    }

    /** @param {string} agent */
    isRemote(agent) {
        const remote = weigh(this.#remote, agent);
        return remote >= 0 && remote >= weigh(this.#local, agent);
    }
}

function toPattern(glob) {
    if (typeof glob !== 'string') {
        throw new TypeError('remoteAgents and localAgents are lists of names');
    }
    const letters = glob.replace(/[*?]/g, '').length;
    return {glob, weight: letters === glob.length ? Infinity : letters};
}

/** That of the weightiest pattern that matches; -1 where none does. */
function weigh(patterns, agent) {
    return Math.max(-1, ...patterns.filter(({glob}) => matches(glob, agent)).map(({weight}) => weight));
}

/** Goes back to the last star only, so that no pattern makes it slow: agents' names come from models. */
function matches(glob, name) {
    let at = 0;
    let star = -1;
    let behindStar = 0;
    for (let i = 0; i < name.length;) {
        if (glob[at] === '*') {
            star = at++;
            behindStar = i;
        } else if (at < glob.length && (glob[at] === '?' || glob[at] === name[i])) {
            at++;
            i++;
        } else if (star >= 0) {
            at = star + 1;
            i = ++behindStar;
        } else {
            return false;
        }
    }
    return glob.slice(at).replaceAll('*', '') === '';
}
