// @ts-check
// A sandbox's time: a slider over the elapsed time, a tick for each history entry, and steps forward.
import { h, write } from './dom.js';
import { lengthText } from './time.js';

/** @typedef {import('./types.js').Sandbox} Box */

const STEPS = [1000, 10_000, 60_000, 600_000];
const ROOM_MS = 60_000;

export class TimeLine {
    /** @type {Box|null} */ #box = null;
    #moving = false;
    /** Whether the slider is dragged: its scale stays. */ #isHeld = false;
    /** @type {number|null} */ #wanted = null;
    /** Where the requests in flight lead.
     *  @type {number|null} */
    #target = null;

    /** @param {(body: {at_ms: number}|{to: 'next'}) => Promise<unknown>} ask */
    constructor(ask) {
        this.ask = ask;
        this.ticks = h('div', { class: 'ticks', 'aria-hidden': 'true' });
        this.slider = h('input', { type: 'range', min: 0, step: 100, 'aria-label': 'Time',
            oninput: () => this.go(Number(this.slider.value)), onpointerdown: () => { this.#isHeld = true; },
            onpointerup: () => this.#release(), onpointercancel: () => this.#release() });
        this.now = h('output', { class: 'now' });
        this.next = h('button', { class: 'primary', onclick: () => this.ask({ to: 'next' }) }, 'Next timer');
        const begin = h('button', { class: 'icon', 'aria-label': 'To the beginning', title: 'To the beginning', onclick: () => this.go(0) },
            '⇤');
        const steps = STEPS.map((ms) => h('button', { onclick: () => this.go((this.#target ?? this.#box?.at_ms ?? 0) + ms) },
            `+${lengthText(ms).replace(' ', '')}`));
        this.element = h('section', { class: 'timeline', 'aria-label': 'Time' },
            h('div', { class: 'timeline-row' }, begin, this.now, h('div', { class: 'steps' }, ...steps), this.next),
            h('div', { class: 'slider' }, this.ticks, this.slider));
    }

    /** While a request is in flight only the newest target is kept: a slider changes it up to 100 times a second.
     *  @param {number} ms */
    async go(ms) {
        this.#wanted = this.#target = Math.max(0, Math.min(ms, this.#box?.limit_ms ?? ms));
        if (this.#moving) return;
        this.#moving = true;
        while (this.#wanted !== null) {
            const at_ms = Math.round(this.#wanted);
            this.#wanted = null;
            await this.ask({ at_ms });
        }
        this.#moving = false;
        this.#target = null;
    }

    #release() {
        this.#isHeld = false;
        if (this.#box) this.show(this.#box);
    }

    /** @param {Box} box */
    show(box) {
        this.#box = box;
        const end = this.#isHeld ? Number(this.slider.max) : this.#end(box);
        this.slider.max = String(end);
        if (this.#wanted === null) this.slider.value = String(box.at_ms);
        this.slider.setAttribute('aria-valuetext', lengthText(box.at_ms));
        write(this.now, box.at_ms ? lengthText(box.at_ms) : 'start');
        const far = box.next_ms === null ? 'No timer runs' : `Next timer, in ${lengthText(box.next_ms)}`;
        write(this.next, box.under_way ? 'Running…' : far);
        this.next.disabled = box.next_ms === null || Boolean(box.under_way);
        this.ticks.replaceChildren(...box.lines.map((line) => this.#tick(line, end)));
    }

    /** The slider reaches a bit beyond the elapsed time, and to the next timer if that is near.
     *  @param {Box} box */
    #end(box) {
        const far = Math.max(box.end_ms, box.at_ms);
        const next = box.next_ms === null ? 0 : box.at_ms + box.next_ms;
        return Math.min(box.limit_ms, Math.max(ROOM_MS, far * 1.25, next < far * 3 + 2 * ROOM_MS ? next * 1.1 : 0));
    }

    /** @param {import('./types.js').Line} line @param {number} end */
    #tick(line, end) {
        const fired = line.from === line.to ? 'pulse' : 'timer-tick';
        const tick = h('i', { class: line.what === 'refused' ? 'refused' : line.source === 'timer' ? fired : 'sent' });
        tick.style.left = `${100 * (line.t_ms ?? 0) / end}%`;
        return tick;
    }

    /** @param {{at_ms: number, event: string, payload: any}} step */
    step(step) {
        const payload = step.payload === null || step.payload === undefined ? '' : ` ${JSON.stringify(step.payload)}`;
        return h('li', {}, h('button', { class: 'quiet time', title: 'Go to this moment', onclick: () => this.go(step.at_ms) },
            lengthText(step.at_ms)), h('bdi', {}, step.event + payload));
    }
}
