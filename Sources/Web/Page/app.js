// @ts-check
// The entry point: makes the objects that all views share, and shows the view of the path.
import { Api } from './api.js';
import { closeDialogs } from './dialog.js';
import { h } from './dom.js';
import { ignoreHeldReturn, isEditing } from './keys.js';
import { TabIndicator } from './tabindicator.js';
import { Live } from './live.js';
import { login } from './login.js';
import { master } from './master.js';
import { Notices } from './notices.js';
import { overview } from './overview.js';
import { Place } from './place.js';
import { player } from './player.js';
import { sandbox } from './sandbox.js';
import { Ticker } from './ticker.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {(root: HTMLElement, context: Context, name: string) => () => void} ViewMaker */

const RELOAD_MS = 1000;

/** @type {Object<string, ViewMaker>} */
const VIEWS = {
    '': overview, login, s: player, m: master, f: sandbox,
    k: (root, context, name) => player(root, context, name, true),
};

/** @param {HTMLElement} root */
function lost(root) {
    root.append(h('div', { class: 'empty' }, h('h1', {}, 'There is no such page'), h('p', {}, h('a', { href: '/' }, 'All sessions'))));
    return () => {};
}

function begin() {
    const live = new Live();
    const place = new Place();
    const root = h('main', { id: 'root', tabindex: -1 });
    document.body.append(root);
    const ticker = new Ticker();
    const context = { live, place, api: new Api(live), ticker, notices: new Notices(live), face: new TabIndicator() };
    live.watchConnection(() => {
        ticker.passes = !live.isVirtual;
        if (!live.up) context.face.showUnknown();
    });
    let leave = () => {};
    const showAway = () => {
        const [kind = '', ...rest] = place.parts;
        context.notices.away(['s', 'k', 'm'].includes(kind) ? live.nodes.whyAway(rest.join('/')) : '');
    };
    live.nodes.watch(showAway);
    place.onmove = () => {
        leave();
        closeDialogs();
        const [kind = '', ...rest] = place.parts;
        root.replaceChildren();
        root.className = `view-${kind || 'overview'}`;
        context.face.time('');
        leave = (VIEWS[kind] ?? lost)(root, context, rest.join('/'));
        showAway();
    };
    ignoreHeldReturn();
    place.onmove();
    const show = place.onmove;
    place.onmove = () => {
        show();
        // The focus was in the view that has gone; the new view may have moved it already.
        if (!root.contains(document.activeElement)) root.focus();
    };
    setInterval(() => { if (live.isOutdated && !isEditing()) location.reload(); }, RELOAD_MS);
}

begin();
