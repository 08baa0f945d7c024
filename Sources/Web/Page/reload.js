// @ts-check
// Reloads the daemon's files: first a preview, then the action, then its result.
import { dialog, panel } from './dialog.js';
import { fill, h } from './dom.js';

/** The lines of a report; unchanged ones, which come last, are faint.
 *  @param {string[]} lines */
function list(lines) {
    const none = h('p', { class: 'faint' }, 'There are no files to reload.');
    return lines.length === 0 ? none : h('ul', { class: 'reload-lines' }, ...lines.map((line) =>
        h('li', { class: line.endsWith(': unchanged') ? 'faint' : '' }, h('bdi', {}, line))));
}

export class Reloading {
    /** @param {import('./types.js').Context} context */
    constructor({ api }) {
        this.api = api;
    }

    button() {
        const button = h('button', { onclick: () => this.ask(button) }, 'Reload files…');
        return button;
    }

    /** @param {HTMLElement} button */
    async ask(button) {
        if (button.hasAttribute('aria-busy')) return;
        button.setAttribute('aria-busy', 'true');
        const forecast = h('div', { class: 'forecast', 'aria-live': 'polite' });
        const check = h('button', { type: 'button', class: 'quiet', onclick: () => this.#check(forecast, check) }, 'Check again');
        await this.#check(forecast, check);
        button.removeAttribute('aria-busy');
        /** @type {string[]} */
        let lines = [];
        const run = async () => { ({ lines } = await this.api.post('/api/reload')); };
        const done = await dialog('Reload the flow files?', [forecast, check], { yes: 'Reload', run });
        if (done) panel('Files reloaded', [list(lines)]);
    }

    /** @param {HTMLElement} forecast @param {HTMLElement} button */
    async #check(forecast, button) {
        button.setAttribute('aria-busy', 'true');
        try {
            const { lines } = await this.api.post('/api/reload', { dry: true });
            fill(forecast, list(lines));
        } catch (error) {
            fill(forecast, h('p', { class: 'reason' }, error instanceof Error ? error.message : String(error)));
        }
        button.removeAttribute('aria-busy');
    }
}
