// @ts-check
// The form for the token. The address contains the path to open afterwards, which must be of this page.
import { ANSWER_MS } from './api.js';
import { dialog } from './dialog.js';
import { h } from './dom.js';
import { isEditing } from './keys.js';

/** @param {HTMLElement} root @param {import('./types.js').Context} context */
export function login(root, { place, face }) {
    face.show('gamed · log in', 'calm');
    const used = place.get('used') ? 'This link was used already: each opens once. `gamectl page` prints a new one.' : '';
    const reason = h('p', { class: 'reason', role: 'alert' }, used);
    const token = h('input', { id: 'token', type: 'password', autocomplete: 'current-password', autofocus: true });
    const button = h('button', { class: 'primary' }, 'Log in');
    const submit = async (/** @type {Event} */ event) => {
        event.preventDefault();
        reason.textContent = await attempt(token.value.trim());
        if (!reason.textContent) return location.replace(target(place.get('to')));
        token.select();
    };
    root.append(h('form', { class: 'login', onsubmit: submit },
        h('h1', {}, 'gamed'), h('p', { class: 'faint' },
            'Enter a token, or open the link that gamed printed when it started.'),
        h('div', { class: 'field' }, h('label', { for: 'token' }, 'Token'), token), reason, button));
    token.focus();
    return () => {};
}

/** Leads to the login, or asks for a token in a dialog if the login's page would lose what was typed. Resolves once the dialog is closed.
 *  @returns {Promise<unknown>} */
export async function logInAgain() {
    if (!isEditing()) return location.assign(`/login?to=${encodeURIComponent(location.pathname + location.search)}`);
    const token = h('input', { id: 'token-again', type: 'password', autocomplete: 'current-password' });
    const run = async () => {
        const problem = await attempt(token.value.trim());
        if (problem) throw new Error(problem);
    };
    return dialog('Log in again', [h('p', {}, 'This login is no longer valid. What you typed stays here.'),
        h('div', { class: 'field' }, h('label', { for: 'token-again' }, 'Token'), token)], { yes: 'Log in', run });
}

/** The error message of a login; empty on success.
 *  @param {string} token @returns {Promise<string>} */
async function attempt(token) {
    try {
        const answer = await fetch('/login', { method: 'POST', headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ token }), signal: AbortSignal.timeout(ANSWER_MS) });
        if (answer.ok) return '';
        const error = await answer.json().catch(() => ({}));
        return error.message ?? `the daemon answered ${answer.status}`;
    } catch {
        return 'gamed does not answer';
    }
}

/** A path of this page; `/` for anything else. The browser normalizes the address first: `/.//host` has the path `//host`, which
 *  would lead to another host.
 *  @param {string} to @param {string} [origin] */
export function target(to, origin = location.origin) {
    try {
        const url = new URL(to || '/', origin);
        const path = url.pathname + url.search;
        return url.origin === origin && new URL(path, origin).href === url.origin + path ? path : '/';
    } catch {
        return '/';
    }
}
