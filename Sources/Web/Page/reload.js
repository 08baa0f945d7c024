// @ts-check
// Reloads the daemon's files: first a preview, then the action, then its result.
import { dialog, panel } from './dialog.js';
import { fill, h, messageOf, whileBusy } from './dom.js';

/** @typedef {import('./api.js').Api} Api */

/** The lines of a report; unchanged ones, which come last, are faint.
 *  @param {string[]} lines */
function list(lines) {
    const none = h('p', { class: 'faint' }, 'There are no files to reload.');
    return lines.length === 0 ? none : h('ul', { class: 'reload-lines' }, ...lines.map((line) =>
        h('li', { class: line.endsWith(': unchanged') ? 'faint' : '' }, h('bdi', {}, line))));
}

/** @param {Api} api */
export function reloadButton(api) {
    const button = h('button', { onclick: () => ask(api, button) }, 'Reload files…');
    return button;
}

/** @param {Api} api @param {HTMLElement} button */
async function ask(api, button) {
    const forecast = h('div', { class: 'forecast', 'aria-live': 'polite' });
    const check = (/** @type {HTMLElement} */ pressed) => whileBusy(pressed, async () => {
        const { lines } = await api.post('/api/reload', { dry: true });
        fill(forecast, list(lines));
    }, (error) => fill(forecast, h('p', { class: 'reason' }, messageOf(error))));
    if (!await check(button)) return;
    const again = h('button', { type: 'button', class: 'quiet', onclick: () => check(again) }, 'Check again');
    /** @type {string[]} */
    let lines = [];
    const run = async (/** @type {AbortSignal} */ cancelled) => { ({ lines } = await api.post('/api/reload', {}, cancelled)); };
    const done = await dialog('Reload the flow files?', [forecast, again], { yes: 'Reload', run });
    if (done) panel('Files reloaded', [list(lines)]);
}
