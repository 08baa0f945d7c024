// @ts-check
// What states and sessions are called, and the colour that they have.

/** Dotted paths of parallel states are joined by commas: a space after each lets them break. @param {string} state */
export function stateText(state) {
    return state.split(',').join(', ');
}

/** The active states and all around them. @param {string} state @returns {Set<string>} */
export function activeStates(state) {
    const all = new Set();
    for (const path of state.split(',')) {
        const parts = path.split('.');
        for (let i = 1; i <= parts.length; i += 1) all.add(parts.slice(0, i).join('.'));
    }
    return all;
}

/** @param {{paused: boolean, final: boolean}} view @returns {import('./face.js').Colour} */
export function faceOf(view) {
    return view.final ? 'calm' : view.paused ? 'stopped' : 'running';
}
