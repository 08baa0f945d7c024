// @ts-check
// The sandbox: a flow in virtual time, apart from all real sessions, step by step and with a slider for time.
import { path } from './api.js';
import { parameterFields } from './begin.js';
import { dialog } from './dialog.js';
import { Diagram } from './diagram.js';
import { fill, h, keyed, messageOf, named, writeDotted } from './dom.js';
import { History } from './history.js';
import { stateText } from './names.js';
import { payloadField } from './payload.js';
import { Card } from './player.js';
import { SandboxClient } from './sandboxclient.js';
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

class SandboxView {
    /** @type {Box|null} */ #shown = null;

    /** @param {Context} context @param {string} flow */
    constructor(context, flow) {
        this.context = context;
        this.flow = flow;
        const refuse = (/** @type {unknown} */ error) => context.notices.refuse(error);
        this.box = new SandboxClient(context, flow, (box) => this.#show(box));
        this.card = new Card(context, (event, payload, sources) =>
            this.box.do('events', { event, payload, source: sources?.[0] }), true);
        this.timers = new Timers(context.ticker, {
            pause: (timer) => this.box.do('pause', { timer }), resume: (timer) => this.box.do('resume', { timer }),
            extend: (timer, ms) => this.box.do('extend', { timer, by: ms }),
        }, refuse, true);
        this.time = new TimeLine((body) => this.box.do('time', body).catch(refuse));
        // A page without a topic has no stream; the status topic shows whether the daemon is connected.
        this.stopStatus = context.live.watch('status', () => {});
        this.diagram = new Diagram(context.api, flow, { onEdge: (edge) => edge.event && this.#sendAsking(edge.event),
            onState: (state) => this.#force(state) });
        this.history = new History({ onTaken: (line) => this.diagram.flash(line), onPick: (line) => this.time.go(line.t_ms ?? 0) });
        this.element = h('div', { class: 'sandbox' }, this.#head(), this.#panes());
        context.face.show(`try ${flow}`, 'accent');
    }

    #head() {
        const refuse = (/** @type {unknown} */ error) => this.context.notices.refuse(error);
        this.state = h('h2', { class: 'state-name', 'aria-live': 'polite' });
        return h('header', { class: 'bar master-bar' }, h('a', { href: '/?tab=flows', class: 'quiet home' }, 'gamed'),
            h('h1', {}, named(this.flow)), h('span', { class: 'faint' }, 'sandbox'), this.state,
            h('div', { class: 'more' }, h('button', { class: 'quiet', onclick: () => this.#parameters() }, 'Parameters…'),
                h('button', { class: 'quiet', onclick: () => this.box.restart(this.box.context).catch(refuse) }, 'From the beginning')));
    }

    #panes() {
        this.standins = h('ul');
        this.steps = h('ol', { class: 'steps-list' });
        const pane = (/** @type {string} */ title, /** @type {Element} */ content, place = 'pane') =>
            h('section', { class: place }, h('h3', {}, title), content);
        const why = 'Nothing leaves the sandbox. These stand-ins replace the outside world:';
        this.standinsPane = h('details', { class: 'pane standins' }, h('summary', {}, 'Stand-ins'), h('p', { class: 'faint' }, why),
            this.standins);
        this.stepsPane = pane('Steps', this.steps);
        this.problem = h('div', { class: 'empty', hidden: true });
        return h('div', { class: 'sandbox-panes' }, this.problem,
            h('div', { class: 'stage' }, h('section', { class: 'pane picture', 'aria-label': 'Diagram' }, this.diagram.sizeButton(),
                this.diagram.element), this.time.element),
            h('div', { class: 'side' }, h('section', { class: 'pane try-card', 'aria-label': 'Player view' }, this.card.element),
                pane('Timers', this.timers.element), this.stepsPane, pane('Log', this.history.element, 'pane grow'), this.standinsPane));
    }

    begin() {
        return this.box.begin().catch((error) => this.#broken(error));
    }

    /** @param {unknown} error */
    #broken(error) {
        this.problem.hidden = false;
        this.element.classList.add('broken');
        fill(this.problem, h('h2', {}, 'No sandbox'), h('p', {}, messageOf(error)),
            h('button', { onclick: () => location.reload() }, 'Try again'));
    }

    /** @param {Box} box */
    #show(box) {
        const last = this.#shown;
        const wentBack = last !== null && (box.at_ms < last.at_ms || box.id !== last.id || box.lines.length < last.lines.length);
        this.#shown = box;
        const at = performance.now();
        writeDotted(this.state, stateText(box.view.state));
        this.diagram.light(box.view);
        this.card.show(box.view, at);
        this.timers.show(box.view, at);
        this.time.show(box);
        if (wentBack) this.history.replace(box.lines);
        else this.history.add(box.lines);
        this.#lists(box);
        this.context.face.show(`try ${this.flow} · ${stateText(box.view.state)}`, 'accent');
    }

    /** @param {Box} box */
    #lists(box) {
        this.standinsPane.hidden = box.standins.length === 0;
        this.stepsPane.hidden = box.steps.length === 0;
        keyed(this.standins, box.standins.map((each, i) => ({ ...each, i })), (each) => JSON.stringify(each),
            ({ name, says }) => ({ element: h('li', {}, named(name), h('bdi', { class: 'faint' }, says)) }));
        keyed(this.steps, box.steps.map((each, i) => ({ ...each, i })), (each) => JSON.stringify(each),
            (step) => ({ element: this.time.step(step) }));
    }

    /** @param {string} event */
    async #sendAsking(event) {
        const action = this.#shown?.view.actions.find((each) => each.event === event);
        const field = action?.payload && payloadField(action.payload, action.label);
        const send = () => this.box.do('events', { event, payload: field ? field.read() : undefined, source: action?.sources?.[0] });
        if (field) await dialog(action.label, [field.element], { yes: 'Send', run: send });
        else await send().catch((error) => this.context.notices.refuse(error));
    }

    /** No confirmation, as no real session is affected.
     *  @param {string} state */
    #force(state) {
        this.box.do('force', { state }).catch((error) => this.context.notices.refuse(error));
    }

    async #parameters() {
        const flow = await this.context.api.get(path('api', 'flows', this.flow)).catch((error) => this.context.notices.refuse(error));
        if (!flow) return;
        const fields = parameterFields(flow, this.box.context);
        const content = fields.elements.length ? fields.elements : [h('p', {}, 'This flow has no parameters.')];
        await dialog(`Restart ${this.flow} with`, content, { yes: 'Restart', run: () => this.box.restart(fields.read()) });
    }

    stop() {
        this.stopStatus();
        this.card.stop();
        this.timers.stop();
        this.box.stop();
    }
}
