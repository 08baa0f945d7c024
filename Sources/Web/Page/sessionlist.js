// @ts-check
// The overview's table: filtered and sorted by what stands in the address, moved through by keys.
import { fill, h, write } from './dom.js';
import { isTyping, showKeys } from './keys.js';
import { SessionDeeds } from './deeds.js';
import { SessionRow } from './sessionrow.js';
import { VirtualList } from './table.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('./types.js').HeldRow} HeldRow */

const REFRESH_MS = 250;
/** @type {[string, string][]} */
const SORTS = [['fires', 'fires next'], ['name', 'name'], ['flow', 'flow'], ['state', 'state'], ['since', 'changed last'], ['version', 'most events']];
/** @type {[string, string][]} */
const ONLY = [['', 'all'], ['running', 'running'], ['paused', 'stopped'], ['final', 'ended']];
/** @type {[string, string, string][]} */
const COLUMNS = [['c-name', 'name', 'session'], ['c-flow', 'flow', 'flow'], ['c-state', 'state', 'state'], ['c-bar', 'fires', 'fires next'],
    ['c-version', 'version', 'version'], ['c-age', 'since', 'since']];

export class SessionList {
    /** @type {any} */ #timeout = 0;
    #last = 0;
    #listed = 0;

    /** @param {Context} context @param {import('./sessions.js').SessionStore} store @param {HTMLElement} empty what is shown instead of no session */
    constructor(context, store, empty) {
        this.context = context;
        this.store = store;
        this.empty = empty;
        const touch = matchMedia('(pointer: coarse)').matches;
        this.list = new VirtualList({ label: 'Sessions', rowHeight: touch ? 48 : 28, keyOf: (row) => row.name,
            make: () => new SessionRow(context.ticker, (row) => this.#pause(row)) });
        this.list.element.addEventListener('click', (/** @type {MouseEvent} */ event) => this.#click(event, touch));
        this.list.element.addEventListener('dblclick', () => this.#open('m'));
        this.none = h('p', { class: 'none', hidden: true }, 'No session fits. ', h('button', { onclick: () => this.#clear() }, 'Show all'));
        this.element = h('section', { class: `sessions${touch ? ' touch' : ''}`, 'aria-label': 'Sessions' }, this.#tools(), this.#heads(), this.list.element, this.none, this.empty);
        this.list.select(context.place.get('sel'));
        addEventListener('keydown', this.#key);
    }

    #tools() {
        const { place } = this.context;
        const keep = () => this.refresh(true);
        this.q = h('input', { type: 'search', placeholder: 'Filter  /', 'aria-label': 'Filter by name, flow or state', value: place.get('q'), spellcheck: false, oninput: keep });
        this.flow = h('select', { 'aria-label': 'Flow', onchange: () => { this.state.value = ''; keep(); } });
        this.state = h('select', { 'aria-label': 'State', onchange: keep });
        this.only = h('select', { 'aria-label': 'Which', onchange: keep }, ...ONLY.map(([value, name]) => h('option', { value, selected: value === place.get('only') }, name)));
        this.sort = h('select', { 'aria-label': 'Sort by', onchange: () => { this.back = false; keep(); } }, ...SORTS.map(([value, name]) => h('option', { value, selected: value === place.get('sort') }, `↓ ${name}`)));
        this.back = place.get('back') === '1';
        this.counted = h('span', { class: 'faint counted', role: 'status' });
        this.#options(place.get('flow'), place.get('state'));
        return h('div', { class: 'tools', role: 'search' }, this.q, this.flow, this.state, this.only, this.sort, this.counted,
            h('button', { class: 'quiet icon keys-button', 'aria-label': 'Keys', title: 'Keys (?)', onclick: showKeys }, '?'));
    }

    #heads() {
        this.heads = COLUMNS.map(([place, sort, label]) => h('span', { role: 'columnheader', class: `cell ${place}` },
            h('button', { class: 'quiet', 'data-sort': sort, onclick: () => this.#sortBy(sort) }, label)));
        return h('div', { class: 'row heads', role: 'row' }, ...this.heads);
    }

    /** @param {string} sort */
    #sortBy(sort) {
        this.back = this.sort.value === sort && !this.back;
        this.sort.value = sort;
        this.refresh(true);
    }

    /** @param {string} flow @param {string} state */
    #options(flow, state) {
        options(this.flow, 'all flows', this.store.values('flow', ''), flow);
        options(this.state, 'all states', this.store.values('state', flow), state);
    }

    /** Soon, and not more often than people see. @param {boolean} [now] */
    refresh(now = false) {
        clearTimeout(this.#timeout);
        const wait = now ? 0 : this.#last + REFRESH_MS - performance.now();
        if (wait <= 0) this.#draw(now);
        else this.#timeout = setTimeout(() => this.#draw(false), wait);
    }

    /** @param {boolean} moved whether the user has asked for something else */
    #draw(moved) {
        this.#last = performance.now();
        this.#options(this.flow.value, this.state.value);
        const filter = { q: this.q.value.trim(), flow: this.flow.value, state: this.state.value, only: this.only.value, sort: this.sort.value, back: this.back };
        if (moved) this.context.place.set({ ...filter, sort: filter.sort === 'fires' ? '' : filter.sort, back: filter.back ? '1' : '' });
        const rows = this.store.list(filter);
        const stable = !['fires', 'since', 'version'].includes(filter.sort);
        this.list.show(rows, stable && !moved);
        this.#showCount(rows.length);
        for (const head of this.heads) this.#showSort(head, filter.sort);
    }

    /** @param {HTMLElement} head @param {string} sort */
    #showSort(head, sort) {
        const isSorted = /** @type {HTMLElement} */ (head.firstElementChild).dataset.sort === sort;
        head.setAttribute('aria-sort', isSorted ? (this.back ? 'descending' : 'ascending') : 'none');
    }

    /** @param {number} count */
    #showCount(count) {
        const all = this.store.rows.size;
        if (count !== this.#listed) write(this.counted, count === all ? '' : `${count.toLocaleString()} of ${all.toLocaleString()}`);
        this.#listed = count;
        const empty = this.store.complete && all === 0;
        this.empty.hidden = !empty;
        this.none.hidden = empty || count > 0 || !this.store.complete;
        this.element.classList.toggle('is-empty', empty);
    }

    #clear() {
        this.q.value = this.flow.value = this.state.value = this.only.value = '';
        this.refresh(true);
    }

    /** @param {MouseEvent} event @param {boolean} touch */
    #click(event, touch) {
        const row = /** @type {Element} */ (event.target).closest('.row');
        const link = row?.querySelector('a');
        if (!link || /** @type {Element} */ (event.target).closest('a, button')) return;
        this.#select(link.title);
        if (touch) this.#open('m');
    }

    /** @param {string} name */
    #select(name) {
        this.list.select(name, true);
        this.context.place.set({ sel: name });
    }

    get #selected() {
        return this.store.rows.get(this.context.place.get('sel'));
    }

    /** @param {'m'|'s'} view */
    #open(view) {
        if (this.#selected) this.context.place.go(`/${view}/${encodeURIComponent(this.#selected.name)}`);
    }

    /** @param {HeldRow} row */
    #pause(row) {
        const deeds = new SessionDeeds(this.context, row.name);
        (row.paused ? deeds.resume() : deeds.pause()).catch((error) => this.context.notices.refuse(error));
    }

    /** @param {number} ms */
    #extend(ms) {
        const row = this.#selected;
        if (!row) return;
        if (!row.timer) return this.context.notices.refuse(`${row.name} has no timer that runs`);
        new SessionDeeds(this.context, row.name).extend(row.timer.name, ms).catch((error) => this.context.notices.refuse(error));
    }

    #key = (/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'Escape' && event.target === this.q) { this.#clear(); this.list.element.focus(); return; }
        if ((event.key === 'Enter' || event.key === 'ArrowDown') && event.target === this.q) { event.preventDefault(); this.list.element.focus(); this.#move(this.#selected ? 0 : 1); return; }
        if (isTyping(event) || this.element.hidden) return;
        const deed = this.#deed(event.key, /** @type {Element} */ (event.target));
        if (!deed) return;
        event.preventDefault();
        deed();
    };

    /** @param {string} key @param {Element} target @returns {(() => void)|undefined} */
    #deed(key, target) {
        const page = this.list.page;
        const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 };
        const step = steps[/** @type {keyof typeof steps} */ (key)];
        if (step) return () => this.#move(step);
        if (key === 'Enter') return target.closest('a, button') ? undefined : () => this.#open('m');
        const row = this.#selected;
        return { '/': () => { this.q.focus(); this.q.select(); }, '?': showKeys, o: () => this.#open('s'), p: () => row && this.#pause(row),
            '+': () => this.#extend(10_000), '=': () => this.#extend(10_000), '-': () => this.#extend(-10_000) }[key];
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

/** @param {any} select @param {string} all @param {string[]} values @param {string} chosen */
function options(select, all, values, chosen) {
    if (chosen && !values.includes(chosen)) values = [chosen, ...values];
    const key = JSON.stringify([values, chosen]);
    if (select.dataset.key === key) return;
    select.dataset.key = key;
    fill(select, h('option', { value: '' }, all), ...values.map((value) => h('option', { value, selected: value === chosen }, value)));
}
