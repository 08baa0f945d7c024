// @ts-check
// The cluster: its nodes with their shards, shards without owner, and the latest moves; and a line that names missing nodes.
import { fill, h, keyed, write } from './dom.js';
import { agoText } from './time.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('./types.js').Cluster} Cluster */
/** @typedef {import('./types.js').ClusterNode} ClusterNode */
/** @typedef {import('./statuses.js').Statuses} Statuses */

const WORDS = { here: '● here', leaving: '→ leaves', silent: '▲ silent', outside: '▲ has no lease' };
const MOST_LINES = 12;
const HEADS = ['node', '', 'shards', 'sessions', 'events/s', 'cluster data'];

/** The name by which people know a node.
 *  @param {{address: string|null, http: string|null, node: string}} node */
function placeOf({ address, http, node }) {
    return address ?? http?.replace(/^https?:\/\//, '') ?? node.slice(0, 8);
}

/** The line above the table: the cluster's current problems. */
export class ClusterLine {
    /** @type {Cluster|null} */ #cluster = null;

    /** @param {Context} context */
    constructor(context) {
        this.context = context;
        this.element = h('div', { class: 'cluster-line', role: 'status', hidden: true });
        this.stop = context.live.nodes.watch(() => this.#draw());
    }

    /** The problems in a few words; empty if there are none. */
    get summary() {
        if (this.#cluster?.failure) return 'outside';
        const { nodes } = this.context.live;
        return nodes.others.some((node) => nodes.trouble(node)) ? 'node away' : this.#cluster?.unowned ? 'shards unowned' : null;
    }

    /** @param {Cluster|null} cluster */
    show(cluster) {
        this.#cluster = cluster;
        this.#draw();
    }

    #draw() {
        const { nodes } = this.context.live;
        const said = nodes.others.map((node) => [node, nodes.trouble(node)]).filter(([, why]) => why);
        const lines = said.map(([node, why]) => `${placeOf(/** @type {any} */ (node))} is ${/** @type {any} */ (node).http ? 'away' : 'not shown'}: ${why}`);
        const unowned = this.#cluster?.unowned ?? 0;
        if (this.#cluster?.failure) lines.unshift(`This node has no lease: ${this.#cluster.failure}`);
        if (unowned) lines.push(`${unowned} of ${this.#cluster?.shards} shards have no owner just now`);
        this.element.hidden = lines.length === 0;
        const text = lines.join('\n');
        if (this.element.dataset.text === text) return;
        this.element.dataset.text = text;
        fill(this.element, ...lines.map((line) => h('p', {}, '▲ ', line)));
    }
}

/** The tab. */
export class ClusterPage {
    constructor() {
        this.body = h('tbody');
        this.facts = h('p', { class: 'faint' });
        this.missing = h('p', { class: 'bad', hidden: true });
        this.differing = h('p', { class: 'bad', hidden: true });
        this.moves = h('ol', { class: 'moves' });
        this.none = h('p', { class: 'faint' }, 'No shard has moved since this node started.');
        const table = h('table', { class: 'nodes' }, h('thead', {}, h('tr', {}, ...HEADS.map((name) => h('th', { scope: 'col' }, name)))),
            this.body);
        this.element = h('section', { class: 'page cluster', 'aria-label': 'Cluster' }, h('h2', {}, 'Nodes'), table, this.facts, this.missing,
            this.differing, h('h2', {}, 'Latest moves'), this.none, this.moves);
    }

    /** @param {Cluster} cluster @param {Statuses} statuses @param {import('./nodes.js').Nodes} known */
    show(cluster, statuses, known) {
        const rows = cluster.nodes.map((node) => ({ node, status: statuses.of(node.node),
            why: known.others.filter((other) => other.node === node.node).map((other) => known.trouble(other)).join('') }));
        keyed(this.body, rows, ({ node }) => node.node, () => line());
        const unowned = cluster.unowned ? `, ${cluster.unowned} of them without an owner` : '';
        const lease = cluster.lease_ms === null ? 'it has no lease' : `its lease expires in ${(cluster.lease_ms / 1000).toFixed(1)} s`;
        write(this.facts, `${cluster.shards} shards${unowned}. This page comes from the node marked ◆; ${lease}.`);
        const flows = cluster.missing_flows.join(', ');
        this.missing.hidden = !flows;
        write(this.missing, flows ? `▲ Some shards need several flows, and no node has all of them: ${flows}` : '');
        const differing = cluster.differing_flows.map(({ flow, definitions }) => `${flow} (${definitions
            .map(({ definition, nodes }) => `${definition ?? 'none'} at ${nodes.join(', ')}`).join('; ')})`);
        this.differing.hidden = differing.length === 0;
        write(this.differing, differing.length ? `▲ Nodes have different definitions of: ${differing.slice(0, MOST_LINES).join(', ')}` : '');
        this.none.hidden = cluster.moves.length > 0;
        fill(this.moves, ...together(cluster.moves).map(({ ago, way, moves: [first, ...others] }) => h('li', {},
            h('span', { class: 'faint' }, `${ago} ago `), others.length ? `${others.length + 1} shards: ${way}` : `shard ${first?.shard}: ${way} `,
            others.length ? '' : h('span', { class: 'faint' }, `epoch ${first?.epoch}`))));
    }
}

/** Shards that moved between the same nodes at the same time are one line.
 *  @param {Cluster['moves']} moves */
function together(moves) {
    /** @type {{ago: string, way: string, moves: Cluster['moves']}[]} */ const groups = [];
    for (const move of moves) {
        const [ago, way] = [agoText(move.ago_ms), `${move.from ?? 'none'} → ${move.to ?? 'none'}`];
        const same = groups.find((group) => group.way === way && group.ago === ago);
        if (same) same.moves.push(move);
        else groups.push({ ago, way, moves: [move] });
    }
    return groups.slice(0, MOST_LINES);
}

/** A node's line of the table. */
function line() {
    const cells = HEADS.map(() => h('td'));
    const update = (/** @type {{node: ClusterNode, status: import('./types.js').Status|undefined, why: string}} */ { node, status, why }) => {
        const isOk = node.state === 'here' && !why;
        const texts = [`${node.myself ? '◆ ' : ''}${placeOf(node)}`, why && node.state === 'here' ? '▲ not connected' : WORDS[node.state],
            String(node.shards), why ? '–' : status?.sessions?.toLocaleString() ?? '–',
            why || !status ? '–' : Math.round(status.events_per_s).toLocaleString(), heardText(node, status, why)];
        cells.forEach((cell, i) => write(cell, texts[i]));
        cells[1].className = isOk ? 'running-text' : 'bad';
        cells[5].title = why;
    };
    return { element: h('tr', {}, ...cells), update };
}

/** @param {ClusterNode} node @param {import('./types.js').Status|undefined} status @param {string} why */
function heardText(node, status, why) {
    if (why) return why;
    if (!node.http && !node.myself) return 'it has no page that this node can reach';
    const age = status?.cluster?.age_ms;
    return typeof age === 'number' ? `as of ${(age / 1000).toFixed(1)} s ago` : '';
}
