// @ts-check
// A session's history as it happens, newest first: one line for each entry, refusals with their reason.
import { dotted, fill, h, messageOf, whileBusy, write } from './dom.js';
import { changedStates, stateText } from './names.js';
import { dayTime, lengthText } from './time.js';

/** @typedef {import('./types.js').Line} Line */

const KEPT = 200;
const REMEMBERED = 2000;
/** The most that the daemon returns at once. */
const EARLIER = 1000;
const SOURCES = { ui: 'ui', network: 'net', bluetooth: 'bt', timer: 'timer', orchestrator: 'self' };
const BAD = new Set(['refused', 'ignored']);

export class History {
    /** By life and number. @type {Map<string, {item: Element, times: number}>} */ #items = new Map();
    #filled = false;
    #boot = '';
    #day = new Date().toDateString();
    /** The newest entry that is known. @type {{life: number, seq: number} | null} */ #last = null;
    #kept = KEPT;

    /** @param {{onTaken?: (line: Line) => void, onPick?: (line: Line) => void, load?: (count: number) => Promise<Line[]>}} options
     *  `load` returns the newest entries, newest first; without it the list has all */
    constructor({ onTaken, onPick, load } = {}) {
        this.onTaken = onTaken;
        this.onPick = onPick;
        this.list = h('ol', { class: 'history', tabindex: 0, 'aria-label': 'History, newest first' });
        this.none = h('p', { class: 'faint' }, 'No entries yet.');
        this.earlier = h('button', { class: 'quiet earlier', hidden: true }, 'Earlier entries');
        this.earlier.onclick = () => whileBusy(this.earlier, () => this.#showEarlier(), (error) => { this.earlier.textContent = messageOf(error); });
        this.load = load;
        this.element = h('div', { class: 'history-box' }, this.none, this.list, this.earlier);
    }

    /** Adds the entries before the oldest one that is shown. */
    async #showEarlier() {
        const lines = await this.load?.(EARLIER) ?? [];
        const { life, seq } = /** @type {HTMLElement} */ ([...this.list.querySelectorAll('li:not(.gap)')].at(-1) ?? this.list).dataset;
        const earlier = lines.filter((line) => line.life < Number(life) || (line.life === Number(life) && line.seq < Number(seq)));
        /** @type {Map<string, {item: Element, times: number}>} */
        const items = new Map(earlier.reverse().map((line) => [keyOf(line), { item: this.#make(line, false), times: line.times ?? 1 }]));
        this.list.append(...[...items.values()].reverse().map(({ item }) => item));
        this.#items = new Map([...items, ...[...this.#items].filter(([known]) => !items.has(known))]);
        this.#kept = KEPT + EARLIER;
        this.earlier.hidden = true;
    }

    /** Offers the entries before those that are shown, once. */
    #offerEarlier() {
        if (this.#kept === KEPT && this.load) this.earlier.hidden = false;
    }

    /** Adds lines. After a crash, lines that the daemon or a node has lost are removed, since their numbers are used again.
     *  @param {{lines: Line[], whole?: boolean, gap?: boolean, earlier?: boolean}} said `whole`: the newest lines that there are; `gap`: some
     *      before these are missing; `earlier`: the daemon has others before them
     *  @param {string} boot the run of the daemon that sent them */
    tell({ lines, whole = false, gap = false, earlier = false }, boot) {
        const isOther = this.#boot !== '' && boot !== this.#boot;
        this.#boot = boot;
        if (isOther || (whole && this.#isAhead(lines))) this.replace(lines);
        else this.add(lines, gap || this.#misses(lines));
        if (earlier) this.#offerEarlier();
    }

    /** Whether lines are known that are newer than all of these. @param {Line[]} lines oldest first */
    #isAhead(lines) {
        const life = lines.at(-1)?.life ?? 0;
        const newest = Math.max(0, ...lines.filter((line) => line.life === life).map((line) => line.last_seq ?? line.seq));
        return this.#last !== null && (life < this.#last.life || (life === this.#last.life && newest < this.#last.seq));
    }

    /** Whether lines are missing between the newest one and these, after the connection was lost. @param {Line[]} lines */
    #misses(lines) {
        const [first] = lines;
        return this.#last !== null && first !== undefined && first.life === this.#last.life && first.seq > this.#last.seq + 1;
    }

    /** @param {Line[]} lines oldest first; known ones are skipped, or update their count
     *  @param {boolean} [gap] whether some before them are missing */
    add(lines, gap = false) {
        this.#showDays();
        if (gap) this.list.prepend(h('li', { class: 'gap faint' }, 'Some entries are not shown here.'));
        for (const line of lines) {
            this.#last = { life: line.life, seq: Math.max(line.last_seq ?? line.seq, this.#last?.life === line.life ? this.#last.seq : 0) };
            const key = keyOf(line);
            const known = this.#items.get(key);
            const times = line.times ?? 1;
            if (known && known.times >= times) continue;
            if (known) this.#count(known.item, line);
            else this.list.prepend(this.#make(line, this.#filled));
            this.#items.set(key, { item: known?.item ?? this.list.firstElementChild, times });
            if (this.#filled && line.what === 'taken') this.onTaken?.(line);
        }
        this.#filled = true;
        for (const key of this.#items.keys()) {
            if (this.#items.size <= REMEMBERED) break;
            this.#items.delete(key);
        }
        this.none.hidden = this.list.childElementCount > 0;
        if (this.list.childElementCount > this.#kept) this.#offerEarlier();
        while (this.list.childElementCount > this.#kept) this.list.lastElementChild?.remove();
    }

    /** After midnight, the times of earlier lines get their day. */
    #showDays() {
        const day = new Date().toDateString();
        if (day === this.#day) return;
        this.#day = day;
        for (const time of this.list.querySelectorAll('time')) write(time, dayTime(Date.parse(time.dateTime)));
    }

    /** Updates a repeated line; its time is that of the last repetition.
     *  @param {Element} item @param {Line} line */
    #count(item, line) {
        item.querySelector('.time')?.replaceWith(this.#time(line));
        fill(item.querySelector('.outcome') ?? item, ...outcome(line));
    }

    /** Shows exactly these lines: a sandbox that went back has another history.
     *  @param {Line[]} lines oldest first */
    replace(lines) {
        this.#items.clear();
        this.#last = null;
        this.#kept = KEPT;
        this.earlier.hidden = true;
        this.list.replaceChildren();
        this.#filled = false;
        this.add(lines);
    }

    /** @param {boolean} only */
    showRefused(only) {
        this.list.classList.toggle('only-refused', only);
    }

    /** @param {Line} line @param {boolean} isNew */
    #make(line, isNew) {
        const bad = BAD.has(line.what);
        const { life, seq } = line;
        const item = h('li', { 'data-life': life, 'data-seq': seq, class: [isNew && 'new', bad && 'refused', line.what === 'forced' && 'forced'].filter(Boolean).join(' ') },
            this.#time(line), h('span', { class: 'source' }, SOURCES[/** @type {keyof typeof SOURCES} */ (line.source)] ?? line.source),
            h('span', { class: 'event' }, actionText(line)), h('span', { class: 'outcome' }, outcome(line)));
        return item;
    }

    /** @param {Line} line */
    #time(line) {
        const at = line.last_at_ms ?? line.at_ms;
        const datetime = new Date(at).toISOString();
        if (line.t_ms === undefined) return h('time', { class: 'time', datetime, title: datetime }, dayTime(at));
        return h('button', { class: 'quiet time', title: 'Go to this moment', onclick: () => this.onPick?.(line) }, lengthText(line.t_ms));
    }
}

/** @param {Line} line */
function keyOf({ life, seq }) {
    return `${life} ${seq}`;
}

/** The event or action, with its payload and actor.
 *  @param {Line} line */
function actionText(line) {
    // For a command, `what` is enough; it may be about a timer.
    const isEvent = ['taken', 'postponed', 'waiting', 'ignored', 'refused'].includes(line.what);
    const about = (isEvent ? line.event : null) ?? line.timer ?? '';
    const said = payloadText(line);
    const payload = said && h('bdi', { class: 'payload', title: said }, ' ' + said);
    const word = ['taken', 'refused'].includes(line.what) ? null : h('em', {}, line.what + (about ? ' ' : ''));
    const icon = line.what === 'refused' ? h('span', { class: 'mark', 'aria-hidden': 'true' }, '✕ ') : null;
    const actor = line.actor && line.actor !== line.source ? h('bdi', { class: 'faint', title: line.actor }, ` by ${line.actor}`) : null;
    return [icon, word, h('bdi', { title: about }, about), payload, actor];
}

/** @param {Line} line */
function payloadText({ what, payload }) {
    const ms = Number(payload);
    if (what === 'extended' && payload && !Number.isNaN(ms)) return (ms < 0 ? '−' : '+') + lengthText(Math.abs(ms));
    return payload === 'null' ? null : payload;
}

/** The result, and the number of repetitions.
 *  @param {Line} line */
function outcome(line) {
    const times = line.times > 1 ? [h('span', { class: 'faint', title: `since ${dayTime(line.at_ms)}` }, `${line.times} times`)] : [];
    if (line.refused) return [h('span', { class: 'why' }, `${line.what}: `), h('bdi', {}, dotted(line.refused)), times.length ? ' · ' : '', ...times];
    if (line.from === line.to || !line.from) return line.what === 'begun' ? [h('bdi', {}, dotted(stateText(line.to)))] : times;
    const [from, to] = changedStates(line.from, line.to);
    return [h('bdi', {}, dotted(from)), ' → ', h('bdi', {}, dotted(to))];
}
