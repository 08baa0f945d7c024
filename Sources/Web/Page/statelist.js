// @ts-check
// Replaces a diagram that cannot be drawn: the flow's states by name, the current ones highlighted. Each can be pressed as in the diagram.
import { dotted, h } from './dom.js';

/** @param {string[]} states @param {string} why @param {((name: string) => void)|undefined} onState */
export function stateList(states, why, onState) {
    const items = states.map((name) => {
        const text = h('bdi', {}, dotted(name));
        return h('li', { 'data-state': name }, onState ? h('button', { 'aria-label': `Force ${name}`, onclick: () => onState(name) }, text)
            : h('span', { class: 'button' }, text));
    });
    const element = h('div', { class: 'state-list' }, h('ul', {}, ...items), h('p', { class: 'faint' }, `No diagram: ${why}`));
    return {
        element,
        /** @param {Set<string>} active */
        light: (active) => { for (const item of items) item.classList.toggle('lit', active.has(item.dataset.state)); },
    };
}
