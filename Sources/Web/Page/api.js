// @ts-check
// Requests to the daemon. Requests that change something wait for the connection instead of failing.

/** Codes of a session that is in transfer to another node. Nothing was done, so the request is repeated. */
const MOVED_TRIES = 8;
const MOVED_MS = 400;
/** The daemon answers sooner: flows decide within 10 s (the default of the limit hook-ms), and a reload ends within 20 s. */
export const ANSWER_MS = 30_000;

/** An error of the daemon. Its message is shown unchanged. */
class ApiError extends Error {
    /** @param {number} status @param {string} code @param {string} message */
    constructor(status, code, message) {
        super(message);
        this.status = status;
        this.code = code;
    }
}

/** @param {string[]} parts @returns {string} */
export function path(...parts) {
    return '/' + parts.map(encodeURIComponent).join('/');
}

/** The `if` of an event: the version of this view, so that a double tap counts once.
 *  @param {import('./types.js').View} view */
export function condition(view) {
    return `${view.life}:${view.version}`;
}

/** @param {{message: string, http: string|null}} said */
function movedText({ message, http }) {
    const place = http ?? message.split(' ')[1];
    return `the session is on ${place}, which this node cannot reach${http ? '' : ': that node serves no page'}`;
}

export class Api {
    /** @param {import('./live.js').Live} live */
    constructor(live) {
        this.live = live;
    }

    /** Asks once more if the connection was lost: this changes nothing.
     *  @param {string} address */
    async get(address) {
        return this.#request('GET', address).catch(async (error) => {
            if (error.status !== 0) throw error;
            await this.live.whenUp();
            return this.#request('GET', address);
        });
    }

    /** @param {string} address @param {any} [body] @param {AbortSignal} [cancelled] before it was sent */
    async post(address, body = {}, cancelled) {
        await this.live.whenUp(cancelled);
        return this.#request('POST', address, body);
    }

    /** @param {string} address @param {AbortSignal} [cancelled] before it was sent */
    async delete(address, cancelled) {
        await this.live.whenUp(cancelled);
        return this.#request('DELETE', address);
    }

    /** Performs an action on a session, and shows the view of the response.
     *  @param {string} name @param {string} action @param {any} [body] @param {AbortSignal} [cancelled] before it was sent */
    async session(name, action, body = {}, cancelled) {
        const view = await this.post(path('api', 'sessions', name, action), body, cancelled);
        if (view?.session === name) this.live.publish(`session:${name}`, { session: name, view, answered: true });
        return view;
    }

    /** @param {string} method @param {string} address @param {any} [body] */
    async #request(method, address, body) {
        let { answer, text } = await this.#fetch(method, address, body);
        for (let tries = 1; answer.status === 421 && tries < MOVED_TRIES; tries += 1) {
            await new Promise((resolve) => { setTimeout(resolve, MOVED_MS); });
            ({ answer, text } = await this.#fetch(method, address, body));
        }
        if (answer.status === 401) this.live.logIn();
        const isJSON = (answer.headers.get('Content-Type') ?? '').includes('json');
        const value = isJSON && text ? JSON.parse(text) : text;
        if (answer.ok) return value;
        if (answer.status === 421) throw new ApiError(421, value?.error, movedText(value));
        throw new ApiError(answer.status, value?.error ?? 'ERR', value?.message ?? `the daemon answered ${answer.status}`);
    }

    /** @param {string} method @param {string} address @param {any} [body] */
    async #fetch(method, address, body) {
        const headers = body === undefined ? undefined : { 'Content-Type': 'application/json' };
        try {
            const answer = await fetch(address, { method, headers, body: body === undefined ? undefined : JSON.stringify(body),
                signal: AbortSignal.timeout(ANSWER_MS) });
            return { answer, text: await answer.text() };
        } catch {
            throw new ApiError(0, 'AWAY', 'gamed does not answer; whether it received this is unknown');
        }
    }
}
