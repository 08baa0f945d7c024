// Warnings: parts of a flow that are valid and hardly do what is meant.

import Testing

@testable import Statecharts

@Suite struct `Warnings about a flow` {
    @Test(arguments: [
        WrongFile(
            #"{ id: "t", events: { go: { label: "{{ n }} more" } }, states: { a: { on: { go: "a" } } } }"#,
            "1:35: warning: a label is shown as it is written; only texts of a 'view' have values in {{ }}"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "1s": { label: "to {{ n }}", target: "a" } } } } }"#,
            "1:51: warning: a label is shown as it is written; only texts of a 'view' have values in {{ }}"),
        WrongFile(
            #"{ id: "t", events: { go: { label: "{ n }" } }, states: { a: { on: { go: "a" } } } }"#),
    ])
    func `A label with the braces of a view's text gets a warning`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { entry: { extend: { timer: "x", by: "1s" } }, after: { "1m": { name: "x", target: "a" } } } } }"#,
            "1:53: warning: the timer 'x' starts after this 'entry', so 'extend' refuses the event; give the timer another 'delay'"
        ),
        WrongFile(
            #"{ id: "t", entry: { pause: "b" }, states: { a: { on: { go: "b" } }, b: { after: { "1m": "a" } } } }"#,
            "1:28: warning: the timer 'b' starts after this 'entry', so 'pause' does nothing"),
        WrongFile(
            #"{ id: "t", context: { n: 0 }, states: { a: { entry: { if: "n > 0", then: { resume: "a" } }, after: { "1m": "a" } } } }"#,
            "1:84: warning: the timer 'a' starts after this 'entry', so 'resume' does nothing"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { "1m": "a" }, exit: { pause: "a" }, states: { b: { entry: { pause: "a" } } } } } }"#
        ),
    ])
    func `An action on a timer that starts after it gets a warning`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", events: { code: { payload: { digits: { type: "integer" } } } }, states: { a: { entry: { raise: "code" }, on: { code: "a" } } } }"#,
            "1:107: warning: 'code' is raised without 'digits', which is nil then; give it one: data: { digits: … }"),
        WrongFile(
            #"{ id: "t", events: { code: { payload: { a: { type: "integer" }, b: { type: "integer" } } } }, states: { a: { entry: { raise: { event: "code", data: { a: 1 } } }, on: { code: "a" } } } }"#,
            "1:135: warning: 'code' is raised without 'b', which is nil then; give it one: data: { b: … }"),
        WrongFile(
            #"{ id: "t", events: { code: { payload: { a: { type: "integer" }, b: { type: "integer", optional: true } } } }, states: { a: { entry: { raise: { event: "code", data: { a: "1 + 1" } } }, on: { code: "a" } } } }"#
        ),
    ])
    func `A raised event without a field that the catalogue requires gets a warning`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }
}
