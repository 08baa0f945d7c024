// @ts-check
// The master's view: a session's state, possible events, clocks and history, and a master's actions.
import { missingSession } from './missingsession.js';
import { Actions } from './actions.js';
import { Advance } from './advance.js';
import { path } from './api.js';
import { AnyEvent, sourceOf } from './anyevent.js';
import { Figure } from './clock.js';
import { SessionActions } from './sessionactions.js';
import { Diagram } from './diagram.js';
import { fill, h, named, pressOnce, whileBusy, write, writeDotted } from './dom.js';
import { History } from './history.js';
import { isTyping } from './keys.js';
import { faceOf, stateText } from './names.js';
import { Postponed } from './postponed.js';
import { VersionFilter } from './versionfilter.js';
import { firstCourse } from './player.js';
import { leftText } from './time.js';
import { Timers } from './timers.js';

/** @typedef {import('./types.js').View} View */
/** @typedef {import('./types.js').Context} Context */

/** @param {HTMLElement} root @param {Context} context @param {string} name */
export function master(root, context, name) {
    const view = new MasterView(context, name);
    root.append(view.element);
    return () => view.stop();
}

class MasterView {
    /** @type {View|null} */ #view = null;
    /** @type {Diagram|null} */ #diagram = null;
    /** @type {{flow: string, definition?: string|null}} */ #drawn = { flow: '' };
    /** @type {Map<string, import('./types.js').FlowInfo>} a reloaded flow has another diagram and other events */ #flows = new Map();

    /** @param {Context} context @param {string} name */
    constructor(context, name) {
        this.context = context;
        this.name = name;
        this.sessionActions = new SessionActions(context, name);
        this.newest = new VersionFilter(context.live);
        this.timers = new Timers(context.ticker, this.sessionActions, (error) => context.notices.refuse(error));
        this.actions = new Actions((event, payload, sources) =>
            this.sessionActions.send(/** @type {View} */ (this.#view), event, payload, sourceOf(sources)), 'Send an event',
            (error) => context.notices.refuse(error));
        this.any = new AnyEvent((event, payload, source) => this.sessionActions.send(/** @type {View} */ (this.#view), event, payload, source));
        this.postponed = new Postponed((id) => context.api.session(name, 'withdraw', { id }), (error) => context.notices.refuse(error));
        this.advance = new Advance(context);
        this.history = new History({
            onTaken: (line) => this.#diagram?.flash(line),
            load: async (count) => (await context.api.get(`${path('api', 'sessions', name, 'history')}?count=${count}`)).lines,
        });
        this.figure = new Figure(context.ticker, (text) => context.face.time(text), leftText);
        this.element = h('div', { class: 'master' }, this.#head(), this.#panes());
        context.face.show(name, 'calm');
        this.stops = [
            context.live.watch(`session:${name}`, (data, at) => this.newest.accepts(data) && this.#show(data.view, at)),
            context.live.watch(`history:${name}`, (data) => this.history.tell(data, context.live.boot)),
            context.live.watch('flows', (data) => this.#flowsChanged(data.flows)),
        ];
        addEventListener('keydown', this.#key);
    }

    #head() {
        const at = `/${encodeURIComponent(this.name)}`;
        this.state = h('h2', { class: 'state-name', 'aria-live': 'polite' });
        this.flow = h('a', { class: 'flow-name' });
        this.version = h('span', { class: 'faint version' });
        this.pause = h('button', { class: 'pause', onclick: () => this.timers.run(this.pause, () => this.#togglePause()) });
        pressOnce(this.pause);
        const forcing = h('button', { class: 'quiet', onclick: () => whileBusy(forcing, () => this.#force(), () => {}) }, 'Force…');
        this.lesser = h('div', { class: 'more', role: 'group', 'aria-label': 'More' },
            h('a', { href: `/s${at}`, class: 'button quiet' }, 'Player'), h('a', { href: `/k${at}`, class: 'button quiet' }, 'Kiosk'),
            forcing,
            h('button', { class: 'quiet', onclick: () => this.sessionActions.restart(this.#view?.life) }, 'Restart…'),
            h('button', { class: 'quiet danger-text', onclick: () => this.sessionActions.drop(this.#view?.life) }, 'Drop…'));
        return h('header', { class: 'bar master-bar' }, h('a', { href: '/', class: 'quiet home', 'aria-label': 'All sessions' }, 'gamed'),
            h('h1', {}, named(this.name)), this.flow, this.state, this.version, this.pause, this.lesser);
    }

    #panes() {
        this.picture = h('section', { class: 'pane picture', 'aria-label': 'Diagram' });
        const only = h('input', { type: 'checkbox', onchange: () => this.history.showRefused(only.checked) });
        this.says = h('p', { class: 'says', dir: 'auto' });
        this.side = h('div', { class: 'side' },
            this.advance.element, h('section', { class: 'pane' }, h('h3', {}, 'Timers'), this.timers.element),
            h('section', { class: 'pane' }, h('h3', {}, 'Send'), this.says, this.actions.element, this.any.element, this.postponed.element),
            h('section', { class: 'pane grow' }, h('div', { class: 'pane-head' }, h('h3', {}, 'History'),
                h('label', { class: 'check' }, only, 'refused only')), this.history.element));
        this.body = h('div', { class: 'panes' }, this.picture, this.side);
        return this.body;
    }

    /** @param {View|null} view @param {number} at */
    #show(view, at) {
        this.#view = view;
        this.element.classList.toggle('absent', !view);
        this.pause.disabled = !view || (view.final && !view.paused);
        if (!view) return this.#showMissing();
        this.gone?.remove();
        this.#showHead(view);
        this.#showDiagram(view);
        this.timers.show(view, at);
        this.actions.show(view.actions, view);
        this.postponed.show(view);
        this.#showEvents(view);
        write(this.says, view.final ? 'The session has ended: no event is valid.' : view.actions.length
            ? [view.title, view.text].filter(Boolean).join(' · ') : 'No event that people send is valid now.');
        this.figure.show(firstCourse(view, at, this.context.ticker.passes));
        this.context.face.show(`${this.name} · ${stateText(view.state)}`, faceOf(view));
    }

    /** @param {View} view */
    #showHead(view) {
        writeDotted(this.state, stateText(view.state) + (view.final ? ' · the end' : ''));
        write(this.flow, view.flow);
        this.flow.href = `/f/${encodeURIComponent(view.flow)}`;
        this.flow.title = 'Try this flow in a sandbox';
        write(this.version, `v ${view.version}`);
        write(this.pause, view.paused ? '▶ Resume' : '❚❚ Pause');
        this.pause.setAttribute('aria-label', `${view.paused ? 'Resume' : 'Pause'} ${this.name}`);
        this.pause.title = `${view.paused ? 'Resume' : 'Pause'} all of the session's timers (Space)`;
        this.pause.classList.toggle('primary', view.paused);
        this.element.classList.toggle('paused', view.paused);
    }

    /** @param {import('./types.js').FlowInfo[]} flows */
    #flowsChanged(flows) {
        this.#flows = new Map(flows.map((flow) => [flow.name, flow]));
        if (!this.#view) return;
        this.#showDiagram(this.#view);
        this.#showEvents(this.#view);
    }

    /** @param {View} view */
    #showEvents(view) {
        this.any.show(this.#flows.get(view.flow)?.events ?? [], view.actions.map(({ event }) => event));
    }

    /** @param {View} view */
    #showDiagram(view) {
        const definition = this.#flows.get(view.flow)?.definition;
        const isKnown = definition !== undefined && this.#drawn.definition !== undefined;
        const isOther = this.#drawn.flow !== view.flow || (isKnown && this.#drawn.definition !== definition);
        this.#drawn = { flow: view.flow, definition: definition ?? this.#drawn.definition };
        if (isOther) {
            this.#diagram = new Diagram(this.context.api, view.flow, {
                onEdge: (edge) => this.#view && edge.event && this.sessionActions.sendAsking(edge.event, this.#view, () => this.#view),
                onState: (state) => this.sessionActions.force(state, this.#view?.life),
            });
            fill(this.picture, this.#diagram.sizeButton(), this.#diagram.element,
                h('p', { class: 'faint hint' }, 'Click an open transition to send it, a state to force it.'));
        }
        this.#diagram?.light(view);
    }

    #showMissing() {
        this.gone?.remove();
        this.gone = missingSession(this.context.api, this.name, [
            h('button', { onclick: () => this.sessionActions.undo() }, 'Undo drop'),
            h('a', { class: 'button', href: '/?tab=flows' }, 'Create one'),
        ], [
            h('button', { onclick: () => this.sessionActions.retry() }, 'Retry'),
            h('button', { class: 'quiet danger-text', onclick: async () => { await this.sessionActions.dropSetAside(); this.#showMissing(); } }, 'Drop…'),
            h('a', { class: 'button quiet', href: '/?tab=aside' }, 'All that are set aside'),
        ]);
        this.element.append(this.gone);
        this.context.face.show(`${this.name} · not there`, 'calm');
        this.figure.show(null);
    }

    #togglePause() {
        return this.#view?.paused ? this.sessionActions.resume() : this.sessionActions.pause();
    }

    async #force() {
        if (!this.#view) return;
        const { life } = this.#view;
        try {
            const flow = await this.context.api.get(`/api/flows/${encodeURIComponent(this.#view.flow)}`);
            await this.sessionActions.forceChoosing(flow.states, life);
        } catch (error) { this.context.notices.refuse(error); }
    }

    #key = (/** @type {KeyboardEvent} */ event) => {
        // Space presses the focused button, or scrolls the focused list.
        if (event.key !== ' ' || isTyping(event) || !/** @type {Element} */ (event.target).matches('body, main')) return;
        event.preventDefault();
        if (!event.repeat && !this.pause.disabled) this.timers.run(this.pause, () => this.#togglePause());
    };

    stop() {
        removeEventListener('keydown', this.#key);
        for (const stop of this.stops) stop();
        this.figure.stop();
        this.timers.stop();
        this.advance.stop();
    }
}
