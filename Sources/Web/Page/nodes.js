// @ts-check
// The other nodes of a cluster, as the connected node sees them, and the sessions without a reporting node.

/** @typedef {import('./types.js').OtherNode} OtherNode */

export class Nodes {
    /** This node; empty without other nodes. */ me = '';
    /** @type {OtherNode[]} */ others = [];
    /** @type {Map<string, string>} why a session is not reported */ #away = new Map();
    /** @type {Set<() => void>} */ #watchers = new Set();

    /** Resets the state at the start of a stream, which reports missing sessions again.
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

    /** @param {string} session @returns {string} why it is not reported; empty if it is */
    whyAway(session) {
        return this.#away.get(session) ?? '';
    }

    /** The problem of a node; empty if it is reachable, or may be soon.
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
