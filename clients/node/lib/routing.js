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
  const letters = glob.replace(/[*?]/g, '');
  const source = glob.replace(/\*+/g, '*').replace(/[^A-Za-z0-9_]/gu, (one) => {
    return { '*': '.*', '?': '.' }[one] ?? `\\u{${one.codePointAt(0).toString(16)}}`;
  });
  return {
    regExp: new RegExp(`^${source}$`, 'su'),
    weight: letters === glob ? Infinity : letters.length,
  };
}

/** That of the weightiest pattern that matches; -1 where none does. */
function weigh(patterns, agent) {
  return Math.max(-1, ...patterns.filter(({ regExp }) => regExp.test(agent)).map(({ weight }) => weight));
}
