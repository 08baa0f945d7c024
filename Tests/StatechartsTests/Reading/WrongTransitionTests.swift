// Error messages about wrong durations, actions and transitions.

import Testing

@Suite struct `A flow file with wrong transitions` {
    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { after: { "soon": "a" } } } }"#,
            "1:36: error: 'soon' is not a duration; write it like 90s, 1m30s, 250ms, or a number of milliseconds"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "30 s": "a" } } } }"#,
            "1:36: error: '30 s' is not a duration; write it as one word: 30s"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "10min": "a" } } } }"#,
            "1:36: error: '10min' is not a duration; write 10m"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "-5s": "a" } } } }"#,
            "1:36: error: 'after' counts forward, and '-5s' is behind"),
        WrongFile(
            #"{ id: "t", states: { a: { every: { "0s": { emit: "x" } } } } }"#,
            "1:36: error: a pendulum needs more time than 0s from swing to swing"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { timeout: { delay: "1000", target: "a" } } } } }"#,
            "1:36: error: 'timeout' is not a duration; write it like 90s, 1m30s, 250ms, or a number of milliseconds"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "1s": { delay: "30 sec", target: "a" } } } } }"#,
            "1:51: error: '30 sec' is not a duration; write 30s"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "1s": { delay: true, target: "a", restart: "never" } } } } }"#,
            #"1:51: error: 'delay' is a duration such as "30s", or an expression in milliseconds, and not true"#,
            "1:79: error: 'restart' is keep, freeze or restart, not 'never'"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "1s": { target: "a", milestones: { "1s": "x", "0s": "y", "2s": "z", "x": "y" } } } } } }"#,
            "1:71: error: the milestone at 1s before the end never comes: the timer takes 1s",
            "1:82: error: a milestone is before the end; the actions at the end belong beside 'milestones'",
            "1:93: error: the milestone at 2s before the end never comes: the timer takes 1s",
            "1:104: error: 'x' is not a duration; write it like 90s, 1m30s, 250ms, or a number of milliseconds"),
        WrongFile(
            #"{ id: "t", states: { a: { every: { "1s": { milestones: { "1ms": "x" } } } } } }"#,
            "1:44: error: a pendulum has no milestones, since it restarts with each swing; use a countdown"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "1h": { milestones: { "60s": "x", "1m": "x", "2m": { target: "a" } } } }, on: { x: {} } } } }"#,
            "1:44: error: two of these milestones are at the same time",
            "1:89: error: a milestone has actions, or the name of an event; the event's target belongs in 'on'"),
        WrongFile(
            #"{ id: "t", states: { a: { entry: { raise: { event: "x", delay: "5 s" } } } } }"#,
            "1:64: error: '5 s' is not a duration; write it as one word: 5s"),
        WrongFile(
            #"{ id: "t", states: { a: { entry: { raise: { event: "x", delay: -5 } } } } }"#,
            "1:64: error: 'delay' is -5ms, and nothing can come before now"),
        WrongFile(
            #"{ id: "t", states: { a: { entry: { raise: { event: "x", delay: 1e300 } } } } }"#,
            "1:64: error: 'delay' is too long; a duration is shorter than a century (36600d)"),
        WrongFile(
            #"{ id: "t", states: { a: { after: ["1s"], every: 5 } } }"#,
            "1:34: error: 'after' is an object, { … }, and not an array",
            "1:49: error: 'every' is an object, { … }, and not 5"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "99999999d": "a" } } } }"#,
            "1:36: error: '99999999d' is too long; a duration is shorter than a century (36600d)"),
    ])
    func `An invalid duration is reported with its place`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { entry: [{ assign: {}, emit: "x" }, {}, 5, ["x"]] } } }"#,
            "1:35: error: an action does one thing; write several as an array: [{ … }, { … }]",
            "1:62: error: this action is empty; available: assign, raise, emit, send, cancel, log, extend, pause, resume, if",
            #"1:66: error: an action is an object such as { raise: "tick" }, and not 5"#,
            #"1:69: error: an action is an object such as { raise: "tick" }, and not an array"#),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { emit: "x", target: "a" } } } } }"#,
            "1:39: error: 'emit' is an action, not a member of a transition; put it into actions: [{ emit: … }]"),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { if: "x", target: "a" } } } } }"#,
            "1:39: error: 'if' is an action, not a member of a transition; the condition of a transition is its 'guard'"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: [{ emit: "x" }, { target: "a" }] } } } }"#,
            "1:38: error: an array has transitions, or the actions of one; put these into 'actions' of a transition"),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: [], stop: 5 } } } }"#,
            "1:33: error: this array is empty; write null for an event that is not valid here, or leave it out",
            "1:47: error: a transition is a target, or an object { target, guard, actions }, and not 5"),
        WrongFile(
            #"{ id: "t", states: { a: { entry: { if: "true" }, exit: { then: [] } } } }"#,
            "1:40: error: 'if' has actions in 'then', in 'else', or in both",
            "1:58: error: there is no action 'then'; available: assign, raise, emit, send, cancel, log, extend, pause, resume, if"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { entry: [{ send: "x" }, { send: { event: "x" } }, { emit: { event: "x", delay: "1s" } }, { raise: { event: "x", session: "y" } }, { raise: {} }] } } }"#,
            #"1:43: error: 'send' is an object, { session: "name", event: "start" }; an event of the chart's own is raised, and not the text 'x'"#,
            #"1:58: error: 'send' needs a session: { session: "name", event: "start" }; an event of the chart's own is raised"#,
            "1:98: error: an emitted event is sent at once, and has no 'delay'; raise an event later, and emit when it comes",
            "1:138: error: 'raise' has no session; an event for another session is sent: send: { session, event }",
            #"1:165: error: 'raise' needs an event: { event: "tick" }"#),
        WrongFile(
            #"{ id: "t", states: { a: { entry: [{ cancel: "x" }, { raise: { event: "late", delay: "1s", id: "y" } }] } } }"#,
            "1:45: error: nothing is raised or sent later as 'x'; available: y"),
        WrongFile(
            #"{ id: "t", states: { a: { entry: { raise: { event: "late", delay: "1s", id: "y z" } } } } }"#,
            "1:77: error: an id has no blanks in its name, as 'y z' has; write '-' or '_' there"),
        WrongFile(
            #"{ id: "t", states: { a: { entry: { log: "{{ 1 }}" } } } }"#,
            "1:42: error: this is an expression already; leave out the {{ and the }}"),
        WrongFile(
            #"{ id: "t", states: { a: { entry: { log: "" }, on: { go: { guard: true } } } } }"#,
            #"1:42: error: this expression is empty; an empty text is "''""#,
            #"1:66: error: a guard is an expression in quotes, such as "round < 3", and not true"#),
        WrongFile(
            #"{ id: "t", states: { a: { view: { title: "Round {{ round", progress: 2, text: 5 } } } }"#,
            "1:49: error: the {{ that begins here has no }}",
            "1:70: error: progress goes from 0 to 1, and 2 is beyond",
            "1:79: error: a view's text is a text, and not 5"),
        WrongFile(
            #"{ id: "t", states: { a: { view: { title: "Round {{ }}" } } } }"#,
            "1:51: error: this expression is empty"),
        WrongFile(
            #"{ id: "t", states: { a: { invoke: { id: "x" } } } }"#,
            #"1:35: error: an invocation names its flow: invoke: { flow: "round", id: "round" }"#),
        WrongFile(
            #"{ id: "t", states: { a: { invoke: { flow: "x", src: "x", context: [] } } } }"#,
            "1:48: error: 'src' means the same as 'flow', which is already given",
            "1:67: error: 'context' is an object, { … }, and not an array"),
    ])
    func `Invalid actions are reported with their place`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { target: ["a", "b"] } } }, b: {} } }"#,
            "1:37: error: the state 'a' and the state 'b' cannot be active together: several targets are in different regions of a parallel state"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { target: ["p.x.one", "p.x.two"] }, ok: { target: ["p.x.two", "p.y.two"] } } }, p: { type: "parallel", states: { x: { states: { one: {}, two: {} } }, y: { states: { one: {}, two: {} } } } } } }"#,
            "1:37: error: the state 'p.x.one' and the state 'p.x.two' cannot be active together: several targets are in different regions of a parallel state"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { target: ["p.h", "p.x.two"] } } }, p: { type: "parallel", states: { h: { type: "history" }, x: { states: { one: {}, two: {} } } } } } }"#,
            "1:37: error: the state 'p.h' and the state 'p.x.two' cannot be active together: several targets are in different regions of a parallel state"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { target: ["p", "p.x.two"] }, back: { target: ["p.x.two", "p.x"] }, again: { target: ["p", "p.h"] } } }, p: { type: "parallel", states: { h: { type: "history" }, x: { states: { one: {}, two: {} } }, y: {} } } } }"#,
            "1:37: error: the state 'p.x.two' is inside of the state 'p', which is entered with it; name the inner one alone",
            "1:73: error: the state 'p.x.two' is inside of the state 'p.x', which is entered with it; name the inner one alone",
            "1:112: error: the state 'p.h' is inside of the state 'p', which is entered with it; name the inner one alone"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { on: { e: { target: "a", reenter: false }, f: { target: ".c", reenter: false } }, states: { b: {}, c: { on: { g: { target: "a", reenter: false } } } } } } }"#,
            "1:36: warning: 'reenter: false' has no effect here: it is for transitions of a compound state to states inside of it; to stay in the state 'a', leave out the target",
            "1:139: warning: 'reenter: false' has no effect here: it is for transitions of a compound state to states inside of it; to stay in the state 'a.c', leave out the target"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { postpone: [], on: { go: "a" } } } }"#,
            "1:37: error: 'postpone' names one event at least, and this list is empty"),
        WrongFile(
            #"{ id: "t", states: { a: { always: "a" } } }"#,
            "1:35: error: 'always' has no guard here and leads back to where it was, endlessly; give it a guard, or another target"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { always: {} } } }"#,
            "1:35: error: 'always' has no guard here and leads back to where it was, endlessly; give it a guard, or another target"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { always: "b" }, b: { always: "c" }, c: { states: { d: { always: "a" } } } } }"#,
            "1:35: error: 'always' has no guard here and leads back to where it was, endlessly; give it a guard, or another target",
            "1:55: error: 'always' has no guard here and leads back to where it was, endlessly; give it a guard, or another target",
            "1:90: error: 'always' has no guard here and leads back to where it was, endlessly; give it a guard, or another target"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { always: { guard: "elapsed > 5", target: "a" } } } }"#),
        // The inner one goes first, and leads out in the end.
        WrongFile(
            #"{ id: "t", context: { n: 0 }, states: { o: { always: "o", entry: { assign: { n: "n + 1" } }, states: { i: { always: { guard: "n > 3", target: "z" } } } }, z: {} } }"#
        ),
        WrongFile(
            #"{ id: "t", context: { n: 0 }, states: { o: { always: { assign: { n: "n + 1" } }, states: { i: { always: { guard: "n > 3", target: "z" } } } }, z: {} } }"#
        ),
    ])
    func `Impossible transitions are reported with their place`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { after: { "30": "a", "0": "a", "1000": "a", "30ms": "a" } } } }"#,
            "1:36: warning: '30' is milliseconds; write 30ms if that is meant, or 30s for seconds",
            "1:52: warning: \(endless)"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "1h": { target: "a", delay: "90", milestones: { "5": { emit: "x" } } } } } } }"#,
            "1:64: warning: '90' is milliseconds; write 90ms if that is meant, or 90s for seconds",
            "1:84: warning: '5' is milliseconds; write 5ms if that is meant, or 5s for seconds"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "1h": "a" }, on: { e: { extend: { timer: "a", by: -10 } } }, entry: { raise: { event: "e", delay: 1.5 } } } } }"#,
            "1:86: warning: '-10' is milliseconds; write -10ms if that is meant, or -10s for seconds",
            "1:134: warning: '1.5' is milliseconds; write 1.5ms if that is meant, or 1.5s for seconds"),
        WrongFile(
            #"{ id: "t", states: { a: { every: { "9ms": { emit: "x" }, "10ms": { name: "ten", emit: "x" } } } } }"#,
            "1:36: warning: every 9ms is an event more than 100 times a second, each with a change to store; write 10ms or more"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "1h": { target: "b", milestones: { "1m": "b", "2m": "c" } } } }, b: { on: { c: "c" } }, c: {} } }"#,
            "1:77: warning: this raises an event 'b', which no state accepts, and enters no state: a milestone has no target; raise an event that leads there by 'on'"
        ),
    ])
    func `A timer that probably means something else gets a warning`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    private static let endless =
        "this leads back to where it was without time passing, and the daemon stops the clock of such a session; give the timer a length, or a guard"

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { after: { "0s": "b" } }, b: { after: { "0ms": "a" } } } }"#,
            "1:42: warning: \(endless)",
            "1:72: warning: \(endless)"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "0s": "b" } }, b: { always: "a" } } }"#,
            "1:42: warning: \(endless)"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "0s": "a" } } } }"#,
            "1:42: warning: \(endless)"),
        WrongFile(
            #"{ id: "t", context: { n: 0 }, states: { a: { after: { "0s": { guard: "n > 3", target: "b" } } }, b: { after: { "0s": "a" } } } }"#
        ),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "0s": "b" } }, b: { after: { "1ms": "a" } } } }"#),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "0s": { emit: "x" } } } } }"#),
        WrongFile(
            #"{ id: "t", states: { a: { initial: "b", after: { "0s": ".c" }, states: { b: {}, c: {} } } } }"#),
    ])
    func `Timers of zero length that lead back to where they began get a warning`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: [{ emit: "x" }, { target: "b" }] } }, b: {} } }"#,
            "1:38: error: an array has transitions, or the actions of one; put these into 'actions' of a transition"),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: [["b"]] } }, b: {} } }"#,
            "1:38: error: a transition is a target, or an object { target, guard, actions }, and not an array"),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { to: "b" } } }, b: {} } }"#,
            "1:39: error: a transition has no key 'to'; write 'target'"),
        WrongFile(
            #"{ id: "t", context: { n: 0 }, states: { a: { on: { go: [{ gaurd: "n > 1", target: "b" }, "a"] } }, b: {} } }"#,
            "1:59: error: a transition has no key 'gaurd'; did you mean 'guard'?"),
        WrongFile(
            #"{ id: "t", context: { n: 0 }, states: { a: { always: { gaurd: "n > 1", target: "a" } } } }"#,
            "1:56: error: a transition has no key 'gaurd'; did you mean 'guard'?"),
        WrongFile(
            #"{ id: "t", events: { go: {} }, states: { a: { onn: { go: "b" } }, b: {} } }"#,
            "1:47: error: a state has no key 'onn'; did you mean 'on'?"),
    ])
    func `An error is alone where it may hide a transition or its guard`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: {}, b: { states: { c: {} } }, d: { on: { go: "b" } } } }"#,
            "1:29: warning: nothing leads to the state 'b': no transition, no 'initial', no history; only FORCE and NEW reach it",
            "1:55: warning: nothing leads to the state 'd': no transition, no 'initial', no history; only FORCE and NEW reach it"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: ["b", "c"] } }, b: {}, c: {} } }"#,
            #"1:43: warning: this is never taken: one before it has no guard; several targets at once are target: ["a", "b"]"#),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: [{ guard: "1 > 2", target: "b" }, { target: "b" }, { guard: "true" }] }, always: [{ guard: "1 > 2" }, { guard: "true" }] }, b: {} } }"#,
            #"1:88: warning: this is never taken: one before it has no guard; several targets at once are target: ["a", "b"]"#),
        WrongFile(
            #"{ id: "t", events: { go: {}, stop: {} }, states: { a: { on: { go: "a" } } } }"#,
            "1:30: warning: no state accepts the event 'stop'"),
        WrongFile(
            #"{ id: "t", states: { a: { onDone: "a", states: { b: {} } } } }"#,
            #"1:27: warning: the state 'a' is never done: none of its own states is of type "final""#),
        WrongFile(
            #"{ id: "t", onDone: "a", states: { a: { on: { go: "b" } }, b: { type: "final" } } }"#,
            "1:12: warning: the flow's 'onDone' is never taken: the session is over when the flow is done; "
                + "write its actions as 'entry' of the final states"),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: "b" } }, b: { on: { go: "h" } }, h: { type: "history", target: "a" } } }"#,
            "1:70: warning: the state 'h' remembers nothing: no transition leaves the flow; "
                + "move it into the state whose exit it should remember"),
    ])
    func `A suspicious but valid part of a flow is reported as a warning`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }
}
