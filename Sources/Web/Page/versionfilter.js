// @ts-check
// The response to a request may arrive before or after the stream's data, so older data is dropped.

/** @typedef {{life: number, version: number, at_ms: number}} Place */

/** @param {Place} one @param {Place} other */
function isOlder(one, other) {
    return one.life < other.life || (one.life === other.life && one.version < other.version);
}

/** Pauses and extensions change no version.
 *  @param {Place} one @param {Place} other */
function isEarlier(one, other) {
    return one.life === other.life && one.version === other.version && one.at_ms < other.at_ms;
}

export class VersionFilter {
    /** @type {Place|null} */ #newest = null;
    /** @type {Place|null} */ #streamed = null;
    /** The last view of a session that has ended.
     *  @type {Place|null} */ #ended = null;
    #boot = '';

    /** @param {import('./live.js').Live} live */
    constructor(live) {
        this.live = live;
    }

    /** @param {{view: Place|null, answered?: boolean}} data a view of null: there is no such session; `answered`: it is a response */
    accepts({ view, answered = false }) {
        let isAnew = this.#boot !== this.live.boot || view === null;
        if (this.#boot !== this.live.boot) this.#ended = null;
        this.#boot = this.live.boot;
        if (view === null) {
            this.#ended = this.#newest ?? this.#ended;
        } else if (answered && this.#ended && !isOlder(this.#ended, view)) {
            return false;
        }
        if (!answered) {
            // The stream has views in their order: the session's node has failed, and its last changes are lost.
            isAnew ||= this.#streamed !== null && view !== null && isOlder(view, this.#streamed);
            this.#streamed = view;
        }
        if (!isAnew && this.#newest && view && (isOlder(view, this.#newest) || answered && isEarlier(view, this.#newest))) return false;
        this.#newest = view;
        if (view) this.#ended = null;
        return true;
    }
}
