// @ts-check
// Sessions that are set aside: each with the daemon's reason and the possible actions.
import { path } from './api.js';
import { SessionActions } from './sessionactions.js';
import { fill, h, keyed, messageOf, named, pressOnce, whileBusy, writeDotted } from './dom.js';
import { reloadButton } from './reload.js';

/** @typedef {import('./types.js').AsideRow} AsideRow */

const AT_ONCE = 200;
/** A client without counts reads the list again after this many statuses, one a second. */
const STATUSES_PER_READ = 5;
/** A list that takes more requests than this is not read regularly. */
const MAX_REGULAR_REQUESTS = 5;
const collator = new Intl.Collator(undefined, { numeric: true });

export class Aside {
    /** @type {number|undefined} */ #count = -1;
    #statuses = 0;
    /** Requests of the last read. */
    #requests = 0;
    #shown = AT_ONCE;
    #reading = false;
    #again = false;

    /** @param {import('./types.js').Context} context */
    constructor(context) {
        this.context = context;
        this.list = h('ul', { class: 'aside-list' });
        pressOnce(this.list);
        this.more = h('button', { hidden: true, onclick: () => { this.#shown *= 4; this.read(); } }, 'Show more');
        this.none = h('div', { class: 'empty', hidden: true }, h('h2', {}, 'No session is set aside'),
            h('p', {}, 'gamed sets a session aside if it no longer fits its flow or cannot be restored, and keeps it until it fits again.'));
        this.head = h('div', { class: 'page-head', hidden: true },
            h('p', { class: 'faint' }, 'These do not run. gamed keeps their data until their flow fits them again or you drop them.'),
            reloadButton(context.api));
        this.element = h('section', { class: 'page', 'aria-label': 'Sessions that are set aside' }, this.head, this.none, this.list, this.more);
    }

    /** Reads the list again if the count of a status has changed, or regularly without a count.
     *  @param {number|undefined} count undefined if the client may not see all sessions */
    show(count) {
        this.#statuses += 1;
        // A read of many parts is a lot of work for gamed.
        const isDue = count === undefined && this.#requests <= MAX_REGULAR_REQUESTS && this.#statuses % STATUSES_PER_READ === 0;
        if (count === this.#count && !isDue) return;
        this.#count = count;
        if (!this.element.hidden) this.read();
    }

    /** One request at a time; a read that is requested meanwhile follows it. */
    async read() {
        this.#again = true;
        if (this.#reading) return;
        this.#reading = true;
        while (this.#again) {
            this.#again = false;
            await this.#readOnce().catch((error) => this.context.notices.refuse(error));
        }
        this.#reading = false;
    }

    async #readOnce() {
        /** @type {AsideRow[]} */
        const rows = [];
        let cursor = '0';
        this.#requests = 0;
        do {
            this.#requests += 1;
            const query = new URLSearchParams({ state: '!', cursor, count: String(AT_ONCE) });
            const piece = await this.context.api.get(`/api/sessions?${query}`);
            rows.push(...piece.sessions);
            cursor = piece.cursor;
        } while (cursor !== '0' && rows.length < this.#shown);
        rows.sort((one, other) => collator.compare(one.name, other.name));
        this.#draw(rows.slice(0, this.#shown), rows.length > this.#shown || cursor !== '0');
    }

    /** @param {AsideRow[]} rows @param {boolean} hasMore */
    #draw(rows, hasMore) {
        this.none.hidden = rows.length > 0;
        this.head.hidden = rows.length === 0;
        this.more.hidden = !hasMore;
        keyed(this.list, rows, (row) => row.name, (row) => this.#item(row));
    }

    /** @param {AsideRow} first */
    #item(first) {
        const { name } = first;
        const actions = new SessionActions(this.context, name);
        const why = h('p', { class: 'aside-why' });
        const said = h('p', { class: 'reason', role: 'alert' });
        const retry = h('button', { 'aria-label': `Retry ${name}`, onclick: () => this.#retry(name, retry, said) }, 'Retry');
        const drop = h('button', { class: 'quiet danger-text', 'aria-label': `Drop ${name}…`,
            onclick: async () => { await actions.dropSetAside(); this.read(); } }, 'Drop…');
        const element = h('li', { class: 'aside-item' },
            h('div', { class: 'aside-head' }, h('a', { class: 'aside-name', href: path('m', name) }, named(name)),
                h('bdi', { class: 'faint' }, first.flow), h('div', { class: 'row' }, retry, drop)), why, said);
        return { element, update: (/** @type {AsideRow} */ row) => writeDotted(why, row.aside) };
    }

    /** @param {string} name @param {HTMLElement} button @param {HTMLElement} said */
    #retry(name, button, said) {
        return whileBusy(button, async () => {
            fill(said);
            await this.context.api.post(path('api', 'sessions', name, 'retry'));
            this.context.notices.say([named(name), ' runs again']);
            this.read();
        }, (error) => writeDotted(said, messageOf(error)));
    }
}
