// @ts-check
// A list of any length of which only the visible rows have elements: 10,000 items need 40.
import { h } from './dom.js';

const SPARE = 6;

/** @typedef {{element: HTMLElement, show: (item: any, index: number, selected: boolean) => void,
 *   hide: () => void, stop: () => void}} RowView */

export class VirtualList {
    /** @type {any[]} */ #items = [];
    /** @type {Map<string, RowView>} */ #shown = new Map();
    /** @type {RowView[]} */ #free = [];
    #planned = false;
    #selected = '';

    /**
     * @param {{label: string, head: HTMLElement, rowHeight: number, keyOf: (item: any) => string, make: () => RowView}} options
     */
    constructor({ label, head, rowHeight, keyOf, make }) {
        this.rowHeight = rowHeight;
        this.keyOf = keyOf;
        this.make = make;
        this.space = h('div', { class: 'space', role: 'rowgroup', id: 'rows' });
        // The head does not scroll, and is the first row of the grid nevertheless.
        this.element = h('div', { class: 'virtual', role: 'grid', tabindex: 0, 'aria-label': label, 'aria-owns': `${head.id} rows`,
            onscroll: () => this.#plan() }, this.space);
        this.observer = new ResizeObserver(() => this.#plan());
        this.observer.observe(this.element);
    }

    /** @param {any[]} items @param {boolean} anchored whether the top row stays on top while rows before it change */
    show(items, anchored) {
        const top = Math.floor(this.element.scrollTop / this.rowHeight);
        const onTop = anchored && top > 0 && this.#items[top] ? this.keyOf(this.#items[top]) : null;
        this.#items = items;
        this.space.style.height = `${items.length * this.rowHeight}px`;
        this.element.setAttribute('aria-rowcount', String(items.length + 1));
        if (onTop !== null) this.#keepOnTop(onTop, top);
        this.#draw();
    }

    /** @param {string} key @param {number} before */
    #keepOnTop(key, before) {
        if (this.#items[before] && this.keyOf(this.#items[before]) === key) return;
        const index = this.#items.findIndex((item) => this.keyOf(item) === key);
        if (index >= 0) this.element.scrollTop += (index - before) * this.rowHeight;
    }

    /** @param {string} key @param {boolean} [reveal] */
    select(key, reveal = false) {
        this.#selected = key;
        if (reveal) this.#reveal(this.#items.findIndex((item) => this.keyOf(item) === key));
        this.#draw();
    }

    /** The key of the selected item; empty if the list does not contain it. */
    get selected() {
        return this.#items.some((item) => this.keyOf(item) === this.#selected) ? this.#selected : '';
    }

    /** The item `by` rows from the selected one.
     *  @param {number} by */
    neighbour(by) {
        const index = this.#items.findIndex((item) => this.keyOf(item) === this.#selected);
        const from = index >= 0 ? index : by > 0 ? -1 : this.#items.length;
        return this.#items[Math.min(this.#items.length - 1, Math.max(0, from + by))];
    }

    /** Number of visible rows. */
    get page() {
        return Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 1);
    }

    /** @param {number} index */
    #reveal(index) {
        if (index < 0) return;
        const top = index * this.rowHeight;
        const { scrollTop, clientHeight } = this.element;
        if (top < scrollTop) this.element.scrollTop = top;
        else if (top + this.rowHeight > scrollTop + clientHeight) this.element.scrollTop = top + this.rowHeight - clientHeight;
    }

    #plan() {
        if (this.#planned) return;
        this.#planned = true;
        requestAnimationFrame(() => { this.#planned = false; this.#draw(); });
    }

    #draw() {
        const first = Math.max(0, Math.floor(this.element.scrollTop / this.rowHeight) - SPARE);
        const last = Math.min(this.#items.length, first + Math.ceil(this.element.clientHeight / this.rowHeight) + 2 * SPARE);
        const seen = this.#items.slice(first, last);
        this.#release(new Set(seen.map(this.keyOf)));
        seen.forEach((item, i) => this.#place(item, first + i));
        const active = this.#shown.get(this.#selected);
        if (active) this.element.setAttribute('aria-activedescendant', active.element.id);
        else this.element.removeAttribute('aria-activedescendant');
    }

    /** @param {Set<string>} seen */
    #release(seen) {
        for (const [key, view] of this.#shown) {
            if (seen.has(key)) continue;
            this.#shown.delete(key);
            view.hide();
            view.element.hidden = true;
            this.#free.push(view);
        }
    }

    /** @param {any} item @param {number} index */
    #place(item, index) {
        const key = this.keyOf(item);
        const view = this.#shown.get(key) ?? this.#free.pop() ?? this.#new();
        this.#shown.set(key, view);
        view.element.hidden = false;
        view.element.style.transform = `translateY(${index * this.rowHeight}px)`;
        view.element.setAttribute('aria-rowindex', String(index + 2));
        view.element.setAttribute('aria-selected', String(key === this.#selected));
        view.show(item, index, key === this.#selected);
    }

    #new() {
        const view = this.make();
        view.element.id = `row-${this.#shown.size + this.#free.length}-${Math.random().toString(36).slice(2, 8)}`;
        this.space.append(view.element);
        return view;
    }

    stop() {
        this.observer.disconnect();
        for (const view of [...this.#shown.values(), ...this.#free]) view.stop();
    }
}
