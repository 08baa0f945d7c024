// Error messages about wrong keys, names and kinds of states.

import Testing

@Suite struct `A flow file with wrong keys or names` {
    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { entri: [] } } }"#,
            "1:27: error: a state has no key 'entri'; did you mean 'entry'?"),
        WrongFile(
            #"{ id: "t", states: { a: { onEntry: [], frobnicate: 1 } } }"#,
            "1:27: error: a state has no key 'onEntry'; write 'entry'",
            "1:40: error: a state has no key 'frobnicate'; available: id, description, tags, meta, view, type, initial, states, history, target, actions, on, postpone, back, always, after, every, entry, exit, onDone, invoke, output"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { cond: "x", to: "a" } } } } }"#,
            "1:39: error: a transition has no key 'cond'; write 'guard'",
            "1:50: error: a transition has no key 'to'; write 'target'"),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { actoins: [] } } } } }"#,
            "1:39: error: a transition has no key 'actoins'; did you mean 'actions'?"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "1s": { target: "a", restrat: "keep" } } } } }"#,
            "1:57: error: a transition has no key 'restrat'; did you mean 'restart'?"),
        WrongFile(
            #"{ id: "t", states: { a: { invoke: { flow: "b", data: {} } } } }"#,
            "1:48: error: an invocation has no key 'data'; write 'context'"),
        WrongFile(
            #"{ id: "t", states: { a: { view: { titel: "A" } } } }"#,
            "1:35: error: a view has no key 'titel'; did you mean 'title'?"),
        WrongFile(
            #"{ id: "t", datamodel: {}, states: { a: {} } }"#,
            "1:12: error: a flow has no key 'datamodel'; write 'context'"),
        WrongFile(
            #"{ id: "t", states: { a: { entry: { type: "log" } } } }"#,
            #"1:36: error: there is no action 'type'; an action's kind is its key: { log: "round" }"#),
        WrongFile(
            #"{ id: "t", states: { a: { entry: { rais: "x" } } } }"#,
            "1:36: error: there is no action 'rais'; did you mean 'raise'?"),
        WrongFile(
            #"{ id: "t", states: { a: { entry: "doIt" } } }"#,
            #"1:34: error: an action is an object such as { raise: "tick" }, and not the text 'doIt'"#),
        WrongFile(
            #"{ id: "t", states: { a: { entry: { raise: { type: "x" } } } } }"#,
            "1:45: error: 'raise' has no key 'type'; write 'event'"),
        WrongFile(
            #"{ id: "t", states: { a: { entry: [{ send: { sesion: "x", event: "e" } }, { extend: { timr: "x", by: "1s" } }], invoke: { flw: "x" } } } }"#,
            "1:45: error: 'send' has no key 'sesion'; did you mean 'session'?",
            "1:86: error: 'extend' has no key 'timr'; did you mean 'timer'?",
            "1:122: error: an invocation has no key 'flw'; did you mean 'flow'?"),
        WrongFile(
            #"{ id: "t", events: { go: { payload: { n: { typ: "integer" } } } }, states: { a: { on: { go: "a" } } } }"#,
            "1:44: error: a value's declaration has no key 'typ'; did you mean 'type'?"),
        WrongFile(
            #"{ id: "t", states: { a: { entry: [{ if: "true", than: [] }, { if: "true" }] } } }"#,
            "1:49: error: an 'if' has no key 'than'; did you mean 'then'?",
            "1:67: error: 'if' has actions in 'then', in 'else', or in both"),
        WrongFile(
            #"{ id: "t", xyzzyx: 1, states: { a: { xyzzyx: 1 } } }"#,
            "1:12: error: a flow has no key 'xyzzyx'; available: id, description, tags, meta, view, type, context, events, initial, states, on, postpone, back, always, after, every, entry, exit, onDone, invoke",
            "1:38: error: a state has no key 'xyzzyx'; available: id, description, tags, meta, view, type, initial, states, history, target, actions, on, postpone, back, always, after, every, entry, exit, onDone, invoke, output"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { context: { x: 1 } } } }"#,
            "1:27: error: 'context' belongs to the flow, at the top of the file"),
        WrongFile(#"{ "$schema": 1, id: "t", states: { a: {} } }"#, "1:14: error: '$schema' is a text, and not 1"),
    ])
    func `An unknown key is reported with the key that was probably meant`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: {}, b: {}, a: {} } }"#,
            "1:36: error: 'a' is there twice in one object; the first one is in line 1"),
        WrongFile(
            #"{ id: "t", states: { a: { id: "x" }, b: { id: "x" }, c: { id: "t" } } }"#,
            "1:47: error: the id 'x' is that of the state 'a' already",
            "1:63: error: the id 't' is that of the flow itself already"),
        WrongFile(
            #"{ id: "t", states: { "": {} } }"#,
            "1:22: error: a state needs a name, and this one is empty"),
        WrongFile(
            #"{ id: "t", states: { "a b": {}, "c.d": {}, "e,f": {}, "g#h": {} } }"#,
            "1:22: error: a state has no blanks in its name, as 'a b' has; write '-' or '_' there",
            "1:33: error: a state has no '.' in its name, as 'c.d' has; write '-' or '_' there",
            "1:44: error: a state has no ',' in its name, as 'e,f' has; write '-' or '_' there",
            "1:55: error: a state has no '#' in its name, as 'g#h' has; write '-' or '_' there"
        ),
        WrongFile(
            #"{ id: "t", states: { "a\u0007": {} } }"#,
            #"1:22: error: a state has no control characters in its name, as 'a\u{7}' has"#),
        WrongFile(
            #"{ id: "t", states: { a: { on: { "a b": "a", "x.": "a", "*y": "a", "": "a", "after.a": "a" } } } }"#,
            "1:33: error: 'a b' has blanks; write one key for each event",
            #"1:45: error: write 'x.*' for all events whose names begin so"#,
            #"1:56: error: '*' matches the last words of a name: "error.*", or alone"#,
            "1:67: error: an event needs a name, and this one is empty",
            "1:76: error: events whose names begin with 'after.' are those of timers; call it something else than 'after.a'"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "1s": { name: "x" }, "2s": { name: "x" } } } } }"#,
            "1:71: error: there are two timers 'x'; give one of them another 'name'"),
        WrongFile(
            #"{ id: "t", context: { "a b": 1 }, states: { a: {} } }"#,
            "1:23: error: a variable has no blanks in its name, as 'a b' has; write '_' there"),
        WrongFile(
            #"{ id: "bad name", states: { a: {} } }"#,
            "1:7: error: a flow has no blanks in its name, as 'bad name' has; write '-' or '_' there"),
        WrongFile(
            "{ id: 7, states: { a: {} } }",
            "1:7: error: the 'id' of a flow is a text, and not 7"),
        WrongFile(
            #"{ id: "t", states: { a: { invoke: [{ flow: "b" }, { flow: "b" }] } } }"#,
            "1:51: error: something is invoked as 'b' already; give one of them another 'id'"),
        WrongFile(
            #"{ id: "t", context: { event: 1, "end": 2, "1x": 3, "a-b": 4, math: 5 }, states: { a: {} } }"#,
            "1:23: error: 'event' means something else in expressions; call the variable something else",
            "1:33: error: 'end' is a word of Lua's; call the variable something else",
            "1:43: error: '1x' is no name: a variable's has letters, digits and '_', and begins with no digit; call the variable something else",
            "1:52: error: 'a-b' is no name: a variable's has letters, digits and '_', and begins with no digit; call the variable something else",
            "1:62: error: 'math' means something else in expressions; call the variable something else"),
    ])
    func `A duplicate or invalid name is reported with its place`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { type: "finale" } } }"#,
            "1:33: error: there is no type 'finale'; did you mean 'final'?"),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: "b" } }, b: { type: "final", states: { c: {} }, on: {}, after: {}, initial: "c" } } }"#,
            "1:66: error: a final state has no 'states': nothing comes after it",
            "1:85: error: a final state has no 'on': nothing comes after it",
            "1:93: error: a final state has no 'after': nothing comes after it",
            "1:104: error: a final state has no 'initial': nothing comes after it"),
        WrongFile(
            #"{ id: "t", states: { a: { type: "parallel", initial: "b", states: { b: {}, c: {} } } } }"#,
            "1:45: error: a parallel state has no 'initial': all of its states are entered"),
        WrongFile(
            #"{ id: "t", states: { a: { type: "parallel" }, b: { type: "compound" }, c: { type: "atomic", states: { d: {} } } } }"#,
            "1:33: error: a parallel state has states, which are all active together",
            "1:58: error: a compound state has states, and this one has none; leave out its 'type'",
            "1:83: error: an atomic state has no states, and this one has some; leave out its 'type'"),
        WrongFile(
            #"{ id: "t", states: { a: { states: {} } } }"#,
            "1:35: error: 'states' is empty; it has one state at least"),
        WrongFile(
            #"{ id: "t", states: { a: { initial: "b", onDone: "a", output: 1, target: "a", history: "deep" } } }"#,
            "1:1: error: the flow has history states only, and nothing that they could remember",
            "1:27: error: a history state has no 'initial': it only leads on to the states that it remembers",
            "1:41: error: a history state has no 'onDone': it only leads on to the states that it remembers",
            "1:54: error: 'output' belongs to a final state",
            "1:73: error: a history state's target is a state, and not a history state as the state 'a' is",
            #"1:78: error: a history state needs its type: write type: "history" beside it"#),
        WrongFile(
            #"{ id: "t", states: { a: { type: "history", on: {}, history: "profound", target: "b" }, b: {} } }"#,
            "1:44: error: a history state has no 'on': it only leads on to the states that it remembers",
            #"1:61: error: 'history' is "shallow" or "deep", and not the text 'profound'"#),
        WrongFile(
            #"{ id: "t", states: { a: { states: { h: { type: "history" } } } } }"#,
            "1:22: error: the state 'a' has history states only, and nothing that they could remember"),
        WrongFile(
            #"{ id: "t", states: { a: { initial: "h", states: { h: { type: "history" }, b: {} } } } }"#,
            "1:51: error: the state 'a' begins in its history state, which needs a 'target' for when there is nothing to remember"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { states: { h: { type: "history", target: "b" }, c: {} } }, b: {} } }"#,
            "1:67: error: a history state leads to a state beside it or below, and the state 'b' is outside of the state 'a'"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { states: { h: { type: "history", target: "i" }, i: { type: "history", target: "h" }, c: {} } } } }"#,
            "1:67: error: a history state's target is a state, and not a history state as the state 'a.i' is",
            "1:104: error: a history state's target is a state, and not a history state as the state 'a.h' is"),
        WrongFile(
            #"{ id: "t", states: { a: { type: "parallel", states: { b: { type: "final" }, c: {} } } } }"#,
            "1:55: error: a region of a parallel state is no final state; put it into a region of its own"),
        WrongFile(
            #"{ id: "t" }"#,
            "1:1: error: a flow has states: states: { lobby: { … }, … }"),
        WrongFile(
            #"{ id: "t", type: "final", states: { a: {} } }"#,
            "1:18: error: a flow is compound, which is the default, or parallel"
        ),
        WrongFile(
            "[]",
            #"1:1: error: a flow is an object, { id: "…", initial: "…", states: { … } }, and not an array"#),
        WrongFile(
            #"{ id: "t", states: [] }"#,
            "1:20: error: 'states' is an object, { … }, and not an array"),
        WrongFile(
            #"{ id: "t", states: { a: "b" } }"#,
            "1:25: error: a state is an object, { … }, and not the text 'b'"),
    ])
    func `A key that a kind of state does not have is reported with its place`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }
}
