// @ts-check
// The overview: all sessions, the next timers, the daemon's health, the flows, and the devices.
import { Advance } from './advance.js';
import { Aside } from './aside.js';
import { ClusterLine, ClusterPage } from './cluster.js';
import { Devices } from './devices.js';
import { fill, h } from './dom.js';
import { FlowCards } from './flows.js';
import { Health, Strip, troubleOf } from './health.js';
import { reloadButton } from './reload.js';
import { SessionList } from './sessionlist.js';
import { SessionStore } from './sessions.js';
import { Statuses } from './statuses.js';

/** @typedef {import('./types.js').Context} Context */

const TABS = [['', 'Sessions'], ['aside', 'Set aside'], ['flows', 'Flows'], ['devices', 'Devices'],
    ['cluster', 'Cluster'], ['health', 'Health']];

/** Seconds after which rows of departed nodes are removed, once every shard has an owner. */
const SETTLED_AFTER = 3;

/** @param {HTMLElement} root @param {Context} context */
export function overview(root, context) {
    const view = new Overview(context);
    fill(root, view.element);
    return () => view.stop();
}

class Overview {
    /** @type {Map<string, HTMLElement>} */ pages = new Map();
    /** @type {HTMLAnchorElement[]} */ tabs = [];
    statuses = new Statuses();
    /** Number of consecutive statuses in which every shard had an owner. */ #settled = 0;

    /** @param {Context} context */
    constructor(context) {
        this.context = context;
        this.store = new SessionStore();
        this.teaching = new FlowCards(context, this.store, true);
        const empty = h('div', { class: 'empty first', hidden: true }, h('h2', {}, 'No session yet'),
            h('p', {}, 'A session is one run of a flow. Create one here or with the command.'), this.teaching.element);
        this.sessions = new SessionList(context, this.store, empty);
        this.flows = new FlowCards(context, this.store);
        this.devices = new Devices(context);
        this.health = new Health(context, this.store);
        this.aside = new Aside(context);
        this.advance = new Advance(context);
        this.cluster = new ClusterPage();
        this.clusterLine = new ClusterLine(context);
        this.strip = new Strip();
        this.element = h('div', { class: 'overview' }, this.#bar(), this.advance.element, this.clusterLine.element,
            this.#pages());
        this.#showTab();
        context.place.onquery = () => { this.#showTab(); this.sessions.readPlace(); };
        this.stops = this.#watch();
        context.face.show('gamed', 'calm');
    }

    #bar() {
        // The filter is kept between the tabs.
        const stay = (/** @type {any} */ event,
            /** @type {string} */ id) => { event.currentTarget.href = this.context.place.with({ tab: id }); };
        this.tabs = TABS.map(([id, name]) => h('a', {
            href: id ? `/?tab=${id}` : '/', class: `tab tab-${id || 'sessions'}`, onclick: (/** @type {Event} */ event) => stay(event, id),
        }, name));
        return h('header', { class: 'bar overview-bar' }, h('h1', {}, h('a', { href: '/', class: 'home' }, 'gamed')), this.strip.element,
            h('nav', { 'aria-label': 'Views' }, ...this.tabs), this.#logOutButton());
    }

    /** Hidden in a browser that is admitted without a login. */
    #logOutButton() {
        const { api, live, notices } = this.context;
        const logOut = () => api.post('/logout').then(() => location.assign('/'), (error) => notices.refuse(error));
        const button = h('button', { class: 'quiet', hidden: !live.hasLogin, onclick: logOut }, 'Log out');
        this.stopConnection = live.watchConnection(() => { button.hidden = !live.hasLogin; });
        return button;
    }

    #pages() {
        const reading = h('div', { class: 'page-head' }, h('p', { class: 'faint' }, 'Changed files are reloaded on demand.'),
            reloadButton(this.context.api));
        this.pages = new Map([['', this.sessions.element], ['aside', this.aside.element],
            ['flows', h('section', { class: 'page', 'aria-label': 'Flows' }, h('h2', { class: 'unseen' }, 'Flows'), reading, this.flows.element)],
            ['devices', h('section', { class: 'page', 'aria-label': 'Devices' }, this.devices.element)],
            ['cluster', this.cluster.element]]);
        return h('div', { class: 'overview-body' }, ...this.pages.values(), this.health.element);
    }

    #showTab() {
        const wanted = this.context.place.get('tab');
        const tab = TABS.some(([id]) => id === wanted) ? wanted : '';
        this.element.dataset.tab = tab || 'sessions';
        // On a wide screen the health is beside the sessions.
        for (const [id, page] of this.pages) page.hidden = id !== (tab === 'health' ? '' : tab);
        this.tabs.forEach((link, i) => (TABS[i][0] === tab ? link.setAttribute('aria-current', 'page')
            : link.removeAttribute('aria-current')));
        if (tab === 'aside') this.aside.read();
    }

    #watch() {
        const { live, face } = this.context;
        return [
            live.watch('sessions', (piece, at) => {
                // Virtual time does not pass between two arrivals.
                this.store.apply(piece, live.isVirtual ? 0 : at);
                this.sessions.refresh();
                if (piece.whole) this.health.showNext();
            }),
            live.watch('flows', ({ flows }) => { this.flows.show(flows); this.teaching.show(flows); }),
            live.nodes.watch(() => this.#markAway()),
            live.watch('status', (/** @type {import('./types.js').Status} */ said) => {
                const status = this.statuses.put(said);
                if (!status) return;
                this.#showCluster(status.cluster);
                status.trouble ??= this.clusterLine.summary;
                // A token for some sessions gets no counts: it has the rows of all that it may see.
                const { sessions = this.store.rows.size, aside } = status;
                this.strip.show(status, sessions);
                this.health.show(status);
                this.aside.show(aside);
                this.element.classList.toggle('has-aside', aside !== 0);
                this.devices.show(status.devices ?? []);
                const trouble = troubleOf(status);
                const count = `${sessions.toLocaleString()} session${sessions === 1 ? '' : 's'}`;
                face.show(trouble ? `${trouble} · gamed` : `gamed · ${count}`, trouble ? 'refused' : 'running');
            }),
        ];
    }

    /** @param {import('./types.js').Cluster} [cluster] */
    #showCluster(cluster) {
        this.element.classList.toggle('has-cluster', Boolean(cluster));
        this.clusterLine.show(cluster ?? null);
        if (!cluster) return;
        this.cluster.show(cluster, this.statuses, this.context.live.nodes);
        this.#settled = this.statuses.isSettled ? this.#settled + 1 : 0;
        const isOver = this.#settled >= SETTLED_AFTER && this.store.forgetBut(new Set(cluster.nodes.map((node) => node.node)));
        if (isOver) this.sessions.refresh();
        this.#markAway();
    }

    #markAway() {
        const { nodes } = this.context.live;
        const heard = new Set([nodes.me, ...nodes.others.filter((node) => node.heard && !nodes.trouble(node)).map((node) => node.node)]);
        if (this.store.mark(heard)) this.sessions.refresh();
    }

    stop() {
        this.clusterLine.stop();
        this.stopConnection?.();
        this.context.place.onquery = null;
        for (const stop of this.stops) stop();
        this.sessions.stop();
        this.health.stop();
        this.advance.stop();
    }
}
