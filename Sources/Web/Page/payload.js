// @ts-check
// Inputs made from a JSON Schema: numbers with bounds, choices, texts, yes or no; and raw JSON for everything else.
import { h } from './dom.js';

/** @typedef {import('./types.js').Schema} Schema */
/** @typedef {{element: HTMLElement, read: () => any}} Field  `read` throws an error message for an invalid value */

const FEW = 9;
let count = 0;

/** The choices, if they are few enough to be buttons.
 *  @param {Schema|null} schema @returns {{label: string, value: any}[]|null} */
export function choices(schema) {
    const only = onlyProperty(schema);
    if (only) return choices(only.schema)?.map(({ label, value }) => ({ label, value: { [only.name]: value } })) ?? null;
    if (!schema || schema.optional) return null;
    if (schema.enum && schema.enum.length <= FEW) return schema.enum.map((value) => ({ label: plain(value), value }));
    if (schema.type === 'boolean') return [{ label: 'Yes', value: true }, { label: 'No', value: false }];
    const { minimum, maximum } = schema;
    if (schema.type !== 'integer' || minimum === undefined || maximum === undefined || maximum - minimum >= FEW) return null;
    return Array.from({ length: maximum - minimum + 1 }, (_, i) => ({ label: String(minimum + i), value: minimum + i }));
}

/** @param {Schema|null} schema @returns {{name: string, schema: Schema}|null} */
function onlyProperty(schema) {
    const properties = Object.entries(schema?.properties ?? {});
    if (schema?.type !== 'object' || properties.length !== 1) return null;
    return schema.required?.includes(properties[0][0]) ? { name: properties[0][0], schema: properties[0][1] } : null;
}

/** A choice's text; an empty value has one, too.
 *  @param {any} value */
function plain(value) {
    if (value === '') return '(empty)';
    return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A bound of the integer type is not shown.
 *  @param {number} [bound] */
function said(bound) {
    return bound !== undefined && Math.abs(bound) < 2 ** 31 - 1 ? bound : undefined;
}

/** The allowed values of a schema in words: `10 to 120`.
 *  @param {Schema} schema */
function bounds(schema) {
    const { minLength: least, maxLength: most } = schema;
    const from = said(schema.minimum);
    const to = said(schema.maximum);
    if (from !== undefined && to !== undefined) return `${from} to ${to}`;
    if (from !== undefined) return `at least ${from}`;
    if (to !== undefined) return `at most ${to}`;
    if (most === undefined) return '';
    return least === most ? characters(most) : least ? `${least} to ${characters(most)}` : `at most ${characters(most)}`;
}

/** @param {number} count */
function characters(count) {
    return `${count} character${count === 1 ? '' : 's'}`;
}

/** A field's initial text: the session's, if it fits. A number or a choice of the same name may mean something else.
 *  @param {Schema} schema @param {any} value @returns {string|undefined} */
function initialText({ type, enum: choices, minLength = 0, maxLength = Infinity }, value) {
    if (type !== 'string' || choices || typeof value !== 'string') return undefined;
    const { length } = [...value];
    return length >= minLength && length <= maxLength ? value : undefined;
}

/** The inputs of a payload.
 *  @param {Schema} schema @param {string} label @param {any} [value] the session's data, or its value of the payload's name @returns {Field} */
export function payloadField(schema, label, value) {
    const properties = Object.entries(schema.properties ?? {});
    if (schema.type !== 'object' || properties.length === 0) {
        return labelled(schema, schema.title ?? schema.name ?? label, initialText(schema, value), !schema.optional);
    }
    const fields = properties.map(([name, inner]) => ({
        name, needed: schema.required?.includes(name) ?? false,
        field: labelled(inner, inner.title ?? name, initialText(inner, value?.[name]), schema.required?.includes(name) ?? false),
    }));
    return {
        element: h('div', { class: 'fields' }, ...fields.map(({ field }) => field.element)),
        read: () => Object.fromEntries(fields.map(({ name, field }) => [name, field.read()]).filter(([, read]) => read !== undefined)),
    };
}

/** @param {Schema} schema @param {string} label @param {any} value @param {boolean} needed @returns {Field} */
export function labelled(schema, label, value, needed) {
    const id = `field-${count += 1}`;
    const field = input(schema, id, value ?? schema.default, needed, label);
    const hint = schema.description ?? bounds(schema);
    const hints = hint ? h('small', { id: `${id}-hint` }, hint) : null;
    if (hint) field.element.setAttribute('aria-describedby', `${id}-hint`);
    return { element: h('div', { class: 'field' }, h('label', { for: id }, h('bdi', {}, label)), field.element, hints), read: field.read };
}

/** @param {Schema} schema @param {string} id @param {any} value @param {boolean} needed @param {string} label @returns {Field} */
function input(schema, id, value, needed, label) {
    if (schema.enum) return choiceField(schema.enum, id, value, needed);
    if (schema.type === 'boolean') return choiceField([true, false], id, value, needed);
    if (schema.type === 'integer' || schema.type === 'number') return numberField(schema, id, value, needed, label);
    return schema.type === 'string' ? textField(schema, id, value, needed, label) : jsonField(id, value, needed, label);
}

/** @param {any[]} values @param {string} id @param {any} value @param {boolean} needed @returns {Field} */
function choiceField(values, id, value, needed) {
    const names = values.map((each) => (each === true ? 'yes' : each === false ? 'no' : plain(each)));
    const element = h('select', { id }, needed ? null : h('option', { value: '' }, '–'),
        ...names.map((name, i) => h('option', { value: i, selected: values[i] === value }, name)));
    return { element, read: () => (element.value === '' ? undefined : values[Number(element.value)]) };
}

/** The initial value of a number: the allowed value nearest to zero.
 *  @param {Schema} schema */
function nearZero({ minimum = -Infinity, maximum = Infinity }) {
    return Math.max(minimum, Math.min(maximum, 0));
}

/** @param {Schema} schema @param {string} id @param {any} value @param {boolean} needed @param {string} label @returns {Field} */
function numberField(schema, id, value, needed, label) {
    const element = h('input', { id, type: 'number', inputmode: schema.type === 'integer' && (schema.minimum ?? -1) >= 0 ? 'numeric'
        : 'text', step: schema.type === 'integer' ? 1 : 'any',
        min: schema.minimum, max: schema.maximum, value: value ?? (needed ? nearZero(schema) : undefined) });
    return { element, read: () => {
        if (element.value === '' && !needed && !element.validity.badInput) return undefined;
        const kind = schema.type === 'integer' ? 'a whole number' : 'a number';
        const isFine = element.value !== '' && element.checkValidity();
        if (!isFine) throw new Error([`${label}: ${kind}`, bounds(schema)].filter(Boolean).join(', '));
        return exact(element.value, Number(element.value));
    } };
}

/** A number that is sent as it was typed: a whole number of more than 53 bits, such as a card's, would be rounded. Browsers without
 *  `JSON.rawJSON` round it.
 *  @param {string|undefined} text as typed @param {any} value as read */
function exact(text, value) {
    const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?[1-9]\d*$/.test(text ?? '');
    return isRounded ? /** @type {any} */ (JSON).rawJSON?.(text) ?? value : value;
}

/** @param {Schema} schema @param {string} id @param {any} value @param {boolean} needed @param {string} label @returns {Field} */
function textField(schema, id, value, needed, label) {
    // An `input` would remove the line breaks.
    const element = /\n/.test(value) ? h('textarea', { id, class: 'lines', dir: 'auto', rows: 3 }, value)
        : h('input', { id, type: 'text', dir: 'auto', value: value ?? '', autocomplete: 'off' });
    return { element, read: () => {
        // An emptied default is an empty text.
        if (element.value === '' && !needed && !schema.default) return undefined;
        // The attribute maxlength would count an emoji twice.
        const { length } = [...element.value];
        const { minLength: least = 0, maxLength: most = Infinity } = schema;
        if (length < least || length > most) throw new Error(`${label}: ${bounds(schema) || `at least ${characters(least)}`}`);
        return element.value;
    } };
}

/** @param {string} id @param {any} value @param {boolean} needed @param {string} label @returns {Field} */
function jsonField(id, value, needed, label) {
    const element = h('textarea', { id, dir: 'auto', rows: 2, spellcheck: false, placeholder: 'JSON' },
        value === undefined || value === null ? '' : JSON.stringify(value));
    return { element, read: () => {
        if (!element.value.trim() && !needed) return undefined;
        try { return JSON.parse(element.value, (_, part, { source } = {}) => exact(source, part)); } catch { throw new Error(`${label}: this is not JSON; write texts as "text"`); }
    } };
}
