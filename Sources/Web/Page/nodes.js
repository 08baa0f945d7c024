// @ts-check
// The other nodes of a cluster, as the node that is asked hears them, and the sessions that nobody tells of at the moment.

/** @typedef {import('./types.js').OtherNode} OtherNode */

export class Nodes {
    /** This node; nothing where it has no others beside it. */ me = '';
    /** @type {OtherNode[]} */ others = [];
    /** @type {Map<string, string>} why a session is not told of */ #away = new Map();
    /** @type {Set<() => void>} */ #watchers = new Set();

    /** A stream begins: what is away is told anew.
     *  @param {string} [me] */
    begin(me = '') {
        this.me = me;
        this.#away.clear();
        this.#tell();
    }

    /** @param {OtherNode[]} others */
    hear(others) {
        this.others = others;
        this.#tell();
    }

    /** @param {string} session @param {string|null} reason */
    hearAway(session, reason) {
        if (reason === null) this.#away.delete(session);
        else this.#away.set(session, reason);
        this.#tell();
    }

    /** @param {string} session @returns {string} why it is not told of; nothing if it is */
    whyAway(session) {
        return this.#away.get(session) ?? '';
    }

    /** What is wrong with a node; nothing if it is heard, or may be soon.
     *  @param {OtherNode} node @returns {string} */
    trouble({ heard, reason, state }) {
        if (!heard) return reason ?? '';
        return state === 'silent' ? 'it did not renew its lease' : '';
    }

    /** @param {() => void} watcher */
    watch(watcher) {
        this.#watchers.add(watcher);
        return () => this.#watchers.delete(watcher);
    }

    #tell() {
        for (const watcher of [...this.#watchers]) watcher();
    }
}
