// @ts-check
// A master's timers: their remaining time, and one click to pause or extend one. An extension can be undone.
import { course, Figure, Hand } from './clock.js';
import { h, keyed, pressOnce, whileBusy, write } from './dom.js';
import { clockText, lengthText } from './time.js';

/** @typedef {import('./types.js').Timer} Timer */
/** @typedef {{pause: (timer: string) => Promise<unknown>, resume: (timer: string) => Promise<unknown>,
 *   extend: (timer: string, ms: number, version: number, generation: number) => Promise<unknown>}} TimerActions */

/** Steps that fit a timer's length: seconds for a question, minutes for an hour.
 *  @param {number} length */
export function steps(length) {
    if (length >= 600_000) return [-60_000, 60_000, 300_000];
    return length >= 90_000 ? [-60_000, 10_000, 60_000] : [-10_000, 10_000, 60_000];
}

/** @param {number} ms */
export function stepText(ms) {
    return (ms < 0 ? '−' : '+') + lengthText(Math.abs(ms)).replace(' ', '');
}

export class Timers {
    /** The shown session's. */ version = 0;

    /** @param {import('./ticker.js').Ticker} ticker @param {TimerActions} actions @param {(error: unknown) => void} refuse
     *  @param {boolean} [virtual] */
    constructor(ticker, actions, refuse, virtual = false) {
        this.ticker = ticker;
        this.actions = actions;
        this.refuse = refuse;
        this.virtual = virtual;
        this.list = h('ul', { class: 'timers' });
        this.none = h('p', { class: 'faint' }, 'No timer runs in this state.');
        this.element = h('div', {}, this.none, this.list);
    }

    /** @param {import('./types.js').View} view @param {number} at */
    show(view, at) {
        this.version = view.version;
        this.none.hidden = view.timers.length > 0;
        const items = view.timers.map((timer) => ({ timer, at, frozen: view.paused }));
        keyed(this.list, items, (item) => JSON.stringify([item.timer.name, item.timer.label]), (first) => {
            const line = new TimerLine(this, first.timer.name, first.timer.label);
            return { element: line.element, stop: () => line.stop(), update: (item) => line.show(item.timer, item.at, item.frozen) };
        });
    }

    /** @param {HTMLElement} button @param {() => Promise<unknown>} action */
    run(button, action) {
        return whileBusy(button, action, this.refuse);
    }

    stop() {
        keyed(this.list, [], () => '', () => ({ element: h('i') }));
    }
}

class TimerLine {
    #paused = false;
    #steps = '';
    #generation = 0;

    /** @param {Timers} timers @param {string} name @param {string} label */
    constructor(timers, name, label) {
        this.timers = timers;
        this.name = name;
        this.label = label;
        this.hand = new Hand('bar');
        this.left = h('span', { class: 'left' });
        this.length = h('span', { class: 'faint' });
        this.word = h('span', { class: 'word' });
        this.toggle = h('button', { class: 'icon', onclick: () => timers.run(this.toggle, () => this.#toggle()) });
        pressOnce(this.toggle);
        this.buttons = h('div', { class: 'steps' });
        this.element = h('li', { class: 'timer' }, h('div', { class: 'timer-head' }, h('bdi', { class: 'timer-name', title: name }, label), this.word,
            h('span', { class: 'timer-figure', role: 'timer', 'aria-label': label }, this.left, this.length)),
            this.hand.element, h('div', { class: 'timer-buttons' }, this.toggle, this.buttons));
        this.figure = new Figure(timers.ticker, (text, left) => this.#draw(text, left));
    }

    /** @param {Timer} timer @param {number} at @param {boolean} frozen the whole session is paused */
    show(timer, at, frozen) {
        this.#paused = timer.paused && !frozen;
        this.#generation = timer.generation;
        const now = course(timer, at, !timer.paused && !this.timers.virtual && this.timers.ticker.passes);
        this.element.dataset.kind = frozen ? 'frozen' : timer.paused ? 'stopped' : 'runs';
        this.element.dataset.runs = String(now.runs && !now.swings);
        write(this.word, frozen ? 'paused with the session' : timer.paused ? 'paused' : timer.kind === 'pendulum'
            ? `every ${lengthText(timer.period_ms ?? timer.length_ms)}` : '');
        write(this.length, timer.kind === 'pendulum' ? '' : ` / ${clockText(timer.length_ms)}`);
        write(this.toggle, this.#paused ? '▶' : '❚❚');
        this.toggle.setAttribute('aria-label', `${this.#paused ? 'Resume' : 'Pause'} ${this.label}`);
        this.toggle.title = this.#paused ? 'Resume' : 'Pause';
        this.toggle.disabled = frozen;
        this.hand.show(now);
        this.figure.show(now);
        this.#showSteps(timer.length_ms);
    }

    /** @param {string} text @param {number} left */
    #draw(text, left) {
        write(this.left, text);
        this.element.classList.toggle('urgent', left <= 10_000 && this.element.dataset.runs === 'true' && left < Infinity);
    }

    /** @param {number} length */
    #showSteps(length) {
        const wanted = steps(length);
        if (this.#steps === String(wanted)) return;
        this.#steps = String(wanted);
        this.buttons.replaceChildren(...wanted.map((ms) => {
            const label = `${ms < 0 ? 'Take' : 'Give'} ${this.label} ${lengthText(Math.abs(ms))}`;
            const button = h('button', { 'aria-label': label, title: label,
                onclick: () => this.timers.run(button, () => this.#extend(ms)) }, stepText(ms));
            return button;
        }));
    }

    /** @param {number} ms */
    #extend(ms) {
        return this.timers.actions.extend(this.name, ms, this.timers.version, this.#generation);
    }

    #toggle() {
        return this.#paused ? this.timers.actions.resume(this.name) : this.timers.actions.pause(this.name);
    }

    stop() {
        this.hand.stop();
        this.figure.stop();
    }
}
