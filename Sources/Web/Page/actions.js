// @ts-check
// The events that can be sent now, as buttons with their inputs. A refused event shakes its button and shows the reason beside it.
import { h, keyed, messageOf, pressOnce, shake, whileBusy, writeDotted } from './dom.js';
import { choices, payloadField } from './payload.js';

/** @typedef {import('./types.js').Action} Action */
/** @typedef {(event: string, payload?: any, sources?: string[]) => Promise<unknown>} Send */

const READ_MS = 2000;
const INPUTS = 'input, select, textarea';

export class Actions {
    /** The life and state that are shown. */ #place = '';
    /** Shows the last view again. */ #shown = () => {};
    /** @type {Map<string, number>} how often each form's event was accepted */ #accepted = new Map();
    /** @type {{close: () => void, at: number}[]} notices of refusals whose buttons have gone */ #elsewhere = [];

    /** @param {Send} send @param {string} label
     *  @param {(error: unknown) => () => void} refuse shows a refusal whose button has gone; returns what removes it */
    constructor(send, label, refuse) {
        this.send = send;
        this.refuse = refuse;
        /** @type {Record<string, any>} */ this.values = {};
        this.element = h('div', { class: 'actions', role: 'group', 'aria-label': label, tabindex: -1 });
        pressOnce(this.element);
    }

    /** A form's initial texts are the session's texts of the same names.
     *  @param {Action[]} actions @param {import('./types.js').View} view */
    show(actions, view) {
        this.#shown = () => this.show(actions, view);
        this.values = view.data ?? {};
        const place = `${view.life} ${view.state}`;
        const isOther = place !== this.#place;
        this.#place = place;
        if (isOther) this.#clearReasons();
        const focused = document.activeElement;
        const had = this.element.contains(focused);
        // Without its document, an input has no label.
        const name = had && focused ? nameOf(focused) : null;
        // A press belongs to one state: it does not begin on a button of one and end on a button of the next. A typed text stays as long as its
        // question: until the title changes, or its event was accepted.
        keyed(this.element, actions, (action) => {
            const isForm = action.payload && !choices(action.payload);
            return JSON.stringify([view.life, ...isForm ? [view.title, this.#accepted.get(action.event)] : [view.state], action]);
        }, (action) => this.#make(action));
        // Last, since buttons that go move their fresh reasons into notices.
        if (isOther) this.#clearNotices();
        if (had && !this.element.contains(document.activeElement)) this.#refocus(/** @type {Element} */ (focused), name);
    }

    /** Keyboard focus stays in place instead of moving to the top of the page. It never moves from an input to a button, which would be pressed
     *  by a player who types on.
     *  @param {Element} focused the former focus @param {string|null} name its name, before it went */
    #refocus(focused, name) {
        const all = [...this.element.querySelectorAll(focused.matches(INPUTS) ? INPUTS : `button, ${INPUTS}`)];
        const same = all.find((each) => nameOf(each) === name);
        /** @type {HTMLElement} */ (same ?? all[0] ?? this.element).focus();
    }

    /** In another state, the reason of an earlier refusal is no longer true. One that has just come is read first. */
    #clearReasons() {
        for (const reason of this.element.querySelectorAll('.reason')) {
            if (!isFresh(/** @type {HTMLElement} */ (reason))) reason.textContent = '';
        }
    }

    /** Removes the notices of refusals whose buttons have gone: they would cover the next state's screen. A fresh one stays for the rest of 2 s. */
    #clearNotices() {
        for (const { close, at } of this.#elsewhere.splice(0)) {
            const left = at + READ_MS - performance.now();
            if (left > 0) setTimeout(close, left);
            else close();
        }
    }

    /** A lost connection concerns the next state, too: its notice stays.
     *  @param {any} error */
    #refuseElsewhere(error) {
        const close = this.refuse(error);
        if (error.status !== 0) this.#elsewhere.push({ close, at: performance.now() });
    }

    /** Presses the nth button, for keys.
     *  @param {number} n */
    press(n) {
        /** @type {HTMLElement|undefined} */ (this.element.querySelectorAll('button')[n])?.click();
    }

    /** @param {Action} action */
    #make(action) {
        const reason = h('p', { class: 'reason', role: 'alert' });
        const press = (/** @type {HTMLElement} */ button, /** @type {() => any} */ read) => this.#press(action, button, read, reason);
        const few = choices(action.payload);
        const element = few ? this.#choice(action, few, press, reason) : action.payload ? this.#form(action, press, reason)
            : this.#plain(action, press, reason);
        // A reason that has just come is read elsewhere.
        return { element, stop: () => isFresh(reason) && this.#refuseElsewhere(reason.textContent) };
    }

    /** @param {Action} action @param {(b: HTMLElement, read: () => any) => void} press @param {HTMLElement} reason */
    #plain(action, press, reason) {
        const button = h('button', { class: 'action', onclick: () => press(button, () => undefined) }, h('bdi', {}, action.label));
        return h('div', { class: 'action-box' }, button, reason);
    }

    /** @param {Action} action @param {{label: string, value: any}[]} few @param {(b: HTMLElement, read: () => any) => void} press
     *  @param {HTMLElement} reason */
    #choice(action, few, press, reason) {
        const buttons = few.map(({ label, value }) => {
            const button = h('button', { class: 'action choice', 'aria-label': `${action.label}: ${label}`,
                onclick: () => press(button, () => value) }, h('bdi', {}, label));
            return button;
        });
        return h('div', { class: 'action-box choices', role: 'group', 'aria-label': action.label },
            h('span', { class: 'action-label' }, h('bdi', {}, action.label)), h('div', { class: 'choice-row' }, ...buttons), reason);
    }

    /** @param {Action} action @param {(b: HTMLElement, read: () => any) => void} press @param {HTMLElement} reason */
    #form(action, press, reason) {
        const schema = /** @type {import('./types.js').Schema} */ (action.payload);
        const field = payloadField(schema, action.label, schema.type === 'object' ? this.values : this.values[schema.name ?? '']);
        const button = h('button', { class: 'action' }, h('bdi', {}, action.label));
        const submit = (/** @type {Event} */ event) => { event.preventDefault(); press(button, field.read); };
        return h('form', { class: 'action-box form', onsubmit: submit, novalidate: true }, field.element, button, reason);
    }

    /** @param {Action} action @param {HTMLElement} button @param {() => any} read @param {HTMLElement} reason */
    #press({ event, sources }, button, read, reason) {
        return whileBusy(button, async () => {
            reason.textContent = '';
            const sent = read();
            await this.send(event, sent, sources);
            // What was typed since then is the next one.
            if (isRead(read, sent)) this.#accepted.set(event, (this.#accepted.get(event) ?? 0) + 1);
            this.#shown();
        }, (error) => {
            if (!button.isConnected) return this.#refuseElsewhere(error);
            writeDotted(reason, messageOf(error));
            reason.dataset.at = String(performance.now());
            shake(button);
        });
    }
}

/** Whether inputs still contain a value.
 *  @param {() => any} read @param {any} value */
function isRead(read, value) {
    try { return JSON.stringify(read()) === JSON.stringify(value); } catch { return false; }
}

/** Whether a refusal's reason was shown just now.
 *  @param {HTMLElement} reason */
function isFresh({ textContent, dataset }) {
    return Boolean(textContent) && performance.now() - Number(dataset.at) <= READ_MS;
}

/** The name of a button or an input, which another one may have after it.
 *  @param {Element} element */
function nameOf(element) {
    return /** @type {HTMLInputElement} */ (element).labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? element.textContent;
}
