// @ts-check
// Combines the statuses that the nodes of a cluster send each second.

/** @typedef {import('./types.js').Status} Status */
/** @typedef {import('./types.js').Next} Next */

const NEXT_AT_MOST = 8;

export class Statuses {
    /** @type {Map<string, {status: Status, at: number}>} by node */ #all = new Map();

    /** Returns the combined status for a status of the connected node; null for those of other nodes.
     *  @param {Status} status @param {number} at @returns {Status|null} */
    put(status, at) {
        if (!status.node) return status;
        this.#all.set(status.node, { status, at });
        const nodes = status.cluster?.nodes;
        if (!nodes) return null;
        for (const name of this.#all.keys()) if (!nodes.some((node) => node.node === name)) this.#all.delete(name);
        return this.#sum(status, at);
    }

    /** @param {string} name */
    of(name) {
        return this.#all.get(name)?.status;
    }

    /** Whether every shard has an owner, and no node is still loading one. */
    get isSettled() {
        const all = [...this.#all.values()].map((each) => each.status.cluster);
        return all.every((each) => !each?.loading && !each?.unowned);
    }

    /** @param {Status} own @param {number} at @returns {Status} */
    #sum(own, at) {
        const all = [...this.#all.values()].map((each) => each.status);
        const sum = (/** @type {(status: Status) => number} */ figure) => all.reduce((total, each) => total + figure(each), 0);
        const most = (/** @type {(status: Status) => number} */ figure) => Math.max(...all.map(figure));
        // A token for some sessions gets no counts.
        const counts = own.sessions === undefined ? {}
            : { sessions: sum((each) => each.sessions ?? 0), aside: sum((each) => each.aside ?? 0) };
        return { ...own, ...counts,
            events_per_s: sum((each) => each.events_per_s), refused_per_s: sum((each) => each.refused_per_s),
            lateness_p99_ms: most((each) => each.lateness_p99_ms), lateness_max_ms: most((each) => each.lateness_max_ms),
            trouble: own.trouble ?? all.find((each) => each.trouble)?.trouble ?? null, next: this.#next(at) };
    }

    /** The next timers, with remaining times corrected by the age of each status.
     *  @param {number} now @returns {Next[]} */
    #next(now) {
        const all = [...this.#all.values()].flatMap(({ status, at }) => (status.next ?? []).map((next) => (
            { ...next, remaining_ms: Math.max(0, next.remaining_ms - (now - at)) })));
        return all.sort((a, b) => a.remaining_ms - b.remaining_ms).slice(0, NEXT_AT_MOST);
    }
}
