// @ts-check
// The simulated Bluetooth devices, with a button for each of their notifications.
import { path } from './api.js';
import { dialog } from './dialog.js';
import { h, keyed, named, write } from './dom.js';
import { labelled } from './payload.js';

/** @typedef {import('./types.js').Device} Device */

/** @param {Object<string, number>} counts */
function countsText(counts) {
    const some = Object.entries(counts).filter(([, n]) => n > 0);
    return some.map(([name, n]) => `${n} ${name.replaceAll('_', ' ')}`).join(' · ') || 'nothing yet';
}

/** `0x002A pressed` is labelled pressed; a value that is only bytes keeps its attribute.
 *  @param {string} what */
function sayingText(what) {
    const [, value = ''] = what.split(' ');
    return /^[0-9a-f]*\*?$/i.test(value) ? what.replace(/ ?\*$/, '…') : value;
}

export class Devices {
    /** @param {import('./types.js').Context} context */
    constructor(context) {
        this.context = context;
        this.list = h('ul', { class: 'devices' });
        this.none = h('div', { class: 'empty' }, h('h2', {}, 'No devices'),
            h('p', {}, 'Buttons, beacons and sensors can be simulated: ', h('code', {}, 'gamed --bluetooth devices.json')));
        this.element = h('section', { 'aria-label': 'Devices' }, this.none, this.list);
    }

    /** @param {Device[]} devices */
    show(devices) {
        this.none.hidden = devices.length > 0;
        keyed(this.list, devices, (device) => JSON.stringify([device.name, device.says]), (device) => this.#make(device));
    }

    /** @param {Device} device */
    #make(device) {
        const state = h('span', { class: 'word' });
        const counts = h('span', { class: 'faint counts' });
        const toggle = h('button', { class: 'quiet' });
        const says = device.says.map((what) => this.#button(what, device.name));
        if (device.kind === 'beacon') says.push(this.#actionButton('Advertise', device.name, 'advertise'));
        let connected = false;
        toggle.addEventListener('click', () => this.#do(toggle, device.name, connected ? 'disconnect' : 'connect', {}));
        const element = h('li', { class: 'device' }, h('div', {}, named(device.name, 'device-name'), ' ', state,
            h('div', { class: 'faint' }, `${device.kind} · ${device.address}`), counts), h('div', { class: 'row' }, ...says, toggle));
        const update = (/** @type {Device} */ now) => {
            connected = now.connected;
            element.dataset.connected = String(now.connected);
            write(state, now.connected ? '● connected' : '○ not connected');
            write(toggle, now.connected ? 'Disconnect' : 'Connect');
            write(counts, countsText(now.counts ?? {}));
        };
        return { element, update };
    }

    /** One notification. A star at its end stands for a value that the user enters, `??` for a byte of it.
     *  @param {string} what @param {string} name */
    #button(what, name) {
        if (!/\*$|\?\?/.test(what)) return this.#actionButton(sayingText(what), name, 'notify', { what });
        const [attribute, begin] = what.replace(/\*$/, '').split(' ');
        const ask = async () => {
            const value = labelled({ type: 'string' }, 'Value', begin ?? '', true);
            await dialog(`${name}: ${attribute}`, [value.element],
                { yes: 'Notify', run: () => this.#notify(name, 'notify', { what: attribute, value: value.read() }) });
        };
        return h('button', { onclick: ask }, h('bdi', {}, sayingText(what)));
    }

    /** @param {string} label @param {string} name @param {string} action @param {any} [body] */
    #actionButton(label, name, action, body = {}) {
        const button = h('button', { onclick: () => this.#do(button, name, action, body) }, h('bdi', {}, label));
        return button;
    }

    /** @param {HTMLElement} button @param {string} name @param {string} action @param {any} body */
    async #do(button, name, action, body) {
        button.setAttribute('aria-busy', 'true');
        try {
            await this.#notify(name, action, body);
        } catch (error) {
            this.context.notices.refuse(error);
        }
        button.removeAttribute('aria-busy');
    }

    /** @param {string} name @param {string} action @param {any} body */
    async #notify(name, action, body) {
        const { events } = await this.context.api.post(path('api', 'devices', name, action), body);
        if (typeof events === 'number') this.context.notices.say(`${name}: ${events} event${events === 1 ? '' : 's'}`);
    }
}
