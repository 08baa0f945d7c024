// @ts-check
// Confirmations of dangerous actions, and small forms. Uses the browser's dialog: focus stays inside, Escape closes it.
import { h, messageOf, pressOnce, whileBusy } from './dom.js';

/** @typedef {import('./dom.js').Child} Child */

/** One dialog may open over another. */
let count = 0;

function titleId() {
    count += 1;
    return `dialog-title-${count}`;
}

/**
 * @param {string|Child[]} title names in it are isolated
 * @param {any[]} content
 * @param {{yes: string, danger?: boolean, run?: (cancelled: AbortSignal) => Promise<unknown>}} options if `run` fails, the dialog stays open and
 *   shows the reason; Cancel takes back a request that waits for the connection
 * @returns {Promise<boolean>}
 */
export function dialog(title, content, { yes, danger = false, run }) {
    return new Promise((resolve) => {
        const error = h('p', { class: 'reason', role: 'alert' });
        const button = h('button', { class: danger ? 'danger' : 'primary' }, yes);
        const cancelling = new AbortController();
        const close = (/** @type {boolean} */ done) => { if (!done) cancelling.abort(); remove(element); resolve(done); };
        // Escape must not hide the answer of a request that is under way; leaving the view closes the dialog.
        const cancel = (/** @type {Event} */ event) => {
            if (event.cancelable && button.hasAttribute('aria-busy')) event.preventDefault();
            else close(false);
        };
        const submit = (/** @type {Event} */ event) => {
            event.preventDefault();
            whileBusy(button, async () => { await run?.(cancelling.signal); close(true); }, (reason) => { error.textContent = messageOf(reason); });
        };
        const id = titleId();
        const form = h('form', { onsubmit: submit, novalidate: true }, h('h2', { id }, title), ...content, error,
            h('div', { class: 'dialog-buttons' }, h('button', { type: 'button', class: 'quiet', onclick: () => close(false) }, 'Cancel'),
                button));
        const element = h('dialog', { 'aria-labelledby': id, oncancel: cancel }, form);
        pressOnce(element);      // a double click that opened it
        document.body.append(element);
        element.showModal();
        // Return answers a dangerous question with no.
        if (danger) form.querySelector('.quiet')?.focus();
    });
}

/** Asks for confirmation; the question contains the object's name.
 *  @param {string|Child[]} title @param {string|Child[]} text @param {string} yes @param {(cancelled: AbortSignal) => Promise<unknown>} run */
export function ask(title, text, yes, run) {
    return dialog(title, [h('p', {}, text)], { yes, danger: true, run });
}

/** A panel of text.
 *  @param {string} title @param {any[]} content */
export function panel(title, content) {
    const close = () => remove(element);
    const id = titleId();
    const element = h('dialog', { 'aria-labelledby': id, oncancel: close,
        onclick: (/** @type {Event} */ e) => e.target === element && close() },
        h('div', {}, h('h2', { id }, title), ...content,
            h('div', { class: 'dialog-buttons' }, h('button', { class: 'primary', onclick: close, autofocus: true }, 'Close'))));
    document.body.append(element);
    element.showModal();
}

/** A dialog returns the focus to where it was only if it is closed.
 *  @param {HTMLDialogElement} element */
function remove(element) {
    element.close();
    element.remove();
}

/** Answers open questions with no when their view is left. */
export function closeDialogs() {
    for (const element of document.querySelectorAll('dialog')) element.dispatchEvent(new Event('cancel'));
}
