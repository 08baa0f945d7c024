// @ts-check
// The display of a timer: a bar or a ring that the compositor animates, and its figure beside it.
import { h, prefersReducedMotion, write } from './dom.js';
import { clockText, leftFigure, leftText, untilChange } from './time.js';

const URGENT_MS = 10_000;

/** @typedef {{left: number, length: number, at: number, runs: boolean, swings: boolean}} Course */

/** The course of a timer from its last known state. A timer that was extended has more left than its length: its clock stays full until then.
 *  @param {import('./types.js').Timer} timer @param {number} at @returns {Course} */
export function course(timer, at, runs = !timer.paused) {
    const swings = timer.kind === 'pendulum';
    const length = Math.max(swings && timer.period_ms || timer.length_ms, 1);
    return { left: timer.remaining_ms, length, at, runs, swings };
}

/** When a timer that runs fires next. A pendulum starts its next swing before the view arrives, if one does.
 *  @param {import('./types.js').Timer} timer @param {number} at */
export function firesNext(timer, at) {
    const { left, length, swings } = course(timer, at);
    const late = performance.now() - at - left;
    return at + left + (swings && late > 0 ? Math.ceil(late / length) * length : 0);
}

/** The remaining time now, in ms.
 *  @param {Course} course @param {number} now */
function leftOf(course, now) {
    const left = course.runs ? course.left - (now - course.at) : course.left;
    if (left > 0 || !course.swings) return Math.max(0, left);
    return course.length - (-left % course.length);      // a pendulum starts its next swing before the view arrives
}

/** @param {'bar'|'ring'} shape @returns {{element: HTMLElement, moving: [Element, Keyframe[]][]}} */
function draw(shape) {
    if (shape === 'bar') {
        const fill = h('i');
        return { element: h('span', { class: 'bar' }, fill), moving: [[fill, [{ transform: 'scaleX(1)' }, { transform: 'scaleX(0)' }]]] };
    }
    // Two halves that turn out of sight one after the other. They only need transforms, which the compositor animates.
    const first = h('i');
    const second = h('i');
    const turn = (/** @type {number} */ angle) => ({ transform: `rotate(${angle}deg)` });
    return {
        element: h('span', { class: 'ring-face' }, h('b', { class: 'half first' }, first), h('b', { class: 'half second' }, second)),
        moving: [[first, [turn(0), { ...turn(180), offset: 0.5 }, turn(180)]], [second, [turn(0), { ...turn(0), offset: 0.5 }, turn(180)]]],
    };
}

/** The moving part of a clock. One animation for each part, corrected by each view. */
export class Hand {
    /** @type {Animation[]} */ #animations = [];
    #timed = '';

    /** @param {'bar'|'ring'} shape */
    constructor(shape) {
        const { element, moving } = draw(shape);
        this.element = element;
        this.moving = moving;
    }

    /** @param {Course} course */
    show(course) {
        const timed = `${course.length} ${course.swings}`;
        if (timed !== this.#timed) this.#time(course);
        this.#timed = timed;
        const now = performance.now();
        const left = leftOf(course, now);
        for (const animation of this.#animations) {
            const runs = course.runs && left > 0;
            if (!runs) animation.pause();
            else if (animation.playState !== 'running') animation.play();
            animation.currentTime = course.length - left;
        }
    }

    /** Rows are reused, with their animations.
     *  @param {Course} course */
    #time(course) {
        const timing = { duration: course.length, iterations: course.swings ? Infinity : 1 };
        for (const animation of this.#animations) animation.effect?.updateTiming(timing);
        if (this.#animations.length > 0) return;
        const easing = prefersReducedMotion() ? 'steps(40)' : 'linear';
        this.#animations = this.moving.map(([part, frames]) => part.animate(frames, { ...timing, easing, fill: 'both' }));
    }

    /** Stops the animations of a clock that is out of sight; it may be shown again. */
    stopAnimation() {
        for (const animation of this.#animations) animation.pause();
    }

    stop() {
        for (const animation of this.#animations) animation.cancel();
        this.#animations = [];
        this.#timed = '';
    }
}

/** A ring with its figure inside and its name below, for players. */
export class RingClock {
    /** @type {Course|null} */ #course = null;

    /** @param {import('./ticker.js').Ticker} ticker @param {string} name */
    constructor(ticker, name) {
        this.ticker = ticker;
        this.name = name;
        this.hand = new Hand('ring');
        this.figure = h('span', { class: 'figure' });
        this.unit = h('span', { class: 'unit' });
        this.paused = h('span');
        this.element = h('figure', { class: 'ring', role: 'timer' },
            h('div', { class: 'ring-box' }, this.hand.element, h('div', { class: 'ring-text' }, this.figure, this.unit)),
            h('figcaption', {}, h('bdi', {}, name), this.paused));
    }

    /** @param {Course} course @param {'runs'|'stopped'|'frozen'|'still'} kind */
    show(course, kind) {
        this.#course = course;
        this.element.dataset.kind = kind;
        write(this.paused, kind === 'stopped' ? ' · paused' : '');
        this.hand.show(course);
        this.ticker.add(this.tick);
    }

    tick = (/** @type {number} */ now) => {
        if (!this.#course) return Infinity;
        const left = leftOf(this.#course, now);
        const { figure, unit } = this.#figure(this.#course, left);
        write(this.figure, figure);
        write(this.unit, unit);
        this.figure.classList.toggle('long', figure.length > 4);
        this.figure.classList.toggle('longer', figure.length > 7);
        this.element.classList.toggle('urgent', this.#course.runs && !this.#course.swings && left <= URGENT_MS
            && this.#course.length > URGENT_MS);
        this.element.setAttribute('aria-label', `${this.name}: ${leftText(left)} left`);
        return this.#course.runs ? untilChange(left, !this.#course.swings) : Infinity;
    };

    /** A pendulum of a second is shown as a pulse without a figure.
     *  @param {Course} course @param {number} left */
    #figure(course, left) {
        return course.swings && course.length <= URGENT_MS ? { figure: '↻', unit: '' } : leftFigure(left);
    }

    stop() {
        this.ticker.remove(this.tick);
        this.hand.stop();
    }
}

/** A remaining time as text: `0:21`, for lists and for titles. */
export class Figure {
    /** @type {Course|null} */ #course = null;

    /** @param {import('./ticker.js').Ticker} ticker @param {(text: string, left: number) => void} draw
     *  @param {(ms: number) => string} text */
    constructor(ticker, draw, text = clockText) {
        this.ticker = ticker;
        this.draw = draw;
        this.text = text;
    }

    /** @param {Course|null} course */
    show(course) {
        this.#course = course;
        this.ticker.add(this.tick);
    }

    tick = (/** @type {number} */ now) => {
        if (!this.#course) { this.draw('', Infinity); return Infinity; }
        const left = leftOf(this.#course, now);
        this.draw(this.text(left), left);
        return this.#course.runs ? untilChange(left, this.text === leftText) : Infinity;
    };

    stop() {
        this.ticker.remove(this.tick);
    }
}
