// @ts-check
// Keeps a wall-mounted screen awake, and prevents the menu of a long press.

/** @param {HTMLElement} root @returns {() => void} */
export function kiosk(root) {
    const calm = (/** @type {Event} */ event) => event.preventDefault();
    const wake = () => { if (!document.hidden) stayAwake(); };
    root.addEventListener('contextmenu', calm);
    document.addEventListener('visibilitychange', wake);
    wake();
    return () => {
        root.removeEventListener('contextmenu', calm);
        document.removeEventListener('visibilitychange', wake);
    };
}

/** Browsers refuse it without a safe origin or when the battery is low; then the screen's own settings apply. */
function stayAwake() {
    /** @type {any} */ (navigator).wakeLock?.request('screen').catch(() => {});
}
