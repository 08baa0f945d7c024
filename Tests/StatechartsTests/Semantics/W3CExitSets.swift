// W3C's tests of exit sets: 3.13, "external" and "internal" transitions.

extension W3CTest {
    static let exitSets: [W3CTest] = [
        W3CTest(
            "503", "a transition without targets leaves nothing", variables: ["left", "taken"], initial: "s1",
            [
                .atomic("s1", entry: [raise("foo"), raise("bar")], always: [.to("s2")]),
                .atomic(
                    "s2", exit: [count("left")],
                    on: ["foo": [.stay(count("taken"))], "bar": [.to("s3", when: "taken == 1"), .fails]]),
                .atomic("s3", always: .passes(when: "left == 1")),
            ]),
        W3CTest(
            "504", "an external transition leaves all below the least common compound ancestor",
            variables: ["p", "first", "second", "taken", "around"], initial: "s1",
            [
                .atomic("s1", entry: [raise("foo"), raise("bar")], always: [.to("p")]),
                .compound("s2", initial: "p", exit: [count("around")], [leaving(reenter: true)]),
                .atomic("s3", always: [.to("s4", when: "p == 2"), .fails]),
                .atomic("s4", always: [.to("s5", when: "first == 2 and second == 2"), .fails]),
                .atomic("s5", always: .passes(when: "around == 1")),
            ]),
        W3CTest(
            "505", "an internal transition of a compound state to its descendants does not leave it",
            variables: ["outer", "inner", "taken"], initial: "s1",
            [
                .compound(
                    "s1", initial: "s11", entry: [raise("foo"), raise("bar")], exit: [count("outer")],
                    on: [
                        "foo": [.to("s11", reenter: false, actions: [count("taken")])],
                        "bar": [.to("s2", when: "taken == 1"), .fails],
                    ], [.atomic("s11", exit: [count("inner")])]),
                .atomic("s2", always: .passes(when: "outer == 1 and inner == 2")),
            ]),
        W3CTest(
            "506", "an internal transition to anything else is as an external one", variables: ["outer", "inner", "taken"],
            initial: "s1",
            [
                .atomic("s1", entry: [raise("foo"), raise("bar")], always: [.to("s2")]),
                .compound(
                    "s2", initial: "s21", exit: [count("outer")],
                    on: [
                        "foo": [.to("s2", reenter: false, actions: [count("taken")])],
                        "bar": [.to("s3", when: "taken == 1"), .fails],
                    ], [.atomic("s21", exit: [count("inner")])]),
                .atomic("s3", always: .passes(when: "outer == 2 and inner == 2")),
            ]),
        W3CTest(
            "533", "an internal transition of a parallel state is as an external one",
            variables: ["p", "first", "second", "taken"], initial: "s1",
            [
                .atomic("s1", entry: [raise("foo"), raise("bar")], always: [.to("p")]), leaving(reenter: false),
                .atomic("s3", always: .passes(when: "p == 2 and first == 2 and second == 2")),
            ]),
    ]

    /// A parallel state that goes to one of its regions, and then away.
    private static func leaving(reenter: Bool) -> StateSketch {
        .parallel(
            "p", exit: [count("p")],
            on: [
                "foo": [.to("ps1", reenter: reenter, actions: [count("taken")])],
                "bar": [.to("s3", when: "taken == 1"), .fails],
            ], [.atomic("ps1", exit: [count("first")]), .atomic("ps2", exit: [count("second")])])
    }
}
