// Error messages about targets, events, timers and variables that do not exist.

import Testing

@Suite struct `A flow file with missing references` {
    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: "bee" } }, bees: {} } }"#,
            "1:37: error: target 'bee' of the state 'a' does not exist; did you mean 'bees'?"),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: "c" } }, b: { states: { c: {} } } } }"#,
            "1:37: error: target 'c' of the state 'a' does not exist; write 'b.c', its path from the top"),
        WrongFile(
            "{ id: \"t\", states: { a: { on: { go: \"#x\" } }, b: { id: \"xx\" } } }",
            "1:37: error: target '#x' of the state 'a' does not exist; did you mean '#t'?"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: ".c" } }, b: {} } }"#,
            "1:37: error: target '.c' of the state 'a' does not exist; it has no states"
        ),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: "b" }, states: { b: {} } } } }"#,
            "1:37: error: target 'b' of the state 'a' does not exist; a state inside of it is written '.b'"),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: "" } } } }"#,
            "1:37: error: target '' of the state 'a' does not exist; leave out the target of a transition that stays"),
        WrongFile(
            #"{ id: "t", states: { a: { states: { b: { on: { go: "c.d" } }, c: { states: { d: {} } } } } } }"#,
            "1:52: error: target 'c.d' of the state 'a.b' does not exist; write 'a.c.d', its path from the top"),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { target: ["a", "zebra"] } } } } }"#,
            "1:53: error: target 'zebra' of the state 'a' does not exist; available: a"),
        WrongFile(
            #"{ id: "t", states: { a: { initial: "b", states: { c: {} } } } }"#,
            "1:36: error: the state 'a' has no initial state 'b'; available: c"),
        WrongFile(
            "{ id: \"t\", states: { a: { initial: \"#t\", states: { c: {} } } } }",
            "1:36: error: 'initial' names a state inside of the state 'a', and not the flow"),
        WrongFile(
            #"{ id: "t", initial: "b", states: { a: {} } }"#,
            "1:21: error: the flow has no initial state 'b'; available: a"),
        WrongFile(
            #"{ id: "t", initial: "A", states: { a: {} } }"#,
            "1:21: error: the flow has no initial state 'A'; did you mean 'a'?"),
        WrongFile(
            #"{ id: "t", initial: [], states: { a: {} } }"#,
            "1:21: error: 'initial' names one state at least, and this list is empty"),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { target: [] } } } } }"#,
            "1:47: error: a target names one state at least, and this list is empty"),
    ])
    func `A target that does not exist is reported with its place`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", events: { start: {} }, states: { a: { on: { strat: "a" }, entry: [{ raise: "stop" }] } } }"#,
            "1:56: error: there is no event 'strat' in 'events'; did you mean 'start'?",
            "1:87: error: there is no event 'stop' in 'events'; available: start"),
        WrongFile(
            #"{ id: "t", events: { start: {} }, states: { a: { on: { "error.*": "a", "err.*": "a", "done.state.b": "a", "done.invoke.c": "a", "error.communication": "a", "*": "a" } } } }"#,
            "1:72: error: no event in 'events' begins with 'err'; available: start",
            "1:86: error: there is no state 'b' that could be done; available: a",
            "1:107: error: nothing is invoked as 'c'; available: none"),
        WrongFile(
            #"{ id: "t", events: { start: { from: ["ui", "timer", "usb"], payload: { n: { type: "int" }, m: { type: "integer", minimum: 3, maximum: 1 } }, lable: 1 } }, states: { a: {} } }"#,
            "1:44: error: timers lead on by 'after' and 'every', and send no events of the catalogue",
            "1:53: error: there is no source 'usb'; available: ui, network, bluetooth, orchestrator",
            "1:83: error: there is no type 'int'; write 'integer'",
            "1:126: error: nothing is between 3 and 1",
            "1:142: error: an event has no key 'lable'; did you mean 'label'?"),
        WrongFile(
            #"{ id: "t", events: { s: { payload: { x: { minLength: 3, enum: ["a"] }, y: {}, z: { type: "boolean", minimum: 1 }, "a b": { type: "array" } } } }, states: { a: { on: { s: {} } } } }"#,
            "1:43: error: 'enum' lists all values; leave out 'minLength'",
            "1:75: error: 'type' is missing; available: integer, number, string, boolean",
            "1:101: error: 'minimum' bounds no boolean",
            "1:115: error: a field has no blanks in its name, as 'a b' has; write '-' or '_' there",
            "1:115: error: a field is an integer, a number, a string or a boolean; leave 'a b' out"),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: "a", "go.*": "a", "stop.*": "a" } } } }"#,
            "1:55: error: no event begins with 'stop': without a catalogue the events are those that 'on' and 'raise' name; list them in 'events'"
        ),
        WrongFile(
            #"{ id: "t", events: { s: { payload: { n: "number", i: "int", s: "str", b: "bool", x: "yes" } } }, states: { a: { on: { s: "a" } } } }"#,
            #"1:41: error: a field is declared so: { n: { type: "number" } }"#,
            #"1:54: error: a field is declared so: { i: { type: "integer" } }"#,
            #"1:64: error: a field is declared so: { s: { type: "string" } }"#,
            #"1:74: error: a field is declared so: { b: { type: "boolean" } }"#,
            #"1:85: error: a field is declared so: { x: { type: "integer" } }"#),
        WrongFile(
            #"{ id: "t", states: { a: { on: { "*": "a" } } } }"#,
            "1:33: error: '*' matches the events that a flow names, and this one names none; list them in 'events'"
        ),
        WrongFile(
            #"{ id: "t", events: { "done.state.a": {}, "a b": {}, c: null }, states: { a: { on: { "*": {} } } } }"#,
            "1:22: error: 'done.state.a' is an event of the platform; no source may send it, and it needs no entry",
            "1:42: error: an event has no blanks in its name, as 'a b' has; write '-' or '_' there",
            "1:56: error: an event is an object, { … }, and not null"),
    ])
    func `An event that the catalogue does not have is reported with its place`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { entry: [{ extend: { timer: "b", by: "1s" } }, { pause: "roundd" }, { resume: "a" }], after: { "1s": { name: "round" } } } } }"#,
            "1:54: error: there is no timer 'b'; available: round",
            "1:82: error: there is no timer 'roundd'; did you mean 'round'?",
            "1:104: error: there is no timer 'a'; available: round"),
        WrongFile(
            #"{ id: "t", states: { a: { entry: [{ extend: "round" }, { extend: { timer: "round" } }, { pause: 3 }], after: { "1s": { name: "round" } } } } }"#,
            "1:45: error: 'extend' is an object, { … }, and not the text 'round'",
            #"1:66: error: 'extend' needs a timer and a duration: { timer: "round", by: "30s" }"#,
            "1:97: error: a timer's name is a text, and not 3"),
        WrongFile(
            #"{ id: "t", states: { a: { always: [{ guard: "remaining('rond') > 5 and remaining(\"round\") > 6", target: "b" }], after: { "1s": { name: "round" } } }, b: {} } }"#,
            "1:56: error: there is no timer 'rond'; did you mean 'round'?"),
        WrongFile(
            #"{ id: "t", states: { a: { always: { guard: 'state("bee") or state "b"', target: "b" } }, b: {} } }"#,
            "1:51: error: there is no state 'bee'; available: a, b"),
    ])
    func `A timer that does not exist is reported with its place`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", context: { round: 0 }, states: { a: { entry: { assign: { rond: "1" } } } } }"#,
            "1:69: error: the context has no variable 'rond'; did you mean 'round'?"),
        WrongFile(
            #"{ id: "t", states: { a: { entry: { assign: { round: "1" } } } } }"#,
            "1:46: error: the context has no variable 'round'; declare it: context: { round: 0 }"),
        WrongFile(
            #"{ id: "t", context: { round: 0 }, states: { a: { entry: { assign: ["round"] } } } }"#,
            "1:67: error: 'assign' is an object, { … }, and not an array"),
        WrongFile(
            #"{ id: "t", context: { m: { type: "integer", minimum: 10, maximum: 20, default: 5 }, n: { type: "text", default: "" }, o: { type: "integer" } }, states: { a: {} } }"#,
            "1:80: error: the default of 'm' is 5, which does not fit its type: a whole number from 10 to 20",
            "1:96: error: there is no type 'text'; write 'string'",
            "1:122: warning: 'o' is this object; to declare a type, write its 'default' beside it"),
        WrongFile(
            #"{ id: "t", context: { c: { enum: ["a", "b"], default: "a" }, d: { default: 1, other: 2 }, e: {} }, states: { a: {} } }"#,
            "1:26: warning: 'c' is this object; to declare a type, write its 'type' beside it"),
        WrongFile(
            #"{ id: "t", context: [1], states: { a: {} } }"#,
            "1:21: error: 'context' is an object, { … }, and not an array"),
    ])
    func `An assignment to a variable that is not in the context is reported with its place`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }
}
