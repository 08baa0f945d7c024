// @ts-check
// The answer to a request may come after the stream has said more, or before it says as much: only what is newer is shown.

export class VersionFilter {
    #life = -1;
    #version = -1;
    #boot = '';

    /** @param {import('./live.js').Live} live */
    constructor(live) {
        this.live = live;
    }

    /** @param {{life: number, version: number}|null} view null: there is no such session */
    accepts(view) {
        const isAnew = this.#boot !== this.live.boot || view === null;
        this.#boot = this.live.boot;
        if (!isAnew && (view.life < this.#life || (view.life === this.#life && view.version < this.#version))) return false;
        this.#life = view?.life ?? -1;
        this.#version = view?.version ?? -1;
        return true;
    }
}
