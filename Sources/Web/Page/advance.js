// @ts-check
// If the daemon runs on virtual time, time advances by command: shows the time, with buttons for steps and an input for a length.
import { h, messageOf, shake, whileBusy, write } from './dom.js';
import { lengthText } from './time.js';
import { stepText } from './timers.js';

/** @typedef {import('./types.js').Status} Status */

const STEPS = [1000, 10_000, 60_000, 600_000];

export class Advance {
    /** @type {number|null} */ #next = null;
    #stopStatus = () => {};

    /** @param {import('./types.js').Context} context */
    constructor(context) {
        this.context = context;
        this.now = h('output', { class: 'now' });
        this.reason = h('p', { class: 'reason', role: 'alert' });
        this.next = h('button', { onclick: () => this.#next !== null && this.#pass(this.next, this.#next) }, 'Next timer');
        const steps = STEPS.map((ms) => {
            const button = h('button', { 'aria-label': `Advance ${lengthText(ms)}`, onclick: () => this.#pass(button, ms) }, stepText(ms));
            return button;
        });
        this.by = h('input', { type: 'text', placeholder: '1m30s', 'aria-label': 'Time to advance by', size: 8, spellcheck: false,
            autocomplete: 'off' });
        const go = h('button', {}, 'Advance');
        const submit = (/** @type {Event} */ event) => { event.preventDefault(); this.#pass(go, this.by.value.trim()); };
        this.element = h('section', { class: 'advance', 'aria-label': 'Virtual time', hidden: true },
            h('span', { class: 'faint' }, 'virtual time ', this.now), h('div', { class: 'steps' }, ...steps), this.next,
            h('form', { class: 'row', onsubmit: submit }, this.by, go), this.reason);
        this.stopConnection = context.live.watchConnection(() => this.#follow());
        this.#follow();
    }

    /** Subscribes to the topic only in virtual time. */
    #follow() {
        const { live } = this.context;
        if (!this.element.hidden === live.isVirtual) return;
        this.element.hidden = !live.isVirtual;
        this.#stopStatus();
        this.#stopStatus = live.isVirtual ? live.watch('status', (status) => this.#show(status)) : () => {};
    }

    /** @param {Status} status */
    #show(status) {
        if (typeof status.clock_ms === 'number') write(this.now, lengthText(status.clock_ms));
        this.#next = status.next?.[0]?.remaining_ms ?? null;
        this.next.disabled = this.#next === null;
        write(this.next, this.#next === null ? 'No timer runs' : `Next timer, in ${lengthText(this.#next)}`);
    }

    /** @param {HTMLElement} button @param {number|string} by */
    #pass(button, by) {
        const { api, notices } = this.context;
        return whileBusy(button, async () => {
            write(this.reason, '');
            const { fired } = await api.post('/api/clock/advance', { by });
            const passed = typeof by === 'number' ? lengthText(by) : by;
            notices.say(`${passed} later: ${fired} timer${fired === 1 ? '' : 's'} fired`);
            const { now_ms } = await api.get('/api/clock');
            write(this.now, lengthText(now_ms));
        }, (error) => {
            write(this.reason, messageOf(error));
            shake(button);
        });
    }

    stop() {
        this.stopConnection();
        this.#stopStatus();
    }
}
