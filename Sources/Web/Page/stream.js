// @ts-check
// One EventSource over the requested topics. Runs in the shared worker, or in the tab if there is none.

/** @typedef {{kind: string, topic?: string, data?: any, up?: boolean, ago?: number}} Message  `ago`: ms since the last event of a lost stream */

const KINDS = ['rows', 'view', 'lines', 'status', 'flows', 'nodes', 'away'];
/** Topics that every tab needs. */
const COMMON = new Set(['nodes', 'away']);
const RETRY_MS = [500, 1000, 2000, 5000];
/** The daemon sends something each 15 s. A connection that carries nothing for longer is lost, though no error says so. */
const SILENCE_MS = 25_000;
const ANSWER_MS = 10_000;

/** @param {string} kind @param {any} data @returns {string|undefined} */
function topicOf(kind, data) {
    if (COMMON.has(kind)) return undefined;
    if (kind === 'rows') return 'sessions';
    if (kind === 'view') return `session:${data.session}`;
    if (kind === 'lines') return `history:${data.session}`;
    return kind;
}

/** @param {string} address */
function request(address, method = 'GET') {
    return fetch(address, { method, credentials: 'same-origin', signal: AbortSignal.timeout(ANSWER_MS) });
}

export class Stream {
    /** @type {EventSource|null} */ #source = null;
    /** @type {Set<string>} */ #topics = new Set();
    /** @type {Set<string>} topics that are streamed now */ #streamed = new Set();
    /** @type {Set<string>} topics that the daemon refuses to this login */ #denied = new Set();
    #last = '';
    #failures = 0;
    /** @type {any} */ #timer = 0;
    /** @type {any} */ #silence = 0;

    /** @param {(message: Message) => void} emit */
    constructor(emit) {
        this.emit = emit;
        // A daemon on this machine is connected offline, too: a new stream finds out.
        for (const name of ['online', 'offline']) globalThis.addEventListener?.(name, () => this.renew());
    }

    /**
     * New topics need a stream from the beginning. If topics are only removed, the stream continues from its last id.
     * @param {Set<string>} topics @param {boolean} fresh whether a tab needs the whole data again
     */
    subscribe(topics, fresh) {
        this.#topics = new Set(topics);
        const added = [...this.#topics].some((topic) => !this.#streamed.has(topic));
        const removed = [...this.#streamed].some((topic) => !this.#topics.has(topic));
        if (fresh || added) this.renew();
        else if (removed) this.#open();
    }

    /** Restarts the stream from the beginning: after a sleep, or for a new tab. */
    renew() {
        this.#denied.clear();
        this.#last = '';
        this.#open();
    }

    #open() {
        this.#close();
        if (this.#topics.size === 0) return;
        this.#streamed = new Set(this.#topics);
        const allowed = [...this.#topics].filter((topic) => !this.#denied.has(topic));
        // A rarely sent topic, by which the page knows that the daemon is connected.
        const query = new URLSearchParams((allowed.length ? allowed : ['flows']).map((topic) => ['topic', topic]));
        if (this.#last) query.set('since', this.#last);
        const source = new EventSource(`/api/stream?${query}`);
        this.#source = source;
        source.addEventListener('hello', (event) => this.#hello(event));
        source.addEventListener('beat', (event) => this.#hear(event));
        for (const kind of KINDS) source.addEventListener(kind, (event) => this.#event(kind, event));
        source.onerror = () => this.#error(source);
        this.#awaitEvent();
    }

    #close() {
        clearTimeout(this.#timer);
        clearTimeout(this.#silence);
        this.#source?.close();
        this.#source = null;
        this.#streamed = new Set();
    }

    /** Opens another stream if nothing is received for too long. */
    #awaitEvent() {
        clearTimeout(this.#silence);
        this.#silence = setTimeout(() => {
            this.emit({ kind: 'lost', up: false, ago: SILENCE_MS });
            this.#open();
        }, SILENCE_MS);
    }

    /** @param {MessageEvent} event */
    #hear(event) {
        this.#last = event.lastEventId || this.#last;
        this.#awaitEvent();
    }

    /** @param {MessageEvent} event */
    #hello(event) {
        this.#failures = 0;
        this.#hear(event);
        this.emit({ kind: 'hello', up: true, data: JSON.parse(event.data) });
    }

    /** @param {string} kind @param {MessageEvent} event */
    #event(kind, event) {
        this.#hear(event);
        const data = JSON.parse(event.data);
        this.emit({ kind, topic: topicOf(kind, data), data });
    }

    /** The browser reconnects by itself, but not after a refusal.
     *  @param {EventSource} source */
    #error(source) {
        if (source !== this.#source) return;
        this.emit({ kind: 'lost', up: false });
        if (source.readyState !== EventSource.CLOSED) return;
        const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)];
        this.#failures += 1;
        this.#timer = setTimeout(() => this.#retry(), wait);
    }

    /** One denied topic refuses the whole stream. It is left out, and its session is shown as absent. */
    async #findDenied() {
        for (const topic of this.#topics) {
            const name = topic.match(/^(?:session|history):(.*)$/s)?.[1];
            if (name === undefined || this.#denied.has(topic)) continue;
            const answer = await request(`/api/stream?${new URLSearchParams({ topic })}`, 'HEAD');
            if (answer.status !== 403) continue;
            this.#denied.add(topic);
            this.#failures = 0;
            if (topic.startsWith('session:')) this.emit({ kind: 'view', topic, data: { session: name, view: null } });
        }
    }

    /** Requests the server's status code, which an EventSource hides: 401 leads to the login. */
    async #retry() {
        try {
            const answer = await request('/api/info');
            if (answer.status === 401) {
                // A tab that subscribes from now on, or after its login, gets a new stream.
                this.#close();
                return this.emit({ kind: 'login' });
            }
            await this.#findDenied();
        } catch { /* it is still unreachable; the next attempt repeats this */ }
        this.#open();
    }
}
