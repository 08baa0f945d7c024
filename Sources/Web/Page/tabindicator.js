// @ts-check
// The tab's title with the most important information, and its icon in the colour of the state.

const COLOURS = { calm: '#8a8f98', running: '#2f9e6e', stopped: '#c98a12', refused: '#d5483b', accent: '#4f6ef0' };

/** @typedef {keyof typeof COLOURS} Colour */

/** Shapes, for colour-blind users.
 *  @type {Partial<Record<Colour, string>>} */
const MARKS = {
    stopped: '<path d="M13 11v10M19 11v10" stroke-width="3"/>',
    refused: '<path d="M16 10v7M16 21v1" stroke-width="3.5"/>',
};

/** @param {Colour} colour */
function icon(colour) {
    const mark = MARKS[colour] ?? '';
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="${COLOURS[colour]}" stroke-linecap="round">`
        + '<circle cx="16" cy="16" r="12" stroke-opacity=".3" stroke-width="6"/>'
        + `<path d="M16 4a12 12 0 1 1-10.4 6" stroke-width="6"/>${mark}</svg>`;
}

export class TabIndicator {
    #title = '';
    #time = '';
    /** @type {Colour|''} */ #colour = '';

    constructor() {
        document.addEventListener('asleep', () => {
            this.time('');
            this.showUnknown();
        });
    }

    /** Until the next `show`: a hidden tab and one without a connection know no state. */
    showUnknown() {
        this.#paint('calm');
    }

    /** @param {string} title @param {Colour} colour */
    show(title, colour) {
        this.#title = title;
        this.#write();
        this.#paint(colour);
    }

    /** @param {Colour} colour */
    #paint(colour) {
        if (colour === this.#colour) return;
        this.#colour = colour;
        document.querySelector('link[rel=icon]')?.setAttribute('href', 'data:image/svg+xml,' + encodeURIComponent(icon(colour)));
    }

    /** Sets the time before the title; empty if it is unknown.
     *  @param {string} time */
    time(time) {
        if (time === this.#time) return;
        this.#time = time;
        this.#write();
    }

    #write() {
        const title = (this.#time ? `${this.#time} · ` : '') + this.#title;
        if (document.title !== title) document.title = title;
    }
}
