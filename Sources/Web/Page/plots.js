// @ts-check
// Small live plots: a figure and the last minute of it.
import { h, write } from './dom.js';

const SAMPLES = 60;
const FEW = 15;
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
        for (const [name, value] of Object.entries({ viewBox: '0 0 60 20', preserveAspectRatio: 'none', 'aria-hidden': 'true',
            class: 'plot' })) svg.setAttribute(name, value);
        this.area.setAttribute('class', 'area');
        svg.append(this.area, this.line);
        this.element = h('div', { class: 'figure-plot' }, h('span', { class: 'figure-text' }, this.figure,
            h('span', { class: 'faint' }, ` ${label}`)), svg);
    }

    /** @param {number} value */
    add(value) {
        this.#samples.push(value);
        if (this.#samples.length > SAMPLES) this.#samples.shift();
        write(this.figure, this.text(value));
        const top = Math.max(this.least, ...this.#samples) * 1.1;
        // The first samples fill the whole width.
        const count = this.#samples.length;
        const step = SAMPLES / (Math.max(FEW, count) - 1);
        const points = this.#samples.map((sample,
            i) => `${(SAMPLES - (count - 1 - i) * step).toFixed(1)},${(19 - 18 * sample / top).toFixed(1)}`);
        const first = (SAMPLES - (count - 1) * step).toFixed(1);
        this.line.setAttribute('d', count > 1 ? `M0,19.5H${first}M${points.join('L')}` : 'M0,19.5H60');
        this.area.setAttribute('d', count > 1 ? `M${first},20L${points.join('L')}V20Z` : '');
    }
}
