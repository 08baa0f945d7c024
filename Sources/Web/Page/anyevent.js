// @ts-check
// Sends any event of a flow, offered now or not. If the daemon refuses it, its error message is shown.
import { fill, h, messageOf, shake, whileBusy, write, writeDotted } from './dom.js';
import { labelled, payloadField } from './payload.js';

/** @typedef {import('./types.js').FlowInfo['events'][number]} Event */
/** @typedef {import('./payload.js').Field} Field */

/** The source of an event: people's own, unless they may not send it.
 *  @param {string[]} [sources] those that may */
export function sourceOf(sources = ['ui']) {
    return sources.includes('ui') ? 'ui' : ['network', 'orchestrator'].find((each) => sources.includes(each)) ?? 'ui';
}

export class AnyEvent {
    /** @type {Event[]} */ #events = [];
    /** @type {Field|null} */ #field = null;
    #shown = '';

    /** @param {(event: string, payload: any, source: string) => Promise<unknown>} send */
    constructor(send) {
        this.send = send;
        this.choice = h('select', { 'aria-label': 'Event', onchange: () => this.#chosen() });
        this.raw = h('input', { type: 'checkbox', onchange: () => this.#chosen() });
        this.rawLabel = h('label', { class: 'check' }, this.raw, 'write the JSON');
        this.box = h('div', { class: 'any-payload' });
        this.reason = h('p', { class: 'reason', role: 'alert' });
        this.button = h('button', { class: 'action' }, 'Send');
        const form = h('form', { class: 'any-form form', novalidate: true, onsubmit: (/** @type {SubmitEvent} */ event) => this.#submit(event) },
            h('div', { class: 'row' }, this.choice, this.rawLabel), this.box, this.button, this.reason);
        this.element = h('details', { class: 'any-event' }, h('summary', {}, 'Any event'), form);
    }

    /** Rebuilds the list only if it differs, since it may be open.
     *  @param {Event[]} events @param {string[]} offered */
    show(events, offered) {
        const shown = JSON.stringify([events, offered]);
        if (shown === this.#shown) return;
        const chosen = this.choice.value;
        const before = this.#event;
        this.#shown = shown;
        this.#events = events;
        const group = (/** @type {string} */ label, /** @type {boolean} */ isOffered) => {
            const those = events.filter(({ name }) => offered.includes(name) === isOffered);
            return those.length ? h('optgroup', { label }, ...those.map((each) => option(each, each.name === chosen))) : null;
        };
        fill(this.choice, group('Offered now', true), group('Not offered now', false));
        this.element.hidden = events.length === 0;
        if (JSON.stringify(this.#event) !== JSON.stringify(before)) this.#chosen();
    }

    get #event() {
        return this.#events.find(({ name }) => name === this.choice.value);
    }

    /** Shows inputs for the payload by its schema, or one for any JSON. */
    #chosen() {
        const event = this.#event;
        write(this.reason, '');
        if (!event) return;
        this.rawLabel.title = 'Any JSON; gamed refuses data that does not match the schema';
        if (this.raw.checked) this.#field = labelled({}, 'Payload', undefined, false);
        else this.#field = event.payload ? payloadField(event.payload, event.label) : null;
        fill(this.box, this.#field?.element);
    }

    /** @param {SubmitEvent} submitted */
    #submit(submitted) {
        submitted.preventDefault();
        const event = this.#event;
        if (!event) return;
        whileBusy(this.button, () => {
            write(this.reason, '');
            return this.send(event.name, this.#field?.read(), sourceOf(event.sources));
        }, (error) => {
            writeDotted(this.reason, messageOf(error));
            shake(this.button);
        });
    }
}

/** Isolates the label with characters, since an option cannot contain elements.
 *  @param {Event} event @param {boolean} selected */
function option({ name, label }, selected) {
    return h('option', { value: name, selected }, label && label !== name ? `\u2068${label}\u2069 (${name})` : name);
}
