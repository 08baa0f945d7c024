// @ts-check
// The address is the place: the path decides the view, and its parameters what is filtered and selected.
// So a link can be sent to a colleague.

// Browsers allow some hundred changes of it in half a minute, and Safari throws beyond.
const APART_MS = 320;

export class Place {
    /** Another view is wanted.
     *  @type {() => void} */
    onmove = () => {};
    /** The same view is wanted with other parameters; a view that can do that sets it.
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
        return location.pathname.split('/').slice(1).map((part) => {
            try { return decodeURIComponent(part); } catch { return part; }
        });
    }

    /** @param {string} name @returns {string} */
    get(name) {
        return new URLSearchParams(this.#query).get(name) ?? '';
    }

    /** This address with something else in it; what is empty is left out.
     *  @param {Object<string, string|boolean>} values */
    with(values) {
        const params = new URLSearchParams(this.#query);
        for (const [name, value] of Object.entries(values)) value ? params.set(name, String(value)) : params.delete(name);
        const query = params.toString();
        return location.pathname + (query ? `?${query}` : '');
    }

    /** Keeps something in the address, without another page in the history. A key that is held changes it thirty times a second.
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
        } catch { /* the address says less than it could, and all else goes on */ }
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

    /** Links within the page need no new page.
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
