// @ts-check
// The postponed events, each with a button that withdraws it.
import { h, keyed, pressOnce } from './dom.js';
import { dayTime } from './time.js';

export class Postponed {
    /** @param {(id: number) => Promise<unknown>} withdraw @param {(error: unknown) => void} refuse */
    constructor(withdraw, refuse) {
        this.withdraw = withdraw;
        this.refuse = refuse;
        this.list = h('ul', { class: 'postponed' });
        pressOnce(this.list);
        this.element = h('div', { hidden: '' }, h('h4', {}, 'Postponed'), this.list);
    }

    /** @param {import('./types.js').View} view */
    show(view) {
        this.element.hidden = view.postponed.length === 0;
        keyed(this.list, view.postponed, (event) => event.id, (first) => {
            // Shows the start of the wait, not its length, which would have to be updated.
            const since = h('span', { class: 'faint' }, dayTime(view.at_ms - first.age_ms));
            const button = h('button', { class: 'quiet', onclick: () => this.withdraw(first.id).catch(this.refuse) }, 'Withdraw');
            const payload = first.payload === null ? '' : ' ' + JSON.stringify(first.payload);
            const element = h('li', {}, since, h('bdi', {}, first.event), h('bdi', { class: 'payload', title: payload }, payload), button);
            return { element };
        });
    }
}
