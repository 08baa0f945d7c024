// @ts-check
// As many streams as the topics need: one, unless many windows are open side by side.
import { Stream } from './stream.js';

const TOPICS_AT_MOST = 16;

export class Streams {
    /** @type {{stream: Stream, topics: Set<string>}[]} */ #all = [];

    /** @param {(message: import('./stream.js').Message) => void} emit */
    constructor(emit) {
        this.emit = emit;
    }

    /** A topic stays in its stream, so that changes of other topics do not interrupt it.
     *  @param {Set<string>} topics @param {boolean} fresh whether a tab needs the whole data again */
    subscribe(topics, fresh) {
        for (const each of this.#all) each.topics = new Set([...each.topics].filter((topic) => topics.has(topic)));
        for (const topic of topics) {
            if (!this.#all.some((each) => each.topics.has(topic))) this.#roomy().topics.add(topic);
        }
        for (const each of this.#all) each.stream.subscribe(each.topics, fresh);
    }

    #roomy() {
        const found = this.#all.find((each) => each.topics.size < TOPICS_AT_MOST);
        if (found) return found;
        const made = { stream: new Stream(this.emit), topics: new Set() };
        this.#all.push(made);
        return made;
    }
}
