// @ts-check
// A SharedWorker: one stream for all tabs, since browsers open at most six connections to a host.
import { Streams } from './streams.js';

/** @type {Map<MessagePort, Set<string>>} the topics of each tab; a tab in the background has none, and is sent nothing */
const tabs = new Map();
/** @type {boolean|null} */
let up = null;

/** The daemon's version. */
let version = '';

const stream = new Streams((message) => {
    if (message.up !== undefined) up = message.up;
    for (const [port, topics] of tabs) {
        if (message.topic ? topics.has(message.topic) : topics.size) port.postMessage(message);
    }
    if (message.kind !== 'hello') return;
    version ||= message.data.version;
    // Tabs load the page of the other version, which gets a worker of that version.
    if (message.data.version !== version) globalThis.close();
});

/** @returns {Set<string>} */
function wanted() {
    return new Set([...tabs.values()].flatMap((topics) => [...topics]));
}

/** @param {boolean} fresh whether a tab needs the whole data again */
function subscribe(fresh) {
    const topics = wanted();
    if (topics.size === 0) up = null;       // without a stream, nobody knows
    stream.subscribe(topics, fresh);
}

/** @param {MessagePort} port @param {{topics: string[], renew?: boolean}} message */
function handleTabMessage(port, message) {
    const before = tabs.get(port) ?? new Set();
    const others = wanted();
    const topics = new Set(message.topics);
    tabs.set(port, topics);
    // The stream does not repeat topics that other tabs already have, and this tab needs their whole data.
    const shared = [...topics].some((topic) => !before.has(topic) && others.has(topic));
    subscribe(shared || Boolean(message.renew));
    if (topics.size && up !== null) port.postMessage({ kind: 'connection', up });
}

/** @param {MessagePort} port */
function removeTab(port) {
    tabs.delete(port);
    subscribe(false);
}

globalThis.addEventListener('connect', (/** @type {any} */ event) => {
    const port = /** @type {MessagePort} */ (event.ports[0]);
    port.onmessage = (message) => handleTabMessage(port, message.data);
    port.addEventListener('close', () => removeTab(port));
    port.start();
});
