// @ts-check
// The overview's table: the matching rows in their order, with keyboard navigation.
import { SessionActions } from './sessionactions.js';
import { h, pressOnce, whileBusy } from './dom.js';
import { FilterBar } from './filterbar.js';
import { isTyping, showKeys } from './keys.js';
import { SessionRow } from './sessionrow.js';
import { VirtualList } from './table.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('./types.js').HeldRow} HeldRow */

const REFRESH_MS = 250;
const STABLE = new Set(['name', 'flow', 'state']);

export class SessionList {
    /** @type {any} */ #timeout = 0;
    #last = 0;
    /** The session to scroll to, once all rows are there: a user who comes back finds the place again. */ #toReveal = '';
    /** @type {SessionActions|undefined} of the session whose timer was extended last */ #actions;

    /**
     * @param {Context} context @param {import('./sessions.js').SessionStore} store
     * @param {HTMLElement} empty shown if there are no sessions
     */
    constructor(context, store, empty) {
        this.context = context;
        this.store = store;
        this.empty = empty;
        this.touch = matchMedia('(pointer: coarse)').matches;
        this.bar = new FilterBar(context.place, () => this.#draw(true));
        this.list = new VirtualList({ label: 'Sessions', head: this.bar.head, rowHeight: this.touch ? 48 : 28, keyOf: (row) => row.name,
            make: () => new SessionRow(context.ticker, (row, button) => this.#pause(row, button)) });
        pressOnce(this.list.element);
        this.list.element.addEventListener('click', (/** @type {MouseEvent} */ event) => this.#click(event));
        this.list.element.addEventListener('dblclick', (/** @type {MouseEvent} */ event) => {
            if (!/** @type {Element} */ (event.target).closest('button')) this.#open('m');
        });
        this.none = h('p', { class: 'none', hidden: true }, 'No session matches. ',
            h('button', { onclick: () => this.bar.clear() }, 'Show all'));
        this.element = h('section', { class: `sessions${this.touch ? ' touch' : ''}`, 'aria-label': 'Sessions' },
            this.bar.element, this.bar.head, this.list.element, this.none, this.empty);
        this.#toReveal = context.place.get('sel');
        this.list.select(this.#toReveal);
        addEventListener('keydown', this.#key);
    }

    /** Applies the address after the user went back. */
    readPlace() {
        this.bar.readPlace();
        this.list.select(this.context.place.get('sel'));
        this.refresh();
    }

    /** Schedules a refresh, at most as often as people can see. */
    refresh() {
        clearTimeout(this.#timeout);
        const wait = this.#last + REFRESH_MS - performance.now();
        if (wait <= 0) this.#draw(false);
        else this.#timeout = setTimeout(() => this.#draw(false), wait);
    }

    /** @param {boolean} asked whether the user changed the order */
    #draw(asked) {
        this.#last = performance.now();
        const filter = this.bar.filter;
        const rows = this.store.list(filter);
        this.list.show(rows, STABLE.has(filter.sort) && !asked);
        if (this.store.complete) this.#reveal();
        this.bar.show(this.store, rows.length);
        const isEmpty = this.store.complete && this.store.rows.size === 0;
        this.empty.hidden = !isEmpty;
        this.none.hidden = isEmpty || rows.length > 0 || !this.store.complete;
        this.element.classList.toggle('is-empty', isEmpty);
    }

    /** Unless the user has scrolled meanwhile. */
    #reveal() {
        if (this.#toReveal && this.list.element.scrollTop === 0) this.list.select(this.#toReveal, true);
        this.#toReveal = '';
    }

    /** @param {MouseEvent} event */
    #click(event) {
        const target = /** @type {Element} */ (event.target);
        const link = target.closest('.row')?.querySelector('a');
        if (!link || target.closest('button')) return;
        this.#select(link.title);
        if (target.closest('a')) return;
        if (this.touch) this.#open('m');
    }

    /** @param {string} name */
    #select(name) {
        this.list.select(name, true);
        this.context.place.set({ sel: name });
    }

    /** The selected row; undefined if the filter hides it. */
    get #selected() {
        return this.store.rows.get(this.list.selected);
    }

    /** @param {'m'|'s'} view */
    #open(view) {
        if (this.#selected) this.context.place.go(`/${view}/${encodeURIComponent(this.#selected.name)}`);
    }

    /** The selected row's button, which is busy while an action of a key waits; the list itself if the row is out of sight.
     *  @returns {HTMLElement} */
    get #button() {
        return this.list.element.querySelector('[aria-selected=true]:not([hidden]) button') ?? this.list.element;
    }

    /** @param {HeldRow} row @param {HTMLElement} button */
    #pause(row, button) {
        whileBusy(button, () => new SessionActions(this.context, row.name).setPaused(!row.paused), () => {});
    }

    /** They know which extensions are undone together.
     *  @param {string} name */
    #actionsOf(name) {
        if (this.#actions?.name !== name) this.#actions = new SessionActions(this.context, name);
        return this.#actions;
    }

    /** @param {HeldRow} row */
    #pauseByKey(row) {
        if (row.final && !row.paused) return this.context.notices.refuse(`${row.name} has ended: no timer runs`);
        this.#pause(row, this.#button);
    }

    /** @param {number} ms */
    #extend(ms) {
        const row = this.#selected;
        if (!row) return;
        if (!row.timer) return this.context.notices.refuse(`${row.name} has no timer that runs`);
        const { name, version, timer } = row;
        whileBusy(this.#button, () => this.#actionsOf(name).extend(timer.name, ms, version, timer.generation),
            (error) => this.context.notices.refuse(error));
    }

    #key = (/** @type {KeyboardEvent} */ event) => {
        const action = event.target === this.bar.q ? this.#actionInFilter(event.key)
            : isTyping(event) || this.element.hidden ? undefined : this.#action(event.key, /** @type {Element} */ (event.target));
        if (!action) return;
        event.preventDefault();
        if (!event.repeat || /^(Arrow|Page)/.test(event.key)) action();
    };

    /** Moves from the filter to the rows that it found.
     *  @param {string} key @returns {(() => void)|undefined} */
    #actionInFilter(key) {
        const toList = () => { this.list.element.focus(); this.#move(this.#selected ? 0 : 1); };
        return { Escape: () => { this.bar.clear(); this.list.element.focus(); }, Enter: toList, ArrowDown: toList }[key];
    }

    /** @param {string} key @param {Element} target @returns {(() => void)|undefined} */
    #action(key, target) {
        const page = this.list.page;
        const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 }[key];
        if (step) return () => this.#move(step);
        if (key === 'Enter') return target.closest('a, button') ? undefined : () => this.#open('m');
        const row = this.#selected;
        return {
            '/': () => { this.bar.q.focus(); this.bar.q.select(); }, '?': showKeys, o: () => this.#open('s'),
            p: () => row && this.#pauseByKey(row), Escape: () => this.bar.clear(),
            '+': () => this.#extend(10_000), '=': () => this.#extend(10_000), '-': () => this.#extend(-10_000),
        }[key];
    }

    /** @param {number} by */
    #move(by) {
        const row = this.list.neighbour(by);
        if (row) this.#select(row.name);
    }

    stop() {
        clearTimeout(this.#timeout);
        removeEventListener('keydown', this.#key);
        this.list.stop();
    }
}
