// @ts-check
// Makes elements. Texts are always inserted as text, so that no name is parsed as markup.

/** @typedef {Node|string|number|null|undefined|false} Child */

/**
 * `h('button', {class: 'primary', onclick: send}, 'Start')`
 * @param {string} tag
 * @param {Object<string, any>} [props]
 * @param {...(Child|Child[])} children
 * @returns {any} an element; `any` spares its users the casts
 */
export function h(tag, props = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) setProp(element, name, value);
    element.append(...nodes(children));
    return element;
}

/** @param {Element} element @param {string} name @param {any} value */
function setProp(element, name, value) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
}

/** @param {(Child|Child[])[]} children @returns {(Node|string)[]} */
function nodes(children) {
    return children.flat().filter((child) => child !== null && child !== undefined && child !== false)
        .map((child) => (child instanceof Node ? child : String(child)));
}

/** @param {Element} element @param {...(Child|Child[])} children */
export function fill(element, ...children) {
    element.replaceChildren(...nodes(children));
}

/** Sets a text only if it differs, since an equal text would still cost a layout.
 *  @param {Node} node @param {string} text */
export function write(node, text) {
    if (node.textContent !== text) node.textContent = text;
}

/** A long dotted name breaks after its dots and commas, and not in the middle of a word.
 *  @param {string} text @returns {(Node|string)[]} */
export function dotted(text) {
    return text.split(/(?<=[.,])(?=\S)/).flatMap((part, i) => (i ? [document.createElement('wbr'), part] : [part]));
}

/** @param {Element} element @param {string} text */
export function writeDotted(element, text) {
    if (element.textContent !== text) element.replaceChildren(...dotted(text));
}

/** Names are shown isolated, since a right-to-left mark in one must not turn its neighbours around.
 *  @param {string} name */
export function named(name, className = '') {
    return h('bdi', { class: className, title: name }, name);
}

/** @type {WeakMap<Element, Map<any, {element: Element, update?: (item: any) => void, stop?: () => void}>>} */
const keptOf = new WeakMap();

/**
 * Makes an element's children those of the items. Existing children are updated, not recreated, and keep focus, inputs and animations.
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => any} keyOf
 * @param {(item: T) => {element: Element, update?: (item: T) => void, stop?: () => void}} make
 */
export function keyed(parent, items, keyOf, make) {
    const kept = keptOf.get(parent) ?? new Map();
    keptOf.set(parent, kept);
    const wanted = new Map(items.map((item) => [keyOf(item), item]));
    for (const [key, part] of kept) {
        if (wanted.has(key)) continue;
        part.stop?.();
        part.element.remove();
        kept.delete(key);
    }
    let index = 0;
    for (const [key, item] of wanted) {
        const part = kept.get(key) ?? make(item);
        kept.set(key, part);
        part.update?.(item);
        if (parent.children[index] !== part.element) parent.insertBefore(part.element, parent.children[index] ?? null);
        index += 1;
    }
}

/** The message of anything that was thrown.
 *  @param {unknown} error @returns {string} */
export function messageOf(error) {
    return error instanceof Error ? error.message : String(error);
}

/** Performs a button's action. Until it is over the button is busy, so that a held key or a second click starts no second one.
 *  Returns whether it was performed.
 *  @param {HTMLElement} button @param {() => unknown} action @param {(error: unknown) => void} refuse  called if it fails */
export async function whileBusy(button, action, refuse) {
    if (button.hasAttribute('aria-busy')) return false;
    button.setAttribute('aria-busy', 'true');
    try { await action(); } catch (error) { refuse(error); }
    button.removeAttribute('aria-busy');
    return true;
}

/** The second click of a double click presses no button in the element: it may be another one than intended.
 *  @param {Element} element */
export function pressOnce(element) {
    element.addEventListener('click', (/** @type {any} */ event) => {
        if (event.detail <= 1 || !event.target.closest('button, [role=button]')) return;
        event.preventDefault();
        event.stopPropagation();
    }, true);
}

/** Whether the user prefers reduced motion. */
export function prefersReducedMotion() {
    return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** A short animation as feedback.
 *  @param {Element} element @param {Keyframe[]} frames @param {number} [ms] */
export function move(element, frames, ms = 150) {
    if (!prefersReducedMotion()) element.animate(frames, { duration: ms, easing: 'ease-out' });
}

/** @param {Element} element */
export function shake(element) {
    move(element, [0, -5, 5, -3, 3, 0].map((x) => ({ transform: `translateX(${x}px)` })));
}
