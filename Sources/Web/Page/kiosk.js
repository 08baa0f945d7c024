// @ts-check
// What a screen on a wall needs beside the player's view: it stays awake, and a long press opens no menu.

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

/** Browsers refuse it without a safe origin, or when the battery is low: then the screen's own settings hold. */
function stayAwake() {
    /** @type {any} */ (navigator).wakeLock?.request('screen').catch(() => {});
}
