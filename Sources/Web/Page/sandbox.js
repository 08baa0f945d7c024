// @ts-check
// Try it: a flow in virtual time, apart from all real sessions. Step by step, with a slider for time.
import { path } from './api.js';
import { parameterFields } from './begin.js';
import { dialog } from './dialog.js';
import { Diagram } from './diagram.js';
import { fill, h, keyed, named, write } from './dom.js';
import { History } from './history.js';
import { stateText } from './names.js';
import { payloadField } from './payload.js';
import { Card } from './player.js';
import { TimeLine } from './timeline.js';
import { Timers } from './timers.js';

/** @typedef {import('./types.js').Sandbox} Box */
/** @typedef {import('./types.js').Context} Context */

/** @param {HTMLElement} root @param {Context} context @param {string} flow */
export function sandbox(root, context, flow) {
    const view = new SandboxView(context, flow);
    fill(root, view.element);
    view.begin();
    return () => view.stop();
}

const WALK_MS = 120;

class SandboxView {
    /** @type {Box|null} */ #box = null;
    /** @type {any} */ #context = undefined;
    #stopped = false;
    #walking = false;

    /** @param {Context} context @param {string} flow */
    constructor(context, flow) {
        this.context = context;
        this.flow = flow;
        this.card = new Card(context, (event, payload) => this.#do('events', { event, payload }), true);
        this.timers = new Timers(context.ticker, {
            pause: (timer) => this.#do('pause', { timer }), resume: (timer) => this.#do('resume', { timer }),
            extend: (timer, ms) => this.#do('extend', { timer, by: ms }),
        }, (error) => context.notices.refuse(error), true);
        this.time = new TimeLine((body) => this.#do('time', body).catch((error) => context.notices.refuse(error)));
        this.diagram = new Diagram(context.api, flow, { onEdge: (edge) => edge.event && this.#sendAsking(edge.event), onState: (state) => this.#force(state) });
        this.history = new History({ onTaken: (line) => this.diagram.flash(line), onPick: (line) => this.time.go(line.t_ms ?? 0) });
        this.element = h('div', { class: 'sandbox' }, this.#head(), this.#panes());
        context.face.show(`try ${flow}`, 'accent');
        // A page without a topic has no stream, and the status tells whether the daemon is there.
        this.stopStatus = context.live.watch('status', () => {});
    }

    #head() {
        this.state = h('h2', { class: 'state-name', 'aria-live': 'polite' });
        return h('header', { class: 'bar master-bar' }, h('a', { href: '/?tab=flows', class: 'quiet home' }, 'gamed'), h('h1', {}, named(this.flow)), h('span', { class: 'faint' }, 'sandbox'), this.state,
            h('div', { class: 'more' }, h('button', { class: 'quiet', onclick: () => this.#parameters() }, 'Parameters…'),
                h('button', { class: 'quiet', onclick: () => this.#restart(this.#context) }, 'From the beginning')));
    }

    #panes() {
        this.standins = h('ul');
        this.steps = h('ol', { class: 'steps-list' });
        const pane = (/** @type {string} */ title, /** @type {any[]} */ ...content) => h('section', { class: 'pane' }, h('h3', {}, title), ...content);
        const why = 'Nothing leaves the sandbox. In place of the world there are:';
        this.standinsPane = h('details', { class: 'pane standins' }, h('summary', {}, 'Stand-ins'), h('p', { class: 'faint' }, why), this.standins);
        this.stepsPane = pane('Steps', this.steps);
        this.problem = h('div', { class: 'empty', hidden: true });
        return h('div', { class: 'sandbox-panes' }, this.problem,
            h('div', { class: 'stage' }, h('section', { class: 'pane picture', 'aria-label': 'Diagram' }, this.diagram.sizeButton(), this.diagram.element), this.time.element),
            h('div', { class: 'side' }, h('section', { class: 'pane try-card', 'aria-label': 'What a player sees' }, this.card.element),
                pane('Timers', this.timers.element), this.stepsPane, h('section', { class: 'pane grow' }, h('h3', {}, 'Log'), this.history.element), this.standinsPane));
    }

    /** After a reload the same sandbox goes on, as long as the daemon has it. */
    async begin() {
        const known = history.state?.sandbox;
        const box = known && await this.context.api.get(path('api', 'sandboxes', known)).catch(() => null);
        if (box?.flow === this.flow) return this.#show(box);
        await this.#create();
    }

    async #create() {
        try {
            const box = await this.context.api.post('/api/sandboxes', { flow: this.flow, ...(this.#context ? { context: this.#context } : {}) });
            if (this.#stopped) return this.#discard(box.id);
            history.replaceState({ sandbox: box.id }, '');
            this.#show(box);
        } catch (error) {
            this.problem.hidden = false;
            this.element.classList.add('broken');
            fill(this.problem, h('h2', {}, 'No sandbox'), h('p', {}, error instanceof Error ? error.message : String(error)), h('button', { onclick: () => location.reload() }, 'Try again'));
        }
    }

    /** A sandbox that the daemon has let go is begun anew: few are kept at once.
     *  @param {string} deed @param {any} body */
    async #do(deed, body) {
        if (!this.#box) return;
        if (deed !== 'time') await this.#arrived();
        try {
            this.#show(await this.context.api.post(path('api', 'sandboxes', this.#box.id, deed), body));
        } catch (error) {
            if (/** @type {any} */ (error).status !== 404) {
                this.#again();
                throw error;
            }
            await this.#create();
            this.context.notices.say('The sandbox had been closed, and begins anew');
        }
    }

    /** A long way is walked in pieces: asks until it is done. */
    async #arrived() {
        while (this.#box?.under_way && !this.#stopped) {
            await new Promise((resolve) => setTimeout(resolve, WALK_MS));
            await this.#again();
        }
    }

    /** A refusal is a line of the log. */
    async #again() {
        const box = this.#box && await this.context.api.get(path('api', 'sandboxes', this.#box.id)).catch(() => null);
        if (box) this.#show(box);
    }

    /** @param {Box} box */
    #show(box) {
        if (this.#stopped) return;
        const wentBack = this.#box !== null && (box.at_ms < this.#box.at_ms || box.id !== this.#box.id || box.lines.length < this.#box.lines.length);
        this.#box = box;
        const at = performance.now();
        write(this.state, stateText(box.view.state));
        this.diagram.light(box.view);
        this.card.show(box.view, at);
        this.timers.show(box.view, at);
        this.time.show(box);
        if (box.under_way && !this.#walking) {
            this.#walking = true;
            this.#arrived().finally(() => { this.#walking = false; });
        }
        if (wentBack) this.history.replace(box.lines);
        else this.history.add(box.lines);
        this.#lists(box);
        this.context.face.show(`try ${this.flow} · ${stateText(box.view.state)}`, 'accent');
    }

    /** @param {Box} box */
    #lists(box) {
        this.standinsPane.hidden = box.standins.length === 0;
        this.stepsPane.hidden = box.steps.length === 0;
        keyed(this.standins, box.standins.map((each, i) => ({ ...each, i })), (each) => JSON.stringify(each), ({ name, says }) => ({ element: h('li', {}, named(name), h('bdi', { class: 'faint' }, says)) }));
        keyed(this.steps, box.steps.map((each, i) => ({ ...each, i })), (each) => JSON.stringify(each), (step) => ({ element: this.time.step(step) }));
    }

    /** @param {string} event */
    async #sendAsking(event) {
        const action = this.#box?.view.actions.find((each) => each.event === event);
        const field = action?.payload && payloadField(action.payload, action.label);
        const send = () => this.#do('events', { event, payload: field ? field.read() : undefined });
        if (field) await dialog(action.label, [field.element], { yes: 'Send', run: send });
        else await send().catch((error) => this.context.notices.refuse(error));
    }

    /** Nothing real is at stake: no question.
     *  @param {string} state */
    #force(state) {
        this.#do('force', { state }).catch((error) => this.context.notices.refuse(error));
    }

    async #parameters() {
        const flow = await this.context.api.get(path('api', 'flows', this.flow));
        const fields = parameterFields(flow, this.#context);
        const content = fields.elements.length ? fields.elements : [h('p', {}, 'This flow has no parameters.')];
        await dialog(`Begin ${this.flow} with`, content, { yes: 'Begin anew', run: () => this.#restart(fields.read()) });
    }

    /** @param {any} context */
    async #restart(context) {
        this.#context = context;
        await this.#do('restart', context ? { context } : {});
    }

    /** @param {string} id */
    #discard(id) {
        this.context.api.delete(path('api', 'sandboxes', id)).catch(() => {});
    }

    stop() {
        this.#stopped = true;
        this.stopStatus();
        this.card.stop();
        this.timers.stop();
        if (this.#box) this.#discard(this.#box.id);
    }
}
