// @ts-check
// Small live plots: a figure and the last minute of it.
import { h, write } from './dom.js';

const SAMPLES = 60;
const NS = 'http://www.w3.org/2000/svg';

export class Plot {
    /** @type {number[]} */ #samples = [];

    /** @param {string} label @param {(value: number) => string} text @param {number} [least] the scale's top is at least this */
    constructor(label, text, least = 1) {
        this.text = text;
        this.least = least;
        this.figure = h('b');
        this.line = document.createElementNS(NS, 'path');
        this.area = document.createElementNS(NS, 'path');
        const svg = document.createElementNS(NS, 'svg');
        for (const [name, value] of Object.entries({ viewBox: '0 0 60 20', preserveAspectRatio: 'none', 'aria-hidden': 'true', class: 'plot' })) svg.setAttribute(name, value);
        this.area.setAttribute('class', 'area');
        svg.append(this.area, this.line);
        this.element = h('div', { class: 'figure-plot' }, h('span', { class: 'figure-text' }, this.figure, h('span', { class: 'faint' }, ` ${label}`)), svg);
    }

    /** @param {number} value */
    add(value) {
        this.#samples.push(value);
        if (this.#samples.length > SAMPLES) this.#samples.shift();
        write(this.figure, this.text(value));
        const top = Math.max(this.least, ...this.#samples) * 1.1;
        const left = SAMPLES - this.#samples.length;
        const points = this.#samples.map((sample, i) => `${left + i},${(19 - 18 * sample / top).toFixed(1)}`);
        this.line.setAttribute('d', points.length > 1 ? `M${points.join('L')}` : '');
        this.area.setAttribute('d', points.length > 1 ? `M${left},20L${points.join('L')}L${SAMPLES - 1},20Z` : '');
    }
}
