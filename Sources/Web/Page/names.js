// @ts-check
// The displayed names and colours of states and sessions.

/** The text of parallel states, with their common prefix once: `game: rooms.vault, clock.running`.
 *  @param {string} state */
export function stateText(state) {
    const paths = state.split(',').map((path) => path.split('.'));
    if (paths.length === 1) return state;
    let shared = 0;
    while (paths.every((path) => path.length > shared + 1 && path[shared] === paths[0][shared])) shared += 1;
    const rest = paths.map((path) => path.slice(shared).join('.')).join(', ');
    return shared ? `${paths[0].slice(0, shared).join('.')}: ${rest}` : rest;
}

/** Of parallel states, only the changed ones.
 *  @param {string} from @param {string} to @returns {[string, string]} */
export function changedStates(from, to) {
    const before = from.split(',');
    const after = to.split(',');
    const left = before.filter((path) => !after.includes(path));
    const entered = after.filter((path) => !before.includes(path));
    return left.length && entered.length ? [stateText(left.join()), stateText(entered.join())] : [stateText(from), stateText(to)];
}

/** The active states and all around them.
 *  @param {string} state @returns {Set<string>} */
export function activeStates(state) {
    const all = new Set();
    for (const path of state.split(',')) {
        const parts = path.split('.');
        for (let i = 1; i <= parts.length; i += 1) all.add(parts.slice(0, i).join('.'));
    }
    return all;
}

/** @param {{paused: boolean, final: boolean}} view @returns {import('./tabindicator.js').Colour} */
export function faceOf(view) {
    return view.final ? 'calm' : view.paused ? 'stopped' : 'running';
}
