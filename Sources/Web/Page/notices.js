// @ts-check
// Short notices at the bottom: completed actions with undo; and the thin line on top while there is no connection.
import { fill, h, messageOf, move, pressOnce } from './dom.js';
import { dayTime } from './time.js';

const STAYS_MS = 6000;

export class Notices {
    #away = '';

    /** @param {import('./live.js').Live} live */
    constructor(live) {
        this.live = live;
        this.line = h('div', { class: 'connection', role: 'status' });
        this.list = h('div', { class: 'notices', role: 'status', 'aria-live': 'polite' });
        pressOnce(this.list);    // the notice above takes the place of one that goes
        this.spoken = h('div', { class: 'unseen', 'aria-live': 'polite' });
        document.body.append(this.line, this.list, this.spoken);
        // On a phone it can have several lines, and covers nothing.
        const room = () => document.body.style.setProperty('--line-of-connection', `${this.line.offsetHeight}px`);
        new ResizeObserver(room).observe(this.line, { box: 'border-box' });
        live.watchConnection(() => this.#drawLine());
    }

    /** Shows why the displayed session is no longer reported; an empty reason hides it.
     *  @param {string} reason */
    away(reason) {
        if (this.#away === reason) return;
        this.#away = reason;
        this.#drawLine();
    }

    /**
     * @param {string|import('./dom.js').Child[]} text names in it are isolated
     * @param {{kind?: 'done'|'refused', undo?: () => unknown, undoMs?: number, label?: string}} options `undoMs` if it can be undone no longer
     * @returns {() => boolean} removes the notice; returns whether it was still shown
     */
    say(text, { kind = 'done', undo, undoMs, label = 'Undo' } = {}) {
        const notice = h('div', { class: `notice ${kind}` }, h('span', {}, text));
        // A repeated notice is shown once.
        for (const known of this.list.children) if (known.firstElementChild?.textContent === notice.textContent) known.remove();
        const close = () => {
            const isShown = notice.isConnected;
            const hadFocus = notice.contains(document.activeElement);
            stopTimeout();
            notice.remove();
            if (hadFocus) (this.list.querySelector('button') ?? document.querySelector('main'))?.focus();
            return isShown;
        };
        const staysMs = undoMs ?? (kind === 'refused' ? 2 * STAYS_MS : STAYS_MS);
        const stopTimeout = startTimeout(notice, staysMs, close, undoMs === undefined);
        if (undo) notice.append(this.#undoButton(label, staysMs, () => { close(); undo(); }));
        notice.append(h('button', { class: 'quiet icon', 'aria-label': 'Dismiss', onclick: close }, '×'));
        this.list.append(notice);
        while (this.list.children.length > 3) this.list.firstElementChild?.remove();
        move(notice, [{ transform: 'translateY(8px)', opacity: 0 }, {}]);
        return close;
    }

    /** @param {unknown} error @returns {() => void} removes the notice */
    refuse(error) {
        return this.say(messageOf(error), { kind: 'refused' });
    }

    /** Announces a text to screen readers.
     *  @param {string} text */
    speak(text) {
        if (this.spoken.textContent !== text) this.spoken.textContent = text;
    }

    /** @param {string} label @param {number} ms @param {() => void} undo */
    #undoButton(label, ms, undo) {
        const fuse = h('i', { class: 'fuse' });
        requestAnimationFrame(() => fuse.animate([{ transform: 'scaleX(1)' }, { transform: 'scaleX(0)' }], { duration: ms, fill: 'both' }));
        return h('button', { class: 'undo', onclick: undo }, label, fuse);
    }

    #drawLine() {
        const { up } = this.live;
        document.body.classList.toggle('away', !up || this.#away !== '');
        const since = dayTime((this.live.lostAt ?? Date.now()) + this.live.ahead);
        fill(this.line, up ? this.#away && `Out of date: ${this.#away}` : `Reconnecting… Shown as of ${since}. New requests wait.`);
    }
}

/** A timeout that stands still while the pointer or the focus is on the notice, if it may be held.
 *  @param {HTMLElement} notice @param {number} ms @param {() => void} run @param {boolean} mayBeHeld @returns {() => void} stops it */
function startTimeout(notice, ms, run, mayBeHeld) {
    let left = ms;
    let began = performance.now();
    /** @type {any} */ let timeout = setTimeout(run, left);
    const fuse = () => notice.querySelector('.fuse')?.getAnimations() ?? [];
    const hold = () => {
        if (timeout === 0) return;
        clearTimeout(timeout);
        timeout = 0;
        left -= performance.now() - began;
        for (const animation of fuse()) animation.pause();
    };
    const go = () => {
        if (timeout !== 0 || !notice.isConnected || notice.matches(':hover, :focus-within')) return;
        began = performance.now();
        timeout = setTimeout(run, left);
        for (const animation of fuse()) animation.play();
    };
    if (mayBeHeld) {
        for (const name of ['pointerenter', 'focusin']) notice.addEventListener(name, hold);
        for (const name of ['pointerleave', 'focusout']) notice.addEventListener(name, go);
    }
    return () => clearTimeout(timeout);
}
