// @ts-check
// The store: the latest data of each topic, and its listeners. A tab in the background unsubscribes from its topics.
import { Link } from './link.js';
import { logInAgain } from './login.js';
import { Nodes } from './nodes.js';

const HIDDEN_MS = 5000;
const DRIFT_MS = 700;
const TICK_MS = 2000;
/** A later tick shows that the page's process was suspended, with events that arrived before. */
const LATE_MS = 4000;
const QUIET_MS = 800;

/** @typedef {(data: any, at: number) => void} Listener  `at` is performance.now() of its arrival */

export class Live {
    /** @type {Map<string, Set<Listener>>} */ #listeners = new Map();
    /** @type {Set<() => void>} */ #watchers = new Set();
    /** @type {Set<(value: unknown) => void>} requests that wait for the daemon */ #waiting = new Set();
    #link = new Link((message) => this.#receive(message), () => this.#requestTopics(true));
    #logsIn = false;
    /** Whether the user has closed the dialog: only what the user does asks again. */ #declined = false;
    #asleep = false;
    #planned = false;
    /** @type {Set<string>} topics of the last request */ #asked = new Set();
    #again = false;
    /** @type {any} */ #hiding = 0;
    /** @type {any} */ #quiet = 0;
    #drift = Date.now() - performance.now();
    #tick = Date.now();
    /** Since when this tab has got nothing, because it was hidden or the machine slept.
     *  @type {number|null} */
    #stale = null;
    /** Null before the first connection, whose loss is shown, too.
     *  @type {boolean|null} */
    up = null;
    /** The other nodes, and whether they are reachable. */ nodes = new Nodes();
    /** The run of the connected daemon. */ boot = '';
    /** Whether its time passes only by command. */ isVirtual = false;
    /** Whether this browser has logged in. */ hasLogin = false;
    #version = '';
    /** Whether the daemon has another version than when this page was loaded. */ isOutdated = false;
    /** When the connection was lost.
     *  @type {number|null} */
    lostAt = null;
    /** How far the daemon's clock is ahead of the browser's, in ms. */ ahead = 0;

    constructor() {
        document.addEventListener('visibilitychange', () => this.#handleVisibilityChange());
        if (document.hidden) this.#handleVisibilityChange();
        addEventListener('pagehide', () => this.#link.request([]));
        addEventListener('pageshow', (event) => {
            if (!event.persisted) return;
            this.#declined = false;
            this.#requestTopics(true);
        });
        setInterval(() => { this.#detectSleep(); this.#link.check([...this.#asked]); }, TICK_MS);
    }

    /** Calls the listener for a topic from now on: first with the whole data, then with changes.
     *  @param {string} topic @param {Listener} listener */
    watch(topic, listener) {
        // A later listener needs the whole data too, which the stream does not repeat by itself.
        if (this.#asked.has(topic)) this.#again = true;
        const listeners = this.#listeners.get(topic) ?? new Set();
        this.#listeners.set(topic, listeners.add(listener));
        this.#plan();
        return () => {
            listeners.delete(listener);
            if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic);
            this.#plan();
        };
    }

    /** @param {() => void} watcher */
    watchConnection(watcher) {
        this.#watchers.add(watcher);
        return () => this.#watchers.delete(watcher);
    }

    /** Resolves as soon as the daemon is connected, also after a loss too short to be shown. Rejects if it is cancelled before.
     *  @param {AbortSignal} [cancelled] */
    whenUp(cancelled) {
        return new Promise((resolve, reject) => {
            if (cancelled?.aborted) return reject(cancelled.reason);
            if ((this.up && this.lostAt === null) || this.#listeners.size === 0 || this.#declined) return resolve(undefined);
            this.#waiting.add(resolve);
            cancelled?.addEventListener('abort', () => { this.#waiting.delete(resolve); reject(cancelled.reason); });
        });
    }

    /** Publishes data of a response like data of the stream.
     *  @param {string} topic @param {any} data */
    publish(topic, data) {
        const at = performance.now();
        for (const listener of this.#listeners.get(topic) ?? []) listener(data, at);
    }

    /** Combines several changes of one task into one request. */
    #plan() {
        if (this.#planned) return;
        this.#planned = true;
        queueMicrotask(() => { this.#planned = false; this.#requestTopics(false); });
    }

    /** @param {boolean} renew */
    #requestTopics(renew) {
        if (this.#asleep) return;
        this.#asked = new Set(this.#listeners.keys());
        this.#link.request([...this.#asked], renew || this.#again);
        this.#again = false;
    }

    /** @param {import('./stream.js').Message} message */
    #receive(message) {
        if (message.kind === 'login') return this.#declined ? undefined : this.logIn();
        if (message.kind === 'hello') this.#hello(message.data);
        if (message.kind === 'nodes') this.nodes.hear(message.data.nodes);
        if (message.kind === 'away') this.nodes.hearAway(message.data.session, message.data.reason);
        if (message.up !== undefined) this.#connection(message.up, message.ago);
        if (message.topic) this.publish(message.topic, message.data);
    }

    /** The daemon does not accept this browser's login: the page asks for another, and requests its topics again once it has one. */
    async logIn() {
        if (this.#logsIn) return;
        this.#logsIn = true;
        this.#declined = !await logInAgain();
        this.#logsIn = false;
        if (!this.#declined) this.#requestTopics(true);
    }

    /** A tab that shares a stream may know that the daemon is connected before it knows the daemon's time.
     *  @param {{boot: string, version: string, clock: string, now_ms: number, node?: string, login?: boolean}} hello */
    #hello({ boot, version, clock, now_ms, node, login = false }) {
        this.ahead = now_ms - Date.now();
        this.#stale = null;
        this.#declined = false;
        this.#version ||= version;
        this.isOutdated = this.#version !== version;
        this.nodes.begin(node);
        const isOther = this.isVirtual !== (clock === 'virtual') || this.hasLogin !== login;
        this.boot = boot;
        this.isVirtual = clock === 'virtual';
        this.hasLogin = login;
        if (isOther && this.up) this.#notifyWatchers();
    }

    /** Reports a loss of the connection after a moment, so that short losses are not shown.
     *  @param {boolean} up @param {number} [ago] ms since the last event */
    #connection(up, ago = 0) {
        clearTimeout(this.#quiet);
        if (up) return this.#setConnected(true);
        this.lostAt ??= this.#stale ?? Date.now() - ago;
        this.#quiet = setTimeout(() => this.#setConnected(false), QUIET_MS);
    }

    /** @param {boolean} up */
    #setConnected(up) {
        if (up) this.lostAt = null;
        if (this.up !== up) {
            this.up = up;
            this.#notifyWatchers();
        }
        if (!up) return;
        for (const resolve of this.#waiting) resolve(undefined);
        this.#waiting.clear();
    }

    #notifyWatchers() {
        for (const watcher of [...this.#watchers]) watcher();
    }

    #handleVisibilityChange() {
        clearTimeout(this.#hiding);
        if (document.hidden) this.#hiding = setTimeout(() => this.#sleep(), HIDDEN_MS);
        else if (this.#asleep) this.#wake();
    }

    #sleep() {
        this.#link.request([]);
        this.#asked.clear();
        this.#asleep = true;
        this.#stale ??= Date.now();
        this.up = null;       // requests wait until a stream says so again
        document.dispatchEvent(new Event('asleep'));
    }

    #wake() {
        this.#asleep = false;
        this.#tick = Date.now();
        this.#requestTopics(false);
    }

    /** performance.now() stops while the machine sleeps, and Date.now() does not. If they diverge, or this is called too late, all topics are
     *  requested again. */
    #detectSleep() {
        const drift = Date.now() - performance.now();
        if (Math.abs(drift - this.#drift) > DRIFT_MS || Date.now() - this.#tick > TICK_MS + LATE_MS) {
            this.#stale ??= this.#tick;
            this.#requestTopics(true);
        }
        this.#drift = drift;
        this.#tick = Date.now();
    }
}
