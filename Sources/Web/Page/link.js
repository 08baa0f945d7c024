// @ts-check
// Requests topics from the worker that all tabs share, or from a stream of this tab's own where there are no shared workers.
import { Streams } from './streams.js';

/** Checks between two requests to the shared worker, which answers each. */
const CHECKS = 5;

/** @typedef {{topics: string[], renew?: boolean}} Request */

export class Link {
    /** @type {MessagePort|null} the shared worker's, unless this tab has a stream of its own */ #port = null;
    /** Checks since the shared worker's last message. */ #silent = 0;
    /** @type {(request: Request) => void} */ #send;

    /** @param {(message: import('./stream.js').Message) => void} receive
     *  @param {() => void} renew  requests all topics again: another worker or stream knows none */
    constructor(receive, renew) {
        this.receive = receive;
        this.renew = renew;
        this.#send = this.#connect();
    }

    /** @param {string[]} topics @param {boolean} [renew] */
    request(topics, renew) {
        this.#send({ topics, renew });
    }

    /** Called regularly. A shared worker ends without a notice when the tab that hosts it crashes. Another one is started if it leaves two requests
     *  unanswered.
     *  @param {string[]} topics */
    check(topics) {
        if (!this.#port || topics.length === 0) return;
        this.#silent += 1;
        if (this.#silent % CHECKS) return;
        if (this.#silent < 3 * CHECKS) return this.request(topics);
        this.#silent = 0;
        this.#port.close();
        this.#send = this.#connect();
        this.renew();
    }

    /** @returns {(request: Request) => void} */
    #connect() {
        if (typeof SharedWorker === 'undefined') return this.#connectDirectly();
        /** @type {SharedWorker} */
        let worker;
        try {
            worker = new SharedWorker('/page/worker.js', { type: 'module', name: 'gamed' });
        } catch {
            return this.#connectDirectly();       // a browser that may store nothing has no shared workers
        }
        worker.onerror = () => { this.#send = this.#connectDirectly(); this.renew(); };
        const { port } = worker;
        port.onmessage = (event) => { this.#silent = 0; this.receive(event.data); };
        this.#port = port;
        return (request) => port.postMessage(request);
    }

    /** @returns {(request: Request) => void} */
    #connectDirectly() {
        this.#port = null;
        const streams = new Streams(this.receive);
        return ({ topics, renew }) => streams.subscribe(new Set(topics), Boolean(renew));
    }
}
