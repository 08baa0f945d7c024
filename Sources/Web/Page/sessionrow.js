// @ts-check
// One row of the overview: a session, its state, and its next timer.
import { course, Figure, Hand } from './clock.js';
import { h, write } from './dom.js';
import { stateText } from './names.js';
import { agoText, clockText, untilAgo } from './time.js';

/** @typedef {import('./types.js').HeldRow} HeldRow */

export class SessionRow {
    /** @type {HeldRow|null} */ row = null;
    #state = '';

    /** @param {import('./ticker.js').Ticker} ticker @param {(row: HeldRow, button: HTMLElement) => void} pause */
    constructor(ticker, pause) {
        this.ticker = ticker;
        this.hand = new Hand('bar');
        this.name = h('a', { class: 'name', tabindex: -1 }, h('bdi'));
        this.flow = h('bdi', { class: 'flow' });
        this.state = h('bdi', { class: 'state', dir: 'ltr' });
        this.mark = h('span', { class: 'mark' });
        this.left = h('span', { class: 'left' });
        this.version = h('span', { class: 'version' });
        this.age = h('span', { class: 'age' });
        this.button = h('button', { class: 'quiet icon', tabindex: -1, onclick: () => this.row && pause(this.row, this.button) });
        const cell = (/** @type {string} */ name, /** @type {any[]} */ ...content) => h('span', { role: 'gridcell', class: `cell ${name}` },
            ...content);
        this.element = h('div', { class: 'row', role: 'row' }, cell('c-name', this.name), cell('c-flow', this.flow),
            cell('c-state', this.mark, h('span', { class: 'state-end' }, this.state)),
            cell('c-bar', this.hand.element), cell('c-left', this.left), cell('c-version', this.version), cell('c-age', this.age),
                cell('c-action', this.button));
        this.state.addEventListener('animationend', () => this.element.classList.remove('moved'));
        this.figure = new Figure(ticker, (text, left) => this.#draw(text, left), clockText);
    }

    /** @param {HeldRow} row */
    show(row) {
        if (this.row === row) return;
        const moved = this.row?.name === row.name && this.#state !== row.state;
        this.row = row;
        this.#state = row.state;
        write(this.name.firstChild, row.name);
        this.name.href = `/m/${encodeURIComponent(row.name)}`;
        this.name.title = row.name;
        write(this.flow, row.flow);
        write(this.state, stateText(row.state));
        this.state.title = row.state;
        this.state.parentElement.classList.toggle('is-several', row.state.includes(','));
        write(this.version, `v ${row.version}`);
        this.element.dataset.kind = row.away ? 'away' : row.final ? 'final' : row.paused ? 'frozen' : row.timer?.paused ? 'stopped' : 'runs';
        write(this.mark, row.away ? '… ' : row.paused ? '❚❚ ' : row.final ? '■ ' : '');
        this.mark.title = row.away ? 'its node is away' : row.paused ? 'paused' : row.final ? 'ended' : '';
        this.#showButton(row);
        this.#showTimer(row);
        this.ticker.add(this.tick);
        if (moved) this.element.classList.add('moved');
    }

    /** @param {HeldRow} row */
    #showButton(row) {
        write(this.button, row.paused ? '▶' : '❚❚');
        this.button.setAttribute('aria-label', `${row.paused ? 'Resume' : 'Pause'} ${row.name}`);
        this.button.hidden = row.final || row.away;
    }

    /** @param {HeldRow} row */
    #showTimer(row) {
        this.hand.element.hidden = !row.timer;
        const now = row.timer && course(row.timer, row.at, !row.timer.paused && !row.paused && this.ticker.passes);
        if (now) this.hand.show(now);
        else this.hand.stopAnimation();
        this.figure.show(now);
        this.left.title = row.timer?.name ?? '';
    }

    /** @param {string} text @param {number} left */
    #draw(text, left) {
        write(this.left, text);
        this.element.classList.toggle('urgent', left <= 10_000 && this.element.dataset.kind === 'runs'
            && this.row?.timer?.kind === 'countdown');
    }

    tick = (/** @type {number} */ now) => {
        if (!this.row) return Infinity;
        const { passes } = this.ticker;
        const ago = this.row.since_ms + (passes ? now - this.row.at : 0);
        write(this.age, agoText(ago));
        return passes ? untilAgo(ago) : Infinity;
    };

    hide() {
        this.row = null;
        this.#state = '';
        this.element.classList.remove('moved');
        this.button.removeAttribute('aria-busy');
        this.ticker.remove(this.tick);
        this.figure.stop();
        this.hand.stopAnimation();
    }

    /** A paused animation would keep the row in memory, and with it the whole list. */
    stop() {
        this.hide();
        this.hand.stop();
    }
}
