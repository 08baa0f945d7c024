// W3C's tests of how transitions are selected and taken: 3.13.

extension W3CTest {
    static let selection: [W3CTest] = [
        W3CTest(
            "403a", "a child's transition comes before its parent's, and the first in document order before others",
            initial: "s0",
            [
                .compound(
                    "s0", initial: "s01", on: ["event1": [.fails], "event2": [.passes]],
                    [
                        .atomic("s01", entry: [raise("event1")], on: ["event1": [.to("s02")], "*": [.fails]]),
                        .atomic(
                            "s02", entry: [raise("event2")], on: ["event1": [.fails], "event2": [.to("fail", when: "false")]]),
                    ])
            ]),
        W3CTest(
            "403b", "a transition that several regions enable is taken once", variables: ["v"], initial: "s0",
            [
                .compound(
                    "s0", initial: "p0", on: ["event1": [.stay(count("v"))]],
                    [
                        .parallel(
                            "p0", entry: [raise("event1"), raise("event2")], on: ["event1": [.stay(count("v"))]],
                            [.atomic("p0s1", on: ["event2": .passes(when: "v == 1")]), .atomic("p0s2")])
                    ])
            ]),
        W3CTest(
            "403c", "of transitions in conflict one is taken, and those without targets conflict with none", variables: ["v"],
            initial: "s0",
            [
                .compound(
                    "s0", initial: "p0", entry: [raise("event1")], on: ["event2": [.fails]],
                    [
                        .parallel(
                            "p0",
                            [
                                .atomic("p0s1", on: ["event1": [.stay()], "event2": [.stay()]]),
                                .atomic("p0s2", on: ["event1": [.to("p0s1", actions: [raise("event2")])]]),
                                .atomic("p0s3", on: ["event1": [.fails], "event2": [.to("s1")]]),
                                .atomic("p0s4", on: ["*": [.stay(count("v"))]]),
                            ])
                    ]), .atomic("s1", always: .passes(when: "v == 2")),
            ]),
        W3CTest(
            "404", "children are left before parents, in reverse document order, and before the transition's actions",
            initial: "s0",
            [
                .compound(
                    "s0", initial: "s01p",
                    [
                        .parallel(
                            "s01p", exit: [raise("event3")], always: [.to("s02", actions: [raise("event4")])],
                            [.atomic("s01p1", exit: [raise("event2")]), .atomic("s01p2", exit: [raise("event1")])]),
                        .atomic("s02", on: ["event1": [.to("s03")], "*": [.fails]]),
                        .atomic("s03", on: ["event2": [.to("s04")], "*": [.fails]]),
                        .atomic("s04", on: ["event3": [.to("s05")], "*": [.fails]]),
                        .atomic("s05", on: ["event4": [.passes], "*": [.fails]]),
                    ])
            ]),
        W3CTest(
            "405", "the actions of transitions run in document order, after the exits", initial: "s0",
            [
                .compound(
                    "s0", initial: "s01p",
                    [
                        .parallel(
                            "s01p", on: ["event1": [.to("s02")]],
                            [
                                region("s01p1", leaving: "event2", moving: "event3"),
                                region("s01p2", leaving: "event1", moving: "event4"),
                            ]), .atomic("s02", on: ["event2": [.to("s03")], "*": [.fails]]),
                        .atomic("s03", on: ["event3": [.to("s04")], "*": [.fails]]),
                        .atomic("s04", on: ["event4": [.passes], "*": [.fails]]),
                    ])
            ]),
        W3CTest(
            "406", "states are entered parents first, in document order, after the transition's actions", initial: "s0",
            [
                .compound(
                    "s0", initial: "s01",
                    [
                        .atomic("s01", always: [.to("s0p2", actions: [raise("event1")])]),
                        .parallel(
                            "s0p2", entry: [raise("event2")], on: ["event1": [.to("s03")]],
                            [.atomic("s01p21", entry: [raise("event3")]), .atomic("s01p22", entry: [raise("event4")])]),
                        .atomic("s03", on: ["event2": [.to("s04")], "*": [.fails]]),
                        .atomic("s04", on: ["event3": [.to("s05")], "*": [.fails]]),
                        .atomic("s05", on: ["event4": [.passes], "*": [.fails]]),
                    ])
            ]),
        W3CTest(
            "407", "a state that is left runs its exit actions", variables: ["v"], initial: "s0",
            [.atomic("s0", exit: [count("v")], always: [.to("s1")]), .atomic("s1", always: .passes(when: "v == 1"))]),
        W3CTest(
            "409", "a state that was left is not active when its parent is left", initial: "s0", steps: [.send("timeout", nil)],
            [
                .compound(
                    "s0", initial: "s01", on: ["timeout": [.passes], "event1": [.fails]],
                    [
                        .compound(
                            "s01", initial: "s011", exit: [.choose("state('s0.s01.s011')", then: [raise("event1")])],
                            [.atomic("s011", always: [.to("s02")])]), .atomic("s02"),
                    ])
            ]),
        W3CTest(
            "411", "a state is active when its entry actions run, and its children are not yet", initial: "s0",
            [
                .compound(
                    "s0", initial: "s01", entry: [.choose("state('s0.s01')", then: [raise("event1")])],
                    on: ["event1": [.fails], "event2": [.passes]],
                    [.atomic("s01", entry: [.choose("state('s0.s01')", then: [raise("event2")])])])
            ]),
        W3CTest(
            "412", "the actions of an initial transition run after the entry of its state, and before those of the children",
            initial: "s0",
            [
                .compound(
                    "s0", initial: "s01", on: ["event1": [.fails], "event2": [.passes]],
                    [
                        .compound(
                            "s01", initial: "s011", initialActions: [raise("event2")], entry: [raise("event1")],
                            [.atomic("s011", entry: [raise("event3")], always: [.to("s02")])]),
                        .atomic("s02", on: ["event1": [.to("s03")], "*": [.fails]]),
                        .atomic("s03", on: ["event2": [.to("s04")], "*": [.fails]]),
                        .atomic("s04", on: ["event3": [.passes], "*": [.fails]]),
                    ])
            ]),
        W3CTest(
            "419", "transitions without an event come before events", initial: "s1",
            [.atomic("s1", entry: [raise("internalEvent")], on: ["*": [.fails]], always: [.passes])]),
        W3CTest(
            "421", "internal events that nothing takes are dropped until one is taken", initial: "s1",
            [
                .compound(
                    "s1", initial: "s11",
                    entry: [
                        raise("internalEvent1"), raise("internalEvent2"), raise("internalEvent3"), raise("internalEvent4"),
                    ], on: ["externalEvent": [.fails]],
                    [
                        .atomic("s11", on: ["internalEvent3": [.to("s12")]]),
                        .atomic("s12", on: ["internalEvent4": [.passes]]),
                    ])
            ]),
        W3CTest(
            "423", "external events that nothing takes change nothing", initial: "s0",
            steps: [.send("externalEvent1", nil), .send("externalEvent2", nil)],
            [
                .atomic("s0", entry: [raise("internalEvent")], on: ["internalEvent": [.to("s1")], "*": [.fails]]),
                .atomic("s1", on: ["externalEvent2": [.passes], "internalEvent": [.fails]]),
                .atomic("never", on: ["externalEvent1": [.fails]]),
            ]),
    ]

    private static func region(_ key: String, leaving: String, moving: String) -> StateSketch {
        .compound(
            key, initial: key + "1",
            [
                .atomic(key + "1", exit: [raise(leaving)], always: [.to(key + "2", actions: [raise(moving)])]),
                .atomic(key + "2"),
            ])
    }
}
