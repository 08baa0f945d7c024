// @ts-check
// A sandbox as the daemon keeps it: begun, asked for actions, and let go. What it answers is the whole of it, each time.
import { path } from './api.js';

/** @typedef {import('./types.js').Sandbox} Box */

const WALK_MS = 120;

export class SandboxClient {
    /** @type {Box|null} */ #box = null;
    #stopped = false;
    #waits = false;
    /** The parameters that it was begun with. @type {any} */ context = undefined;

    /** @param {import('./types.js').Context} page @param {string} flow @param {(box: Box) => void} show */
    constructor(page, flow, show) {
        this.page = page;
        this.flow = flow;
        this.show = show;
    }

    /** After a reload the same sandbox goes on, as long as the daemon has it. */
    async begin() {
        const known = history.state?.sandbox;
        const box = known && await this.page.api.get(path('api', 'sandboxes', known)).catch(() => null);
        if (box?.flow === this.flow) this.#apply(box);
        else await this.#create();
    }

    async #create() {
        const box = await this.page.api.post('/api/sandboxes', { flow: this.flow, ...(this.context ? { context: this.context } : {}) });
        if (this.#stopped) return this.#discard(box.id);
        history.replaceState({ sandbox: box.id }, '');
        this.#apply(box);
    }

    /** Few sandboxes are kept at once: one that the daemon has let go is begun anew.
     *  @param {string} action @param {any} body */
    async do(action, body) {
        if (!this.#box) return;
        if (action !== 'time') await this.#arrived();
        const { id } = this.#box;
        try {
            this.#apply(await this.page.api.post(path('api', 'sandboxes', id, action), body));
        } catch (error) {
            if (this.#box.id !== id) return;        // it has begun anew meanwhile
            if (await this.#again()) throw error;
            await this.#create();
            this.page.notices.say('The sandbox was closed, and starts again');
        }
    }

    /** @param {any} context */
    async restart(context) {
        this.context = context;
        await this.do('restart', context ? { context } : {});
    }

    /** @param {Box} box */
    #apply(box) {
        if (this.#stopped) return;
        this.#box = box;
        this.show(box);
        if (box.under_way && !this.#waits) {
            this.#waits = true;
            this.#arrived().finally(() => { this.#waits = false; });
        }
    }

    /** A long way is walked in pieces: asks until it is done. */
    async #arrived() {
        while (this.#box?.under_way && !this.#stopped) {
            await new Promise((resolve) => setTimeout(resolve, WALK_MS));
            if (!await this.#again()) return;
        }
    }

    /** As it is now: a refusal is a line of its log. Says whether it is still there. */
    async #again() {
        const id = /** @type {Box} */ (this.#box).id;
        try {
            this.#apply(await this.page.api.get(path('api', 'sandboxes', id)));
            return true;
        } catch (error) {
            return /** @type {any} */ (error).status !== 404;
        }
    }

    /** @param {string} id */
    #discard(id) {
        this.page.api.delete(path('api', 'sandboxes', id)).catch(() => {});
    }

    stop() {
        this.#stopped = true;
        if (this.#box) this.#discard(this.#box.id);
    }
}
