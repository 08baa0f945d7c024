// The keys of flow files, as data: the keys that the reader accepts, its suggestions for unknown keys, and the keys that the schema lists.

import Texts

/// The keys of one kind of object.
protocol NotationKeys: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// The object, in a sentence: `a state`.
    static var object: String { get }
    /// The replacement for a key that people know from XState or SCXML.
    static var hints: [String: String] { get }
}

extension NotationKeys {
    static var hints: [String: String] { [:] }
    static var names: [String] { allCases.map(\.rawValue) }

    /// How the error about an unknown key ends; `others` are keys that the object may have besides, and it has none of `without`.
    static func advice(for key: String, others: [String] = [], without: Set<Self> = []) -> String {
        let own = allCases.filter { !without.contains($0) }.map(\.rawValue).filter { !$0.hasPrefix("$") }
        return hints[key] ?? (own + others).advice(for: key)
    }
}

/// The keys of a state, and of the flow itself, which is the state around all others.
enum StateKey: String, NotationKeys {
    case schema = "$schema"
    case id, description, tags, meta, view, type, context, events, initial, states, history, target, actions
    case on, postpone, back, always, after, every, entry, exit, onDone, invoke, output

    static let object = "a state"
    /// Keys that the flow alone has, and keys that it does not have.
    static let ofFlow: Set = [schema, context, events]
    static let ofStates: Set = [history, target, actions, output]
    static let hints = [
        "onEntry": "write 'entry'", "onentry": "write 'entry'", "onExit": "write 'exit'", "onexit": "write 'exit'",
        "parallel": "write type: \"parallel\"", "final": "write type: \"final\"", "transition": "write 'on'",
        "transitions": "write 'on'", "datamodel": "write 'context'", "data": "write 'context', or 'output' in a final state",
        "previous": "write back: \"state\", and target: \"$back\" in a transition",
        "defer": "write postpone: [\"event\"]", "deferred": "write postpone: [\"event\"]",
        "timeout": "write after: { \"30s\": \"target\" }",
        "delays": "write a length where it is used, or as an expression in 'delay'",
        "guards": "write an expression where it is used, as a 'guard'",
        "activities": "write 'invoke', 'entry' and 'exit'", "services": "write 'invoke'",
        "src": "write invoke: { flow: \"name\" }",
        "version": "the file itself is the version: sessions are compared with it when it changes",
        "predictableActionArguments": "leave it out: actions always run in their order", "key": "the state's key is its name",
        "cond": "a 'guard' belongs into a transition", "guard": "a 'guard' belongs into a transition",
        "order": "the order of the file counts",
        "milestones":
            "'milestones' belong to a timer: after: { \"1h\": { target: \"over\", milestones: { \"10m\": \"hint\" } } }",
        "title": "write view: { title: \"…\" }", "text": "write view: { text: \"…\" }",
        "progress": "write view: { progress: \"…\" }",
        "label": "a label belongs to an event, in 'events'", "name": "the state's key is its name",
    ]
}

enum TransitionKey: String, NotationKeys {
    case target, guardExpression = "guard", actions, reenter, description

    static let object = "a transition"
    static let hints = [
        "cond": "write 'guard'", "condition": "write 'guard'", "when": "write 'guard'", "if": "write 'guard'",
        "in": "write guard: \"state('a.b')\"",
        "to": "write 'target'", "targets": "write target: [\"a\", \"b\"]", "action": "write 'actions'",
        "then": "write 'actions'",
        "internal": "write reenter: false", "external": "leave it out: a target is entered again unless reenter: false",
        "delay": "'delay' belongs to a timer in 'after' or 'every', or to an event that is raised or sent",
        "event": "the event is the key: on: { start: { target: \"lobby\" } }",
        "type": "write reenter: false for SCXML's internal",
        "name": "a name belongs to a timer in 'after' or 'every'",
        "restart": "'restart' belongs to a timer in 'after' or 'every'",
        "milestones": "'milestones' belong to a timer in 'after'",
        "entry": "'entry' belongs to a state; a transition has 'actions'",
    ]
}

/// A timer's keys besides its transition.
enum TimerKey: String, NotationKeys {
    case name, label, restart, delay, milestones

    static let object = "a timer"
}

/// Kinds of action: each action has exactly one of these keys.
enum ActionKey: String, NotationKeys {
    case assign, raise, emit, send, cancel, log, extend, pause, resume
    case condition = "if"

    static let object = "an action"
    static let hints = [
        "type": "an action's kind is its key: { log: \"round\" }", "sendTo": "write send: { session, event }",
        "sendParent": "write send: { session: \"{{ parent }}\", event }", "respond": "write send: { session, event }",
        "spawn": "a state invokes another flow: invoke: { flow: \"name\" }", "stop": "an invoked flow ends with its state",
        "choose": "write { if: \"expression\", then: […], else: […] }", "script": "write assign: { name: \"expression\" }",
        "params": "what an action needs is its value: { log: \"round\" }", "exec": "write one of the actions",
        "guard": "write 'if'", "cond": "write 'if'", "target": "only a transition has a target",
        "delay": "'delay' belongs beside the event: raise: { event: \"late\", delay: \"5s\" }",
        "data": "'data' belongs beside the event: raise: { event: \"scored\", data: { points: 3 } }",
    ]
}

/// Keys beside `if`.
enum BranchKey: String, NotationKeys {
    case then
    case otherwise = "else"

    static let object = "an 'if'"
}

/// An event that is raised, emitted or sent.
enum SentEventKey: String, NotationKeys {
    case session, event, data, delay, id

    static let object = "an event to raise or send"
    static let hints = [
        "type": "write 'event'", "name": "write 'event'", "to": "write 'session'", "target": "write 'session'",
        "payload": "write 'data'",
        "params": "write 'data'", "after": "write 'delay'",
    ]
}

enum ExtendKey: String, NotationKeys {
    case timer, by

    static let object = "'extend'"
    static let hints = ["name": "write 'timer'", "duration": "write 'by'", "delay": "write 'by'"]
}

enum InitialKey: String, NotationKeys {
    case target, actions

    static let object = "an initial transition"
    static let hints = ["guard": "an initial transition has no guard; an 'always' of the state has one"]
}

enum InvokeKey: String, NotationKeys {
    case flow, src, id, context, input, onDone, onError

    static let object = "an invocation"
    static let hints = [
        "data": "write 'context'", "params": "write 'context'", "name": "write 'id'",
        "onSnapshot": "a child sends events: see 'send'",
        "autoForward": "events are sent on by 'send'", "systemId": "write 'id'",
        "type": "leave it out: flows are what is invoked",
    ]
}

enum ViewKey: String, NotationKeys {
    case title, text, progress

    static let object = "a view"
}

/// An event of the catalogue.
enum EventKey: String, NotationKeys {
    case payload, from, label, description

    static let object = "an event"
    static let hints = [
        "data": "write 'payload'", "source": "write 'from'", "sources": "write 'from'", "title": "write 'label'",
        "target": "'events' declares payloads; an event's target belongs in a state's 'on'",
    ]
}

/// The type and the bounds of a value. Only a payload's field is optional, and only a variable of the context has a default.
enum ValueKey: String, NotationKeys {
    case type, minimum, maximum, choices = "enum", minLength, maxLength, optional, standard = "default", description

    static let object = "a value's declaration"
    static let hints = [
        "min": "write 'minimum'", "max": "write 'maximum'", "oneOf": "write enum: [\"a\", \"b\"]", "choices": "write 'enum'",
        "required": "it is required unless optional: true", "values": "write 'enum'", "hint": "write 'description'",
    ]
}
