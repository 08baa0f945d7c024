// @ts-check
// Shown for a session that does not exist: the daemon's reason, and the possible actions.
import { h, named } from './dom.js';

/**
 * @param {import('./api.js').Api} api @param {string} name
 * @param {Element[]} [ways] a master's actions @param {Element[]} [waysBack] the actions if it is set aside
 */
export function missingSession(api, name, ways = [], waysBack = []) {
    const why = h('p', {}, 'It appears here as soon as it is created.');
    // A master's page has a first heading already.
    const heading = ways.length ? 'h2' : 'h1';
    const choice = h('div', { class: 'row' }, ...ways);
    const box = h('div', { class: 'empty' }, h(heading, {}, 'There is no session ', named(name)), why, choice);
    api.get(`/api/sessions/${encodeURIComponent(name)}`).catch((error) => {
        // Set aside or quarantined: it still exists, and the daemon names the command that reinstates it.
        if (error.code === 'NOSESSION' || error.status === 0) return;
        if (error.code === 'NOPERM') box.firstChild.replaceChildren('Your token has no permission to see ', named(name));
        else box.firstChild.replaceChildren(named(name), ' does not run');
        why.textContent = error.message;
        choice.replaceChildren(...(error.code === 'NOPERM' ? [] : waysBack));
    });
    return box;
}
