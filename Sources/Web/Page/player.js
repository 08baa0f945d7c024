// @ts-check
// The player's view: shows VIEW and nothing else. It makes no decisions; it only sends events.
import { missingSession } from './missingsession.js';
import { condition } from './api.js';
import { Actions } from './actions.js';
import { course, Figure, RingClock } from './clock.js';
import { fill, h, keyed, move, named, write, writeDotted } from './dom.js';
import { VersionFilter } from './versionfilter.js';
import { isTyping } from './keys.js';
import { kiosk } from './kiosk.js';
import { faceOf, stateText } from './names.js';
import { leftText } from './time.js';

/** @typedef {import('./types.js').View} View */
/** @typedef {import('./types.js').Context} Context */

const TYPING_MS = 1000;

/** The player's display of a view; the sandbox shows one, too. */
export class Card {
    #shown = '';
    #said = '';

    /** @param {Context} context @param {import('./actions.js').Send} send @param {boolean} [virtual] whether time passes only by command */
    constructor(context, send, virtual = false) {
        this.context = context;
        this.virtual = virtual;
        // In the sandbox there are other headings.
        this.title = h(virtual ? 'h2' : 'h1', { class: 'title', dir: 'auto' });
        this.text = h('p', { class: 'text', dir: 'auto' });
        this.clocks = h('div', { class: 'rings' });
        this.actions = new Actions(send, 'Actions', (error) => context.notices.refuse(error));
        this.progress = h('div', { class: 'progress', role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100,
            'aria-label': 'Progress' }, h('i'));
        this.note = h('p', { class: 'note' });
        this.words = h('div', { class: 'words' }, this.title, this.text);
        this.element = h('section', { class: 'card' }, this.words, this.note, this.clocks, this.actions.element, this.progress);
    }

    /** @param {View} view @param {number} at */
    show(view, at) {
        const title = view.title ?? stateText(view.state);
        if (view.title === null) writeDotted(this.title, title);
        else write(this.title, title);
        write(this.text, view.text ?? '');
        this.text.hidden = !view.text;
        write(this.note, view.paused ? '❚❚ Paused' : view.final ? 'This session has ended.' : '');
        this.note.hidden = !view.paused && !view.final;
        this.note.classList.toggle('is-stopped', view.paused);
        this.#showClocks(view, at);
        // In the sandbox, the author plays all parts.
        this.actions.show(this.virtual ? view.actions : view.actions.filter(({ sources }) => !sources), view);
        this.#showProgress(view.progress);
        this.#announce(view, title);
    }

    /** @param {View} view @param {number} at */
    #showClocks(view, at) {
        // A question's 30 seconds matter more than the hour around it.
        const weight = (/** @type {import('./types.js').Timer} */ timer) => (timer.kind === 'pendulum' ? 1e12 : 0) + timer.length_ms;
        const timers = [...view.timers].sort((a, b) => weight(a) - weight(b));
        keyed(this.clocks, timers.map((timer) => ({ timer, at, frozen: view.paused })), (item) => JSON.stringify([item.timer.name, item.timer.label]), (first) => {
            const ring = new RingClock(this.context.ticker, first.timer.label);
            return { element: ring.element, stop: () => ring.stop(), update: (item) => this.#showRing(ring, item) };
        });
    }

    /** @param {RingClock} ring @param {{timer: import('./types.js').Timer, at: number, frozen: boolean}} item */
    #showRing(ring, { timer, at, frozen }) {
        const runs = !timer.paused && !this.virtual && this.context.ticker.passes;
        ring.show(course(timer, at, runs), runs ? 'runs' : frozen ? 'frozen' : timer.paused ? 'stopped' : 'still');
    }

    /** @param {number|null} progress */
    #showProgress(progress) {
        this.progress.hidden = progress === null || progress === undefined;
        const part = Math.min(1, Math.max(0, progress ?? 0));
        this.progress.setAttribute('aria-valuenow', Math.round(part * 100));
        this.progress.firstChild.style.transform = `scaleX(${part})`;
    }

    /** A changed state slides in. It is announced to screen readers, as are a pause and the end.
     *  @param {View} view @param {string} title */
    #announce(view, title) {
        const shown = `${view.life} ${view.state} ${title} ${view.text}`;
        const note = view.paused ? 'Paused' : this.note.textContent;
        const said = `${shown} ${note}`;
        if (this.#shown && shown !== this.#shown) move(this.words, [{ transform: 'translateX(16px)', opacity: 0 }, {}]);
        if (this.#said && said !== this.#said) this.context.notices.speak([title, view.text, note].filter(Boolean).join('. ').replaceAll('.. ', '. '));
        this.#shown = shown;
        this.#said = said;
    }

    /** Announces that nothing is shown now. The next view is announced even if it is the same as before.
     *  @param {string} said */
    gone(said) {
        this.#said = said;
        this.context.notices.speak(said);
    }

    stop() {
        keyed(this.clocks, [], () => '', () => ({ element: h('i') }));
    }
}

/** @param {HTMLElement} root @param {Context} context @param {string} name @param {boolean} [isKiosk] without links to other views */
export function player(root, context, name, isKiosk = false) {
    const { live, api, ticker, face } = context;
    const newest = new VersionFilter(live);
    /** @type {View|null} */
    let view = null;
    const card = new Card(context, (event, payload) => {
        if (!view) return Promise.resolve();
        return api.session(name, 'events', { event, payload, if: condition(view), source: 'ui' });
    });
    const figure = new Figure(ticker, (text) => face.time(text), leftText);
    const body = h('div', { class: 'player-body' });
    const leave = () => {
        fill(body, missingSession(api, name));
        card.gone(`${name} is not there`);
        face.show(`${name} · not there`, 'calm');
        figure.show(null);
    };
    fill(root, isKiosk ? null : header(name), body);
    const stopKiosk = isKiosk ? kiosk(root) : () => {};
    const stopWatching = live.watch(`session:${name}`, (data, at) => {
        if (!newest.accepts(data)) return;
        view = data.view;
        if (!view) return leave();
        if (body.firstChild !== card.element) fill(body, card.element);
        card.show(view, at);
        figure.show(firstCourse(view, at, ticker.passes));
        face.show(`${name} · ${stateText(view.state)}`, faceOf(view));
    });
    face.show(name, 'calm');
    const stopKeys = digits(card.actions);
    return () => { stopWatching(); stopKeys(); stopKiosk(); figure.stop(); card.stop(); };
}

/** The timer that matters most: the countdown that fires first, or else the pendulum; a paused one comes after those that run.
 *  @param {View} view @param {number} at @param {boolean} passes whether time does */
export function firstCourse(view, at, passes) {
    const swings = (/** @type {import('./types.js').Timer} */ timer) => Number(timer.kind === 'pendulum');
    const [first] = [...view.timers].sort((a, b) => Number(a.paused) - Number(b.paused) || swings(a) - swings(b) || a.remaining_ms - b.remaining_ms);
    return first ? course(first, at, passes && !first.paused) : null;
}

/** @param {string} name */
function header(name) {
    return h('header', { class: 'player-bar' }, h('a', { href: '/', 'aria-label': 'All sessions', class: 'quiet' }, 'gamed'), named(name),
        h('a', { href: `/m/${encodeURIComponent(name)}`, class: 'quiet end' }, 'Master'));
}

/** Keys 1 to 9 press the buttons, unless they may belong to a text whose input has just gone.
 *  @param {Actions} actions */
function digits(actions) {
    let typed = -Infinity;
    const press = (/** @type {KeyboardEvent} */ event) => {
        const now = performance.now();
        if (isTyping(event) || now - typed < TYPING_MS) typed = now;
        else if (!event.repeat && /^[1-9]$/.test(event.key)) actions.press(Number(event.key) - 1);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
}
