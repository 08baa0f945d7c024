// @ts-check
// Creates a session of a flow: asks for its name and the flow's parameters.
import { dialog } from './dialog.js';
import { h } from './dom.js';
import { labelled } from './payload.js';

/** @typedef {import('./types.js').FlowInfo} FlowInfo */

/** Inputs of a flow's parameters.
 *  @param {FlowInfo} flow @param {any} [values] */
export function parameterFields(flow, values) {
    const fields = flow.parameters.map(({ name, schema, default: given }) => ({ name,
        // A default may be null; without one the parameter is required.
        field: labelled(schema, schema.title ?? name, values?.[name] ?? given, schema.default === undefined) }));
    return {
        elements: fields.map(({ field }) => field.element),
        read: () => Object.fromEntries(fields.map(({ name, field }) => [name, field.read()]).filter(([, value]) => value !== undefined)),
    };
}

/** The command that does the same.
 *  @param {string} name @param {FlowInfo} flow */
export function command(name, flow) {
    const word = /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
    return `gamectl new ${word} ${flow.name}`;
}

/** @param {import('./types.js').Context} context @param {FlowInfo} flow @param {string} suggested */
export async function beginSession({ api, place }, flow, suggested) {
    const name = labelled({ type: 'string' }, 'Name', suggested, true);
    const parameters = parameterFields(flow);
    const state = labelled({ enum: flow.states }, 'State', undefined, false);
    const data = labelled({ title: 'Data' }, 'Data of the state (JSON)', undefined, false);
    const elsewhere = h('details', {}, h('summary', {}, 'Start in another state'), state.element, data.element);
    let begun = '';
    const run = async (/** @type {AbortSignal} */ cancelled) => {
        begun = name.read();
        const given = { context: parameters.read(), state: state.read(), data: data.read() };
        if (!Object.keys(given.context).length) delete given.context;
        await api.post('/api/sessions', { name: begun, flow: flow.name, ...given }, cancelled);
    };
    const done = await dialog(`New session of ${flow.name}`, [name.element, ...parameters.elements, elsewhere], { yes: 'Create', run });
    if (done) place.go(`/m/${encodeURIComponent(begun)}`);
}

/** A command with a button that copies it.
 *  @param {string} text */
export function copyable(text) {
    const code = h('code', {}, text);
    const button = h('button', { class: 'quiet', onclick: async () => {
        button.textContent = await copied(text) ? 'Copied' : 'Selected';
        if (button.textContent === 'Selected') getSelection()?.selectAllChildren(code);
        setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    } }, 'Copy');
    return h('div', { class: 'copyable' }, code, button);
}

/** Browsers have a clipboard for safe origins only; elsewhere the text is selected for the user to copy.
 *  @param {string} text */
async function copied(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return false;
    }
}
