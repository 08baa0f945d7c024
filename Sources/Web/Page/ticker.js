// @ts-check
// One timeout for all figures: each returns when it changes next, and nothing is drawn in between.

const GAP_MS = 40;

/** @typedef {(now: number) => number} Tick  draws, and returns in how many ms it changes next (Infinity: never) */

export class Ticker {
    /** @type {Map<Tick, number>} when each is due */ #due = new Map();
    /** @type {any} */ #timeout = 0;
    #next = Infinity;
    /** Whether time passes by itself; false in virtual time. */ passes = true;

    constructor() {
        // A tab in the background does not know whether a time still runs, so that no figure in its title may.
        document.addEventListener('asleep', () => this.#plan(Infinity));
        document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#run(true); });
    }

    /** Draws now, and from now on whenever it changes. Adding it again draws it again.
     *  @param {Tick} tick */
    add(tick) {
        const now = performance.now();
        const due = now + tick(now);
        this.#due.set(tick, due);
        if (due < this.#next) this.#plan(due, now);
    }

    /** @param {Tick} tick */
    remove(tick) {
        this.#due.delete(tick);
    }

    /** @param {number} due @param {number} [now] */
    #plan(due, now = 0) {
        clearTimeout(this.#timeout);
        this.#next = due;
        if (due < Infinity) this.#timeout = setTimeout(() => this.#run(false), Math.max(GAP_MS, due - now));
    }

    /** @param {boolean} all also those that are not due */
    #run(all) {
        const now = performance.now();
        let next = Infinity;
        for (const [tick, due] of this.#due) {
            const then = all || due <= now + 4 ? now + tick(now) : due;
            this.#due.set(tick, then);
            next = Math.min(next, then);
        }
        this.#plan(next, now);
    }
}
