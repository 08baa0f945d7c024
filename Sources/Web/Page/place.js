// @ts-check
// The address determines the view by its path, and the filter and selection by its parameters.
// So a link can be sent to a colleague.

// Browsers allow some hundred changes of the address in 30 s, and Safari throws above.
const APART_MS = 320;

export class Place {
    /** Called when the path has changed.
     *  @type {() => void} */
    onmove = () => {};
    /** Called when only the parameters have changed; set by views that support it.
     *  @type {(() => void)|null} */
    onquery = null;
    #path = location.pathname;
    #query = location.search;
    #written = -Infinity;
    /** @type {any} */ #later = 0;

    constructor() {
        addEventListener('popstate', () => this.#moved());
        addEventListener('pagehide', () => this.#write());
        document.addEventListener('click', (event) => this.#click(event));
    }

    /** The path's parts, decoded.
     *  @returns {string[]} */
    get parts() {
        return location.pathname.replace(/\/$/, '').split('/').slice(1).map((part) => {
            try { return decodeURIComponent(part); } catch { return part; }
        });
    }

    /** @param {string} name @returns {string} */
    get(name) {
        return new URLSearchParams(this.#query).get(name) ?? '';
    }

    /** This address with other values; empty ones are left out.
     *  @param {Object<string, string|boolean>} values */
    with(values) {
        const params = new URLSearchParams(this.#query);
        for (const [name, value] of Object.entries(values)) value ? params.set(name, String(value)) : params.delete(name);
        const query = params.toString();
        return location.pathname + (query ? `?${query}` : '');
    }

    /** Keeps values in the address, without a new entry in the browser's history. A held key changes it 30 times a second.
     *  @param {Object<string, string|boolean>} values */
    set(values) {
        this.#query = new URL(this.with(values), location.origin).search;
        clearTimeout(this.#later);
        const wait = this.#written + APART_MS - performance.now();
        if (wait <= 0) this.#write();
        else this.#later = setTimeout(() => this.#write(), wait);
    }

    #write() {
        clearTimeout(this.#later);
        if (this.#query === location.search) return;
        this.#written = performance.now();
        try {
            history.replaceState(history.state, '', location.pathname + this.#query);
        } catch { /* the address is out of date, and everything else works */ }
    }

    /** @param {string} address */
    go(address) {
        this.#write();
        history.pushState(null, '', address);
        this.#moved();
    }

    #moved() {
        clearTimeout(this.#later);
        this.#query = location.search;
        const isSame = this.#path === location.pathname;
        this.#path = location.pathname;
        if (isSame && this.onquery) return this.onquery();
        this.onquery = null;
        this.onmove();
    }

    /** Opens links within the page without a page load.
     *  @param {MouseEvent} event */
    #click(event) {
        const link = /** @type {Element} */ (event.target).closest?.('a');
        const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
        if (!link || !plain || event.defaultPrevented || link.target || link.origin !== location.origin) return;
        if (link.pathname.startsWith('/api/') || link.pathname.startsWith('/page/')) return;
        event.preventDefault();
        this.go(link.pathname + link.search);
    }
}
