// @ts-check
// The address is the place: the path decides the view, and its parameters what is filtered and selected, so that it can be sent to a colleague.

export class Place {
    /** @type {() => void} */ onmove = () => {};

    constructor() {
        addEventListener('popstate', () => this.onmove());
        document.addEventListener('click', (event) => this.#click(event));
    }

    /** The path's parts, decoded. @returns {string[]} */
    get parts() {
        return location.pathname.split('/').slice(1).map((part) => {
            try { return decodeURIComponent(part); } catch { return part; }
        });
    }

    /** @param {string} name @returns {string} */
    get(name) {
        return new URLSearchParams(location.search).get(name) ?? '';
    }

    /** Keeps something in the address; what is empty is left out. @param {Object<string, string>} values */
    set(values) {
        const params = new URLSearchParams(location.search);
        for (const [name, value] of Object.entries(values)) value ? params.set(name, value) : params.delete(name);
        const query = params.toString();
        const address = location.pathname + (query ? `?${query}` : '');
        if (address !== location.pathname + location.search) history.replaceState(history.state, '', address);
    }

    /** @param {string} address */
    go(address) {
        history.pushState(null, '', address);
        this.onmove();
    }

    /** Links within the page need no new page. @param {MouseEvent} event */
    #click(event) {
        const link = /** @type {Element} */ (event.target).closest?.('a');
        const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
        if (!link || !plain || event.defaultPrevented || link.target || link.origin !== location.origin) return;
        if (link.pathname.startsWith('/api/') || link.pathname.startsWith('/page/')) return;
        event.preventDefault();
        this.go(link.pathname + link.search);
    }
}
