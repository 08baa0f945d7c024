// @ts-check
// A master's actions on a session. Frequent actions can be undone; dangerous ones ask, with the session's name in the question.
import { sourceOf } from './anyevent.js';
import { condition, path } from './api.js';
import { ask, dialog } from './dialog.js';
import { h, named, write } from './dom.js';
import { labelled, payloadField } from './payload.js';
import { lengthText } from './time.js';

/** @typedef {import('./types.js').View} View */

/** A timer's generation, which changes when it is extended, paused, or started again.
 *  @param {View} view @param {string} timer */
function generationOf(view, timer) {
    return view.timers.find(({ name }) => name === timer)?.generation;
}

export class SessionActions {
    /** @type {Map<string, {ms: number, generation: number|undefined, condition: string, close: () => boolean}>} the latest extension by timer */
    #extensions = new Map();

    /** @param {import('./types.js').Context} context @param {string} name */
    constructor({ api, notices }, name) {
        this.api = api;
        this.notices = notices;
        this.name = name;
    }

    /** @param {View} view @param {string} event @param {any} [payload] @param {string} [source] the event's source
     *  @param {AbortSignal} [cancelled] before it was sent */
    send(view, event, payload, source = 'ui', cancelled) {
        return this.api.session(this.name, 'events', { event, payload, if: condition(view), source }, cancelled);
    }

    /** Asks for the payload first, if the event has one. By then the session may have another view.
     *  @param {string} event @param {View} view @param {() => View|null} newest */
    async sendAsking(event, view, newest) {
        const action = view.actions.find((each) => each.event === event);
        const source = sourceOf(action?.sources);
        if (!action?.payload) return this.#attempt(() => this.send(view, event, undefined, source));
        const field = payloadField(action.payload, action.label);
        await dialog([h('bdi', {}, action.label), ': ', named(this.name)], [field.element],
            { yes: 'Send', run: (cancelled) => this.send(newest() ?? view, event, field.read(), source, cancelled) });
    }

    /** @param {string} [timer] */
    pause(timer) {
        return this.api.session(this.name, 'pause', timer === undefined ? {} : { timer });
    }

    /** @param {string} [timer] */
    resume(timer) {
        return this.api.session(this.name, 'resume', timer === undefined ? {} : { timer });
    }

    /** Pauses or resumes the whole session. This can be undone.
     *  @param {boolean} paused */
    setPaused(paused) {
        const run = (/** @type {boolean} */ pauses) => (pauses ? this.pause() : this.resume());
        return this.#attempt(async () => {
            await run(paused);
            this.notices.say([named(this.name), paused ? ' is paused' : ' is resumed'], { undo: () => this.#attempt(() => run(!paused)) });
        });
    }

    /** This can be undone while the timer is the same, and unless taking time made it fire. Extensions of one timer add up while their notice
     *  is shown, and are undone together.
     *  @param {string} timer @param {number} ms @param {number} version the session's, before @param {number} generation the timer's, before */
    async extend(timer, ms, version, generation) {
        const view = await this.api.session(this.name, 'extend', { timer, by: ms });
        const last = this.#extensions.get(timer);
        // A view from before the last extension has another generation; without a new version, no other timer has begun since.
        const isSame = last !== undefined && (last.generation === generation || last.condition === condition(view));
        const sum = isSame && last.close() ? last.ms + ms : ms;
        const change = sum === 0 ? 'has its former time' : `has ${lengthText(Math.abs(sum))} ${sum < 0 ? 'less' : 'more'}`;
        const undo = () => this.#attempt(() => this.#takeBack(timer, sum, generationOf(view, timer)));
        const hasFired = ms < 0 && view.version !== version;
        const close = this.notices.say([named(this.name), ': ', named(timer), ` ${change}`], hasFired || sum === 0 ? {} : { undo });
        if (hasFired) this.#extensions.delete(timer);
        else this.#extensions.set(timer, { ms: sum, generation: generationOf(view, timer), condition: condition(view), close });
    }

    /** @param {string} timer @param {number} ms @param {number|undefined} generation the timer's, after it was extended */
    async #takeBack(timer, ms, generation) {
        const view = await this.api.get(path('api', 'sessions', this.name));
        if (generationOf(view, timer) !== generation) throw new Error(`${this.name}: ${timer} has changed since; nothing was undone`);
        await this.api.session(this.name, 'extend', { timer, by: -ms });
    }

    /** Throws if the session has begun anew since it was shown: the action was not meant for its new life.
     *  @param {number|undefined} life the shown one @param {AbortSignal} cancelled */
    async #checkLife(life, cancelled) {
        await this.api.live.whenUp(cancelled);
        const view = await this.api.get(path('api', 'sessions', this.name));
        if (view.life !== life) throw new Error(`${this.name} has begun anew since; nothing was done`);
    }

    /** @param {string} action @param {any} body @param {number|undefined} life the shown one @param {AbortSignal} cancelled */
    async #perform(action, body, life, cancelled) {
        await this.#checkLife(life, cancelled);
        return this.api.session(this.name, action, body, cancelled);
    }

    /** @param {string} state @param {number|undefined} life the shown one */
    async force(state, life) {
        await dialog(['Force ', named(this.name), ' into ', named(state), '?'], [h('p', {}, 'This ignores the flow. The history shows that the state was forced.')],
            { yes: 'Force', danger: true, run: (cancelled) => this.#perform('force', { state }, life, cancelled) });
    }

    /** @param {string[]} states @param {number|undefined} life the shown one */
    async forceChoosing(states, life) {
        const state = labelled({ enum: states }, 'State', undefined, true);
        const data = labelled({ title: 'Data' }, 'Data (JSON; empty keeps the current data)', undefined, false);
        const run = (/** @type {AbortSignal} */ cancelled) =>
            this.#perform('force', { state: state.read(), data: data.read() }, life, cancelled);
        await dialog(['Force a state of ', named(this.name), '?'], [h('p', {}, 'This ignores the flow. The history shows that the state was forced.'),
            state.element, data.element], { yes: 'Force', danger: true, run });
    }

    /** @param {number|undefined} life the shown one */
    async restart(life) {
        const text = 'It returns to its first state and loses its data.';
        await ask(['Restart ', named(this.name), '?'], text, 'Restart', (cancelled) => this.#perform('restart', {}, life, cancelled));
    }

    /** @param {number|undefined} life the shown one */
    async drop(life) {
        const undo = h('span');
        this.api.get('/api/config?match=undo-ms').then(({ 'undo-ms': ms }) =>
            write(undo, Number(ms) > 0 ? `You can undo this for ${lengthText(Number(ms))}.` : 'You cannot undo this.'), () => {});
        await ask(['Drop ', named(this.name), '?'], ['It ends for everyone who plays it. ', undo], 'Drop', async (cancelled) => {
            await this.#checkLife(life, cancelled);
            const { undo_ms } = await this.api.delete(path('api', 'sessions', this.name), cancelled);
            this.notices.say([named(this.name), ' was dropped'], undo_ms > 0 ? { undo: () => this.undo(), undoMs: undo_ms } : {});
        });
    }

    /** Drops a session that is set aside. This cannot be undone. */
    async dropSetAside() {
        const text = 'Its data is lost. You cannot undo this.';
        await ask(['Drop ', named(this.name), '?'], text, 'Drop', async (cancelled) => {
            await this.api.delete(path('api', 'sessions', this.name), cancelled);
            this.notices.say([named(this.name), ' was dropped']);
        });
    }

    /** Retries a quarantined session. */
    retry() {
        return this.#attempt(() => this.api.session(this.name, 'retry'));
    }

    undo() {
        return this.#attempt(() => this.api.session(this.name, 'undo'));
    }

    /** @param {() => Promise<unknown>} action */
    async #attempt(action) {
        try { await action(); } catch (error) { this.notices.refuse(error); }
    }
}
