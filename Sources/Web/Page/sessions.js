// @ts-check
// All sessions, as the stream reports them, and the filtered ones in their order.
import { firesNext } from './clock.js';

/** @typedef {import('./types.js').HeldRow} HeldRow */
/** @typedef {{q: string, flow: string, state: string, only: string, sort: string, back: boolean}} Filter */

const collator = new Intl.Collator(undefined, { numeric: true });

/** A text for natural sorting, room-9 before room-10. A collator would take a tenth of a second for 10,000 names.
 *  @param {string} name */
function orderOf(name) {
    return name.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(16, '0'));
}

/** The time at which a row's timer fires; rows without a running timer are last.
 *  @param {HeldRow} row */
function firesAt(row) {
    if (!row.timer) return Infinity;
    return row.timer.paused ? 1e15 + row.timer.remaining_ms : firesNext(row.timer, row.at);
}

/** @type {Object<string, (row: HeldRow) => number>} */
const KEYS = { fires: firesAt, version: (row) => -row.version, since: (row) => row.since_ms - row.at, name: () => 0 };

export class SessionStore {
    /** @type {Map<string, HeldRow>} */ rows = new Map();
    /** @type {Map<string, number>} a name's rank among all, since comparing names is slow */ #ranks = new Map();
    /** @type {Map<string, Set<string>>} by node, known names that its new table has not contained yet */ #unnamed = new Map();
    #namesChanged = false;
    complete = false;

    /** A node reports only its own sessions. A session that has moved belongs to its new node, in whichever order the reports arrive.
     *  @param {{node?: string, whole: boolean, more: boolean, rows: import('./types.js').Row[], gone: string[]}} piece @param {number} at */
    apply(piece, at) {
        const node = piece.node ?? '';
        if (piece.whole) this.#unnamed.set(node, new Set(this.#namesOf(node)));
        const unnamed = this.#unnamed.get(node);
        for (const row of piece.rows) {
            const known = this.rows.get(row.name);
            if (!known) this.#namesChanged = true;
            this.rows.set(row.name, Object.assign(row, { at, order: known?.order ?? orderOf(row.name), node, away: false }));
            unnamed?.delete(row.name);
        }
        for (const name of piece.gone ?? []) this.#forget(name, node);
        if (piece.more) return;
        for (const name of unnamed ?? []) this.#forget(name, node);
        this.#unnamed.delete(node);
        this.complete = true;
    }

    /** @param {string} node @returns {string[]} */
    #namesOf(node) {
        return [...this.rows.values()].filter((row) => row.node === node).map((row) => row.name);
    }

    /** @param {string} name @param {string} node its former node */
    #forget(name, node) {
        if (this.rows.get(name)?.node === node && this.rows.delete(name)) this.#namesChanged = true;
    }

    /** Marks the rows of unreachable nodes. They stay until another node has them.
     *  @param {Set<string>} heard @returns {boolean} whether anything has changed */
    mark(heard) {
        let changed = false;
        for (const row of this.rows.values()) {
            const away = row.node !== '' && !heard.has(row.node);
            if (row.away === away) continue;
            this.rows.set(row.name, { ...row, away });
            changed = true;
        }
        return changed;
    }

    /** Removes the rows of departed nodes, once every shard has an owner. Returns whether there were any.
     *  @param {Set<string>} there */
    forgetBut(there) {
        const gone = [...this.rows.values()].filter((row) => row.node !== '' && !there.has(row.node));
        for (const row of gone) this.#forget(row.name, row.node);
        return gone.length > 0;
    }

    #rank() {
        if (!this.#namesChanged) return;
        this.#namesChanged = false;
        const rows = [...this.rows.values()].sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0));
        this.#ranks = new Map(rows.map((row, index) => [row.name, index]));
    }

    /** @param {Filter} filter @returns {HeldRow[]} */
    list(filter) {
        this.#rank();
        const keep = test(filter);
        const key = this.#key(filter.sort);
        const sign = filter.back ? -1 : 1;
        const found = [];
        for (const row of this.rows.values()) if (keep(row)) found.push({ row, key: key(row), rank: this.#ranks.get(row.name) ?? 0 });
        found.sort((a, b) => (a.key === b.key ? a.rank - b.rank : a.key < b.key ? -1 : 1) * sign);
        return found.map((each) => each.row);
    }

    /** The rows whose countdowns fire next: found in one pass, since sorting all takes long.
     *  @param {number} count @returns {HeldRow[]} */
    next(count) {
        /** @type {{row: HeldRow, at: number}[]} */
        const first = [];
        for (const row of this.rows.values()) {
            if (row.timer?.kind !== 'countdown' || row.timer.paused || row.away) continue;
            const at = firesAt(row);
            const later = first.findIndex((each) => each.at > at);
            if (later < 0 && first.length === count) continue;
            first.splice(later < 0 ? first.length : later, 0, { row, at });
            if (first.length > count) first.pop();
        }
        return first.map((each) => each.row);
    }

    /** @param {string} sort @returns {(row: HeldRow) => number|string} */
    #key(sort) {
        if (sort === 'flow' || sort === 'state') return (row) => row[sort];
        return KEYS[sort] ?? KEYS.fires;
    }

    /** The values of a column, for its filter.
     *  @param {'flow'|'state'} column @param {string} flow @returns {string[]} */
    values(column, flow) {
        const values = new Set();
        for (const row of this.rows.values()) if (!flow || column === 'flow' || row.flow === flow) values.add(row[column]);
        return [...values].sort(collator.compare);
    }
}

/** Whether a text fits a glob. It backtracks to the last star only; a regular expression could take exponential time.
 *  @param {string} glob @param {string} text */
function fits(glob, text) {
    let [at, star, from] = [0, -1, 0];
    for (let i = 0; i < text.length;) {
        if (glob[at] === '*') {
            star = at;
            from = i;
            at += 1;
        } else if (at < glob.length && (glob[at] === '?' || glob[at] === text[i])) {
            at += 1;
            i += 1;
        } else if (star >= 0) {
            at = star + 1;
            from += 1;
            i = from;
        } else {
            return false;
        }
    }
    return [...glob.slice(at)].every((each) => each === '*');
}

/** @param {Filter} filter @returns {(row: HeldRow) => boolean} */
function test({ q, flow, state, only }) {
    const text = q.toLowerCase();
    const isGlob = /[*?]/.test(q);
    const hits = (/** @type {string} */ value) => value.toLowerCase().includes(text);
    const isInside = (/** @type {string} */ name) => name === state
        || name.split(',').some((part) => part === state || part.startsWith(state + '.'));
    return (row) => (!flow || row.flow === flow) && (!state || isInside(row.state))
        && (!only || (only === 'paused' ? row.paused : only === 'final' ? row.final : !row.paused && !row.final))
        && (!q || (isGlob ? fits(text, row.name.toLowerCase()) : hits(row.name) || hits(row.state) || hits(row.flow)));
}
