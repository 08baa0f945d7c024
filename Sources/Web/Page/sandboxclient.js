// @ts-check
// A sandbox in the daemon: created, sent actions, and released. Each response contains its whole state.
import { path } from './api.js';

/** @typedef {import('./types.js').Sandbox} Box */

const WALK_MS = 120;

export class SandboxClient {
    /** @type {Box|null} */ #box = null;
    #stopped = false;
    #waits = false;
    /** @type {Promise<void>|null} */ #creating = null;
    /** The parameters of its creation. @type {any} */ context = undefined;

    /** @param {import('./types.js').Context} page @param {string} flow @param {(box: Box) => void} show */
    constructor(page, flow, show) {
        this.page = page;
        this.flow = flow;
        this.show = show;
    }

    /** After a page reload the same sandbox continues while the daemon has it. */
    async begin() {
        const known = history.state?.sandbox;
        this.context = history.state?.context;
        const box = known && await this.page.api.get(path('api', 'sandboxes', known)).catch(() => null);
        if (box?.flow === this.flow) this.#apply(box);
        else await this.#create();
    }

    /** Several refused actions create one. */
    #create() {
        this.#creating ??= this.#make().finally(() => { this.#creating = null; });
        return this.#creating;
    }

    async #make() {
        const box = await this.page.api.post('/api/sandboxes', { flow: this.flow, ...(this.context ? { context: this.context } : {}) });
        if (this.#stopped) return this.#discard(box.id);
        this.#remember(box.id);
        this.#apply(box);
    }

    /** For a reload of the page. @param {string} id */
    #remember(id) {
        history.replaceState({ sandbox: id, context: this.context }, '');
    }

    /** The daemon keeps few sandboxes; one that it has evicted is created again.
     *  @param {string} action @param {any} body */
    async do(action, body) {
        if (!this.#box) return;
        if (action !== 'time') await this.#arrived();
        const { id } = this.#box;
        try {
            this.#apply(await this.page.api.post(path('api', 'sandboxes', id, action), body));
        } catch (error) {
            if (this.#stopped || this.#box.id !== id) return;        // it was recreated meanwhile
            if (await this.#again()) throw error;
            if (this.#stopped) return;
            await this.#create();
            this.page.notices.say('The sandbox was closed and restarts');
        }
    }

    /** @param {any} context */
    async restart(context) {
        this.context = context;
        if (this.#box) this.#remember(this.#box.id);
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

    /** The daemon advances long times in steps; repeats the request until it is done. */
    async #arrived() {
        while (this.#box?.under_way && !this.#stopped) {
            await new Promise((resolve) => setTimeout(resolve, WALK_MS));
            if (!await this.#again()) return;
        }
    }

    /** Reads its current state; a refusal is a line of its log. Returns whether it still exists. */
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
