// @ts-check
// What is shown where a session is not there: why, in the daemon's own words, and what can be done about it.
import { h, named } from './dom.js';

/**
 * @param {import('./api.js').Api} api @param {string} name
 * @param {Element[]} [ways] what a master can do @param {Element[]} [waysBack] and what where it is set aside
 */
export function missingSession(api, name, ways = [], waysBack = []) {
    const why = h('p', {}, 'It appears here as soon as it is created.');
    // A master's page has a first heading already.
    const heading = ways.length ? 'h2' : 'h1';
    const choice = h('div', { class: 'row' }, ...ways);
    const box = h('div', { class: 'empty' }, h(heading, {}, 'There is no session ', named(name)), why, choice);
    api.get(`/api/sessions/${encodeURIComponent(name)}`).catch((error) => {
        // Set aside, or in quarantine: then it is not gone, and the daemon says what brings it back.
        if (error.code === 'NOSESSION' || error.status === 0) return;
        if (error.code === 'NOPERM') box.firstChild.replaceChildren('Your token has no permission to see ', named(name));
        else box.firstChild.replaceChildren(named(name), ' does not run');
        why.textContent = error.message;
        choice.replaceChildren(...(error.code === 'NOPERM' ? [] : waysBack));
    });
    return box;
}
