// @ts-check
// Keys, and the panel that shows them.
import { panel } from './dialog.js';
import { h } from './dom.js';

/** Whether a key belongs to an input, or to the browser.
 *  @param {KeyboardEvent} event */
export function isTyping(event) {
    const target = /** @type {Element} */ (event.target);
    return event.ctrlKey || event.metaKey || event.altKey
        || Boolean(target.closest?.('input, select, textarea, dialog, [contenteditable]'));
}

/** Whether a reload of the page would lose what was typed, or a question. */
export function isEditing() {
    const inputs = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('form :is(input, textarea)')]);
    return document.querySelector('dialog[open]') !== null
        // The `value` of a box is not whether it is checked.
        || inputs.some((each) => (/^(checkbox|radio)$/.test(each.type) ? each.checked !== each.defaultChecked : each.value !== each.defaultValue));
}

/** A held Return presses once: the focus may have moved to another button, or into a dialog. In a `textarea` it adds lines. */
export function ignoreHeldReturn() {
    document.addEventListener('keydown', (event) => {
        if (!event.repeat || event.key !== 'Enter' || /** @type {Element} */ (event.target).matches('textarea')) return;
        event.preventDefault();
        event.stopPropagation();
    }, true);
}

/** @type {[string, string][]} */
const KEYS = [
    ['/', 'filter'], ['↑ ↓', 'move'], ['Enter', 'open as master'], ['o', 'open as player'], ['p', 'pause or resume'],
    ['+ −', 'ten seconds more or less on the first timer'], ['Esc', 'clear the filter'], ['?', 'these keys'],
];

export function showKeys() {
    panel('Keys', [h('dl', { class: 'keys' }, ...KEYS.map(([key, what]) => h('div', {},
        h('dt', {}, ...key.split(' ').map((each) => h('kbd', {}, each))), h('dd', {}, what))))]);
}
