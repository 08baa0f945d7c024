// @ts-check
// The filter and order of the overview's table. They are kept in the address, for links and for the browser's history.
import { fill, h, write } from './dom.js';
import { showKeys } from './keys.js';

/** @typedef {import('./sessions.js').Filter} Filter */
/** @typedef {import('./sessions.js').SessionStore} SessionStore */

/** @type {[string, string][]} */
const SORTS = [
    ['fires', 'fires next'], ['name', 'name'], ['flow', 'flow'], ['state', 'state'], ['since', 'changed last'], ['version', 'most events'],
];
/** @type {[string, string][]} */
const ONLY = [['', 'all'], ['running', 'running'], ['paused', 'paused'], ['final', 'ended']];
/** @type {[string, string, string][]} */
const COLUMNS = [
    ['c-name', 'name', 'session'], ['c-flow', 'flow', 'flow'], ['c-state', 'state', 'state'], ['c-bar', 'fires', 'fires next'],
    ['c-version', 'version', 'version'], ['c-age', 'since', 'since'],
];

const ANNOUNCED_MS = 1000;

export class FilterBar {
    #back = false;
    /** @type {any} */ #announcing = 0;

    /** @param {import('./place.js').Place} place @param {() => void} onchange */
    constructor(place, onchange) {
        this.place = place;
        this.onchange = onchange;
        this.element = this.#tools();
        this.heads = COLUMNS.map(([column, sort, label]) => h('span', { role: 'columnheader', class: `cell ${column}`,
            'aria-colspan': column === 'c-bar' ? 2 : null },
            h('button', { class: 'quiet', 'data-sort': sort, onclick: () => this.#sortBy(sort) }, label)));
        this.head = h('div', { class: 'row heads', role: 'row', id: 'heads', 'aria-rowindex': 1 }, ...this.heads);
        this.readPlace();
    }

    #tools() {
        const changed = () => this.#changed();
        this.q = h('input', {
            type: 'search', placeholder: 'Filter  /', 'aria-label': 'Filter by name, flow or state', spellcheck: false, oninput: changed,
        });
        this.flow = h('select', { 'aria-label': 'Flow', onchange: () => { this.state.value = ''; changed(); } });
        this.state = h('select', { 'aria-label': 'State', onchange: changed });
        this.only = h('select', { 'aria-label': 'Which', onchange: changed }, ...ONLY.map(([value, name]) => h('option', { value }, name)));
        this.sort = h('select', { 'aria-label': 'Sort by', onchange: () => { this.#back = false; changed(); } },
            ...SORTS.map(([value, name]) => h('option', { value }, `↓ ${name}`)));
        this.counted = h('span', { class: 'faint counted' });
        this.spoken = h('span', { class: 'unseen', role: 'status' });
        const keys = h('button', { class: 'quiet icon keys-button', 'aria-label': 'Keys', title: 'Keys (?)', onclick: showKeys }, '?');
        return h('div', { class: 'tools', role: 'search' }, this.q, this.flow, this.state, this.only, this.sort, this.counted, this.spoken, keys);
    }

    /** @returns {Filter} */
    get filter() {
        return {
            q: this.q.value.trim(), flow: this.flow.value, state: this.state.value, only: this.only.value, sort: this.sort.value,
                back: this.#back,
        };
    }

    /** Applies the address: at the start, and after the user went back. */
    readPlace() {
        const { place } = this;
        this.q.value = place.get('q');
        this.only.value = place.get('only');
        this.sort.value = place.get('sort') || 'fires';
        if (!this.sort.value) this.sort.value = 'fires';
        this.#back = place.get('back') === '1';
        options(this.flow, 'all flows', [], place.get('flow'));
        options(this.state, 'all states', [], place.get('state'));
        this.#showSort();
    }

    #changed() {
        const filter = this.filter;
        this.place.set({ ...filter, sort: filter.sort === 'fires' ? '' : filter.sort, back: filter.back ? '1' : '' });
        this.#showSort();
        this.onchange();
        // The number changes with the sessions, too: only what the user has changed is announced, and once.
        clearTimeout(this.#announcing);
        this.#announcing = setTimeout(() => write(this.spoken, this.counted.textContent ?? ''), ANNOUNCED_MS);
    }

    /** Sorts by a column; the same column again reverses the order.
     *  @param {string} sort */
    #sortBy(sort) {
        this.#back = this.sort.value === sort && !this.#back;
        this.sort.value = sort;
        this.#changed();
    }

    #showSort() {
        for (const head of this.heads) {
            const isSorted = /** @type {HTMLElement} */ (head.firstElementChild).dataset.sort === this.sort.value;
            head.setAttribute('aria-sort', isSorted ? (this.#back ? 'descending' : 'ascending') : 'none');
        }
    }

    /** @param {SessionStore} store @param {number} count number of matching sessions */
    show(store, count) {
        options(this.flow, 'all flows', store.values('flow', ''), this.flow.value);
        // A list that a person may have open stays as it is.
        if (document.activeElement !== this.state) options(this.state, 'all states', store.values('state', this.flow.value), this.state.value);
        const all = store.rows.size;
        write(this.counted, count === all ? '' : `${count.toLocaleString()} of ${all.toLocaleString()}`);
    }

    clear() {
        this.q.value = this.flow.value = this.state.value = this.only.value = '';
        this.#changed();
    }
}

/** Rebuilds a list of choices only if it differs, since it may be open.
 *  @param {any} select @param {string} all @param {string[]} values @param {string} chosen */
function options(select, all, values, chosen) {
    const names = chosen && !values.includes(chosen) ? [chosen, ...values] : values;
    const key = JSON.stringify([names, chosen]);
    if (select.dataset.key === key) return;
    select.dataset.key = key;
    fill(select, h('option', { value: '' }, all), ...names.map((value) => h('option', { value, selected: value === chosen }, value)));
}
