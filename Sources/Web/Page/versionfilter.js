// @ts-check
// The response to a request may arrive before or after the stream's data of the same version, so older data is dropped.

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
