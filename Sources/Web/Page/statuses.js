// @ts-check
// Combines the statuses that the nodes of a cluster send each second.

/** @typedef {import('./types.js').Status} Status */

export class Statuses {
    /** @type {Map<string, Status>} by node */ #all = new Map();

    /** Returns the combined status for a status of the connected node; null for those of other nodes.
     *  @param {Status} status @returns {Status|null} */
    put(status) {
        if (!status.node) return status;
        this.#all.set(status.node, status);
        const nodes = status.cluster?.nodes;
        if (!nodes) return null;
        for (const name of this.#all.keys()) if (!nodes.some((node) => node.node === name)) this.#all.delete(name);
        return this.#sum(status);
    }

    /** @param {string} name */
    of(name) {
        return this.#all.get(name);
    }

    /** Whether every shard has an owner, and no node is still loading one. */
    get isSettled() {
        const all = [...this.#all.values()].map((each) => each.cluster);
        return all.every((each) => !each?.loading && !each?.unowned);
    }

    /** @param {Status} own @returns {Status} */
    #sum(own) {
        const all = [...this.#all.values()];
        const sum = (/** @type {(status: Status) => number} */ figure) => all.reduce((total, each) => total + figure(each), 0);
        const most = (/** @type {(status: Status) => number} */ figure) => Math.max(...all.map(figure));
        // A token for some sessions gets no counts.
        const counts = own.sessions === undefined ? {}
            : { sessions: sum((each) => each.sessions ?? 0), aside: sum((each) => each.aside ?? 0) };
        return { ...own, ...counts,
            events_per_s: sum((each) => each.events_per_s), refused_per_s: sum((each) => each.refused_per_s),
            lateness_p99_ms: most((each) => each.lateness_p99_ms), lateness_max_ms: most((each) => each.lateness_max_ms),
            trouble: own.trouble ?? all.find((each) => each.trouble)?.trouble ?? null };
    }
}
