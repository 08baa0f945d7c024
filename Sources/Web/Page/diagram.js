// @ts-check
// A flow's diagram: the current state highlighted, possible transitions strong, the rest faint. States and edges can be pressed.
import { path } from './api.js';
import { fill, h, messageOf, prefersReducedMotion, pressOnce } from './dom.js';
import { activeStates } from './names.js';
import { stateList } from './statelist.js';

/** @typedef {import('./types.js').Graph} Graph */
/** @typedef {{state: string, events: Set<string>, timers: Set<string>}} Lit */
/** @typedef {{onEdge?: (edge: import('./types.js').GraphEdge) => void, onState?: (name: string) => void}} Picks */

const AT_MOST = 1.5;
const LEAST_SCALE = 0.45;

export class Diagram {
    /** @type {SVGElement|null} */ #svg = null;
    /** @type {Map<string, SVGElement>} the picture's states and edges by id */ #parts = new Map();
    /** @type {HTMLElement|null} */ #sizeButton = null;
    /** @type {Graph} */ #graph = { states: [], edges: [] };
    /** @type {Lit|null} */ #lit = null;

    /** @type {ReturnType<typeof stateList>|null} */ #list = null;

    /** @param {import('./api.js').Api} api @param {string} flow @param {Picks} [picks] */
    constructor(api, flow, picks = {}) {
        this.picks = picks;
        this.element = h('div', { class: 'diagram', 'aria-busy': 'true' });
        pressOnce(this.element);
        this.#load(api, flow);
    }

    /** A button that shows the diagram in its own size, scrolled to the active state. */
    sizeButton() {
        this.#sizeButton = h('button', { class: 'quiet icon size', 'aria-label': 'Actual size', title: 'Actual size, or the whole',
            'aria-pressed': 'false', onclick: () => this.#show(!this.element.classList.contains('full')) }, '⤢');
        return this.#sizeButton;
    }

    /** @param {boolean} full whether in its own size */
    #show(full) {
        this.element.classList.toggle('full', full);
        const svg = this.#svg;
        if (svg) svg.style.width = full ? `${Number(svg.getAttribute('width')) / AT_MOST}px` : '';
        this.#sizeButton?.setAttribute('aria-pressed', String(full));
        if (full) this.#reveal();
    }

    /** A large flow fitted into the page would be unreadable. */
    #showLegibly() {
        const scale = /** @type {SVGSVGElement} */ (this.#svg).getScreenCTM()?.a ?? 0;
        if (this.#sizeButton && scale > 0 && scale < LEAST_SCALE) this.#show(true);
    }

    /** Scrolls to the active state. */
    #reveal() {
        const lit = this.#svg?.querySelector('.lit:not(.frame)')?.getBoundingClientRect();
        const box = this.element.getBoundingClientRect();
        if (!lit || (lit.left >= box.left && lit.right <= box.right && lit.top >= box.top && lit.bottom <= box.bottom)) return;
        this.element.scrollBy({ left: lit.x + lit.width / 2 - box.x - box.width / 2, top: lit.y + lit.height / 2 - box.y - box.height / 2,
            behavior: prefersReducedMotion() ? 'auto' : 'smooth' });
    }

    /** @param {import('./api.js').Api} api @param {string} flow */
    async #load(api, flow) {
        try {
            const [text, graph] = await Promise.all([api.get(path('api', 'flows', flow, 'diagram')),
                api.get(path('api', 'flows', flow, 'graph'))]);
            this.#svg = picture(text);
            this.#graph = graph;
            this.#parts = new Map([...this.#svg.querySelectorAll('[id]')].map((part) => [part.id, /** @type {any} */ (part)]));
            // Several diagrams in one page have the same ids.
            for (const part of this.#parts.values()) part.removeAttribute('id');
            this.#prepare(flow);
            fill(this.element, this.#svg);
            this.#showLegibly();
        } catch (error) {
            await this.#listStates(api, flow, messageOf(error));
        }
        if (this.#lit) this.#light();
        this.element.removeAttribute('aria-busy');
    }

    /** @param {import('./api.js').Api} api @param {string} flow @param {string} why */
    async #listStates(api, flow, why) {
        const { states } = await api.get(path('api', 'flows', flow)).catch(() => ({ states: [] }));
        this.#list = stateList(states, why, this.picks.onState);
        fill(this.element, this.#list.element);
    }

    /** @param {string} flow */
    #prepare(flow) {
        const svg = /** @type {SVGElement} */ (this.#svg);
        svg.setAttribute('role', this.picks.onEdge ? 'group' : 'img');
        const { onState, onEdge } = this.picks;
        svg.setAttribute('aria-label', `Diagram of ${flow}${onState ? '; the arrow keys go from state to state' : ''}`);
        if (onState) for (const { id, name } of this.#graph.states) this.#button(id, () => onState(name), `Force ${name}`);
        if (onState) svg.addEventListener('keydown', (event) => this.#stepThroughStates(event));
        this.#setTabStop();
        const ofPeople = onEdge ? this.#graph.edges.filter((edge) => edge.event !== null) : [];
        for (const edge of ofPeople) this.#button(edge.id, () => this.#pressed(edge), '');
    }

    /** @param {import('./types.js').GraphEdge} edge */
    #pressed(edge) {
        if (this.#find(edge.id)?.classList.contains('open')) this.picks.onEdge?.(edge);
    }

    /** @param {string} id @returns {SVGElement|null} */
    #find(id) {
        return this.#parts.get(id) ?? null;
    }

    /** @param {string} id @param {() => void} press @param {string} label */
    #button(id, press, label) {
        const group = this.#find(id);
        if (!group) return;
        group.classList.add('pick');
        group.setAttribute('role', 'button');
        if (label) group.setAttribute('aria-label', label);
        group.addEventListener('click', (event) => { event.stopPropagation(); press(); });
        group.addEventListener('keydown', (event) => {
            if (event.key !== 'Enter' && event.key !== ' ') return;
            event.preventDefault();
            event.stopPropagation();
            press();
        });
    }

    /** The states' elements, in the flow's order. */
    #stateGroups() {
        return this.#graph.states.flatMap(({ id }) => this.#find(id) ?? []);
    }

    /** The tab key goes to one state only, or a large flow would be long to pass: to the active one.
     *  @param {SVGElement} [stop] */
    #setTabStop(stop) {
        if (!this.picks.onState) return;
        const groups = this.#stateGroups();
        const chosen = stop ?? groups.find((group) => group.matches('.lit:not(.frame)')) ?? groups[0];
        for (const group of groups) group.setAttribute('tabindex', group === chosen ? '0' : '-1');
    }

    /** @param {KeyboardEvent} event */
    #stepThroughStates(event) {
        const groups = this.#stateGroups();
        const at = groups.findIndex((group) => group === document.activeElement);
        const ends = { Home: 0, End: groups.length - 1 };
        const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
        const key = /** @type {keyof typeof ends & keyof typeof steps} */ (event.key);
        const to = groups[ends[key] ?? at + (steps[key] ?? NaN)];
        if (at < 0 || !to) return;
        event.preventDefault();
        this.#setTabStop(to);
        to.focus();
    }

    /** Highlights a session's state and possible transitions.
     *  @param {import('./types.js').View} view */
    light(view) {
        const timers = view.timers.filter((timer) => !timer.paused).map((timer) => timer.name);
        this.#lit = { state: view.state, events: new Set(view.actions.map((action) => action.event)), timers: new Set(timers) };
        this.#light();
    }

    #light() {
        const { state, events, timers } = /** @type {Lit} */ (this.#lit);
        const active = activeStates(state);
        this.#list?.light(active);
        for (const each of this.#graph.states) this.#find(each.id)?.classList.toggle('lit', active.has(each.name));
        for (const edge of this.#graph.edges) {
            const group = this.#find(edge.id);
            const from = active.has(edge.from);
            const open = from && edge.event !== null && events.has(edge.event);
            group?.classList.toggle('open', open);
            group?.classList.toggle('timed', from && edge.timer !== null && timers.has(edge.timer));
            if (!this.picks.onEdge || !group || edge.event === null) continue;
            group.setAttribute('tabindex', open ? '0' : '-1');
            group.setAttribute('aria-disabled', String(!open));
            group.setAttribute('aria-label', `Send ${edge.label || edge.event}, to ${edge.to}`);
        }
        // A user who is among the states keeps the place.
        if (!this.#stateGroups().some((group) => group === document.activeElement)) this.#setTabStop();
        if (this.element.classList.contains('full')) this.#reveal();
    }

    /** Flashes the transition that was just taken.
     *  @param {import('./types.js').Line} line */
    flash(line) {
        const from = activeStates(line.from);
        const to = activeStates(line.to);
        const edge = this.#graph.edges.find((each) => from.has(each.from) && to.has(each.to)
            && (each.timer !== null ? each.timer === line.timer : each.event === line.event));
        const group = edge && this.#find(edge.id);
        if (!group || prefersReducedMotion()) return;
        group.classList.add('taken');
        group.addEventListener('animationend', () => group.classList.remove('taken'), { once: true });
    }
}

/** @param {string} text @returns {SVGElement} */
function picture(text) {
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
    const svg = parsed.documentElement;
    if (svg.localName !== 'svg') throw new Error('gamed sent no diagram');
    for (const bad of svg.querySelectorAll('script, foreignObject, style, a')) bad.remove();
    const [, , width, height] = (svg.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
    if (width > 0 && height > 0) {
        // At most `AT_MOST` times its drawn size: a flow of two states must not fill a large screen.
        svg.setAttribute('width', String(Math.round(width * AT_MOST)));
        svg.setAttribute('height', String(Math.round(height * AT_MOST)));
    }
    svg.querySelector('title')?.remove();
    return /** @type {any} */ (document.adoptNode(svg));
}
