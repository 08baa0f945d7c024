// @ts-check
// The daemon's health: plots on top, and beside the table the next timers, the journal and the sources.
import { course, Figure } from './clock.js';
import { h, keyed, named, write } from './dom.js';
import { Plot } from './plots.js';
import { agoText, leftText } from './time.js';

/** @typedef {import('./types.js').Status} Status */
/** @typedef {import('./types.js').HeldRow} HeldRow */

const NEXT_AT_MOST = 8;

/** @param {number} bytes */
function bytesText(bytes) {
    if (bytes < 1024) return `${bytes} B`;
    return bytes < 1 << 20 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / (1 << 20)).toFixed(bytes < 100 << 20 ? 1 : 0)} MB`;
}

/** @param {Status} status */
export function troubleOf({ trouble, journal }) {
    return trouble ?? (journal?.status === 'failing' ? `the journal fails: ${journal.failure ?? 'changes are not saved'}` : '');
}

/** The line on top of the overview. */
export class Strip {
    constructor() {
        const whole = (/** @type {number} */ value) => Math.round(value).toLocaleString();
        this.count = h('b');
        this.word = h('span', { class: 'faint' });
        this.aside = h('a', { class: 'aside-count', href: '/?tab=aside', title: 'Sessions that are set aside, with reasons', hidden: true });
        this.events = new Plot('events/s', whole, 10);
        this.refused = new Plot('refused/s', whole, 5);
        this.late = new Plot('ms late', (value) => value.toFixed(value < 10 ? 1 : 0), 2);
        this.refused.element.classList.add('is-refused');
        this.late.element.title = 'Lateness of timers: 99 of 100 fire no later than this';
        this.health = h('span', { class: 'health-word', role: 'status' });
        this.element = h('div', { class: 'strip' }, h('span', { class: 'figure-text' }, this.count, this.word, this.aside),
            this.events.element,
            this.refused.element, this.late.element, this.health);
    }

    /** @param {Status} status @param {number} count of the sessions that the client may see */
    show(status, count) {
        write(this.count, count.toLocaleString());
        write(this.word, count === 1 ? ' session' : ' sessions');
        write(this.aside, `▲ ${(status.aside ?? 0).toLocaleString()} aside`);
        this.aside.hidden = !status.aside;
        this.events.add(status.events_per_s);
        this.refused.add(status.refused_per_s);
        this.late.add(status.lateness_p99_ms ?? 0);
        const trouble = troubleOf(status);
        write(this.health, trouble ? `▲ ${trouble}` : '● ok');
        this.health.classList.toggle('bad', Boolean(trouble));
        this.health.title = trouble;
    }
}

/** The column beside the table. */
export class Health {
    /** @param {import('./types.js').Context} context @param {import('./sessions.js').SessionStore} store */
    constructor({ ticker }, store) {
        this.ticker = ticker;
        this.store = store;
        this.next = h('ol', { class: 'next' });
        this.none = h('p', { class: 'faint' }, 'No countdown runs.');
        this.facts = h('dl', { class: 'facts' });
        this.element = h('aside', { class: 'health', 'aria-label': 'Next timers and daemon status' },
            h('h2', {}, 'Fires next'), this.none, this.next, h('h2', {}, 'Daemon'), this.facts);
    }

    /** @param {Status} status */
    show(status) {
        this.showNext();
        keyed(this.facts, facts(status), ([name]) => name, ([name]) => {
            const value = h('dd');
            return { element: h('div', {}, h('dt', {}, name), value),
                update: ([, text, bad]) => { write(value, text); value.classList.toggle('bad', Boolean(bad)); } };
        });
    }

    showNext() {
        // A pendulum that swings each second would hide what matters.
        const next = this.store.next(NEXT_AT_MOST);
        this.none.hidden = next.length > 0 || !this.store.complete;
        keyed(this.next, next, (row) => JSON.stringify([row.name, row.timer?.name]), (row) => this.#line(row));
    }

    /** @param {HeldRow} first */
    #line(first) {
        const left = h('span', { class: 'left' });
        const figure = new Figure(this.ticker, (text) => write(left, text), leftText);
        const element = h('li', {}, h('a', { href: `/m/${encodeURIComponent(first.name)}` }, named(first.name)),
            h('bdi', { class: 'faint' }, first.timer?.name), left);
        const update = (/** @type {HeldRow} */ { timer, at }) => timer && figure.show(course(timer, at, this.ticker.passes));
        return { element, update, stop: () => figure.stop() };
    }

    stop() {
        keyed(this.next, [], () => '', () => ({ element: h('i') }));
    }
}

/** @param {Status['journal']} [journal] @returns {string} */
function journalText(journal) {
    if (!journal || journal.status === 'none' || journal.durability === 'none') return 'sessions are not saved';
    return journal.status === 'ok' ? `ok, ${journal.durability}` : `failing: ${journal.failure ?? ''}`;
}

/** Values that a daemon does not report have no line.
 *  @param {Status} status @returns {[string, string, boolean?][]} */
function facts(status) {
    const { journal } = status;
    const ms = (/** @type {number} */ value) => `${value.toFixed(1)} ms`;
    const said = (/** @type {any} */ value, /** @type {(value: any) => string} */ text) => (typeof value === 'number' ? text(value) : '');
    const late = said(status.lateness_p99_ms, (p99) => ms(p99) + said(status.lateness_max_ms, (max) => `, at most ${ms(max)}`));
    /** @type {[string, string, boolean?][]} */
    const all = [
        ['journal', journalText(journal), journal?.status === 'failing'], ['waiting for the disk', said(journal?.backlog_bytes, bytesText)],
        ['lateness', late], ['longest turn', said(status.turn_max_ms, ms)], ['connections', said(status.connections, String)],
        ['pages', said(status.streams, String)], ['memory', said(status.memory_bytes, bytesText)],
        ['uptime', said(status.uptime_s, (s) => agoText(s * 1000))],
    ];
    return all.filter(([, text]) => text !== '');
}
