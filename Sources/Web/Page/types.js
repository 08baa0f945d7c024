// @ts-check
// The daemon's data as types for editors. This file contains no code.

/** @typedef {{name: string, label: string, kind: 'countdown'|'pendulum', remaining_ms: number, length_ms: number, period_ms?: number|null,
 *   event?: string, paused: boolean, generation: number}} Timer */
/** @typedef {{type?: string, title?: string, name?: string, minimum?: number, maximum?: number, enum?: any[], minLength?: number,
 *   maxLength?: number, description?: string, default?: any, properties?: Object<string, any>, required?: string[], optional?: boolean}} Schema
 *   `optional`: the event may be sent without its only field */
/** @typedef {{event: string, label: string, payload: Schema|null, sources?: string[]}} Action  `sources` if no person may send it. */
/** @typedef {{session: string, flow: string, state: string, life: number, version: number, data: any, title: string|null,
 *   text: string|null, progress: number|null, paused: boolean, final: boolean, actions: Action[], timers: Timer[],
 *   postponed: {id: number, event: string, payload: any, age_ms: number}[], at_ms: number}} View */
/** @typedef {{name: string, flow: string, state: string, life: number, version: number, paused: boolean, final: boolean,
 *   since_ms: number, timer: Timer|null}} Row */
/** @typedef {{node: string, address: string, http: string|null, state: string, heard: boolean, reason: string|null}} OtherNode */
/** @typedef {{node: string, address: string|null, http: string|null, myself: boolean, state: 'here'|'leaving'|'silent'|'outside',
 *   shards: number, missing_flows: string[]}} ClusterNode */
/** @typedef {{lease_ms: number|null, age_ms: number|null, loading: number, failure: string|null, shards: number, unowned: number,
 *   missing_flows: string[], differing_flows: {flow: string, definitions: {definition: string|null, nodes: string[]}[]}[],
 *   nodes: ClusterNode[],
 *   moves: {ago_ms: number, shard: number, epoch: number, from: string|null, to: string|null}[]}} Cluster */
/** @typedef {Row & {aside: string}} AsideRow  A session that is set aside, and the reason. */
/** @typedef {Row & {at: number, order: string, node: string, away: boolean}} HeldRow  A row, its arrival (performance.now()), its name for
 *   sorting, the node that reported it, and whether that node is unreachable. */
/** @typedef {{seq: number, life: number, version: number, at_ms: number, what: string, event: string|null, payload: string|null,
 *   source: string, timer: string|null, from: string, to: string, code: string|null, refused: string|null, accepted: string[]|null, actor: string|null,
 *   times: number, last_at_ms?: number, last_seq?: number, last_version?: number, t_ms?: number}} Line */
/** @typedef {{name: string, schema: Schema, default: any}} Parameter */
/** @typedef {{name: string, states: string[], events: {name: string, label: string, payload: Schema|null, sources: string[]}[],
 *   timers: {name: string, kind: string, length_ms: number|null, restart: string}[], parameters: Parameter[],
 *   file: string|null, definition: string|null}} FlowInfo */
/** @typedef {{id: string, name: string, final: boolean}} GraphState */
/** @typedef {{id: string, from: string, to: string, event: string|null, timer: string|null, label: string}} GraphEdge */
/** @typedef {{states: GraphState[], edges: GraphEdge[]}} Graph */
/** @typedef {{name: string, address: string, kind: string, connected: boolean, says: string[], counts: Object<string, number>}} Device */
/** @typedef {{session: string, timer: string, event: string, remaining_ms: number}} Next */
/** @typedef {{sessions?: number, aside?: number, events_per_s: number, refused_per_s: number, lateness_p99_ms: number,
 *   lateness_max_ms: number, turn_max_ms: number, journal: {durability: string, status: string, failure: string|null,
 *   backlog_bytes: number}, connections: number, streams: number, memory_bytes: number, uptime_s: number, trouble: string|null,
 *   clock_ms: number, next: Next[], devices: Device[], node?: string, cluster?: Cluster}} Status */
/** @typedef {{id: string, flow: string, at_ms: number, end_ms: number, limit_ms: number, next_ms: number|null, under_way?: boolean,
 *   view: View, lines: Line[], steps: {at_ms: number, event: string, payload: any}[], standins: {name: string, says: string}[]}} Sandbox */
/** @typedef {{live: import('./live.js').Live, api: import('./api.js').Api, ticker: import('./ticker.js').Ticker,
 *   notices: import('./notices.js').Notices, place: import('./place.js').Place, face: import('./tabindicator.js').TabIndicator}} Context */

export {};
