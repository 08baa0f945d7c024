// @ts-check
// The flows with their diagrams, and buttons to create a session or to try the flow.
import { beginSession, command, copyable } from './begin.js';
import { Diagram } from './diagram.js';
import { h, keyed, named } from './dom.js';

/** @typedef {import('./types.js').FlowInfo} FlowInfo */
/** @typedef {import('./types.js').Context} Context */

/** A name that no session has yet.
 *  @param {Set<string>|Map<string, any>} taken @param {string} flow */
function freeName(taken, flow) {
    let n = 1;
    while (taken.has(`${flow}-${n}`)) n += 1;
    return `${flow}-${n}`;
}

/** @param {number} n @param {string} word */
function many(n, word) {
    return `${n} ${word}${n === 1 ? '' : 's'}`;
}

export class FlowCards {
    /** @param {Context} context @param {import('./sessions.js').SessionStore} store
     *  @param {boolean} [teaching] whether to show the command, too */
    constructor(context, store, teaching = false) {
        this.context = context;
        this.store = store;
        this.teaching = teaching;
        this.cards = h('div', { class: 'cards' });
        this.none = h('div', { class: 'empty', hidden: true }, h('h2', {}, 'No flow yet'),
            h('p', {}, 'A flow is a file that lists states and the events that lead from one to the next. ',
                'The first command writes a small one; the second starts gamed with it.'),
            copyable('gamectl new-flow door flows'), copyable('gamed --flows flows'));
        this.element = h('div', {}, this.cards, this.none);
    }

    /** @param {FlowInfo[]} flows */
    show(flows) {
        this.none.hidden = flows.length > 0;
        keyed(this.cards, flows, (flow) => JSON.stringify([flow.name, flow.definition]), (flow) => ({ element: this.#card(flow) }));
    }

    /** @param {FlowInfo} flow */
    #card(flow) {
        const facts = [many(flow.states.length, 'state'), many(flow.events.length, 'event'), many(flow.timers.length, 'timer')].join(', ');
        const name = () => freeName(this.store.rows, flow.name);
        return h('article', { class: 'flow-card' },
            h('header', {}, h('h3', {}, named(flow.name)), h('span', { class: 'faint' }, facts),
                flow.file ? h('bdi', { class: 'faint file', title: flow.file }, flow.file) : null),
            seenLater(() => new Diagram(this.context.api, flow.name).element),
            h('footer', {}, h('button', { class: this.teaching ? 'primary' : '', onclick: () => beginSession(this.context, flow, name()) },
                'New session…'),
                h('a', { class: 'button quiet', href: `/f/${encodeURIComponent(flow.name)}` }, 'Try it'),
                this.teaching ? copyable(command(name(), flow)) : null));
    }
}

/** Requests a diagram once it is visible.
 *  @param {() => HTMLElement} make */
function seenLater(make) {
    const box = h('div', { class: 'flow-picture' });
    const observer = new IntersectionObserver((entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        box.append(make());
    });
    observer.observe(box);
    return box;
}
