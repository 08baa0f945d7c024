// W3C's tests of actions: 3.8 <onentry>, 3.9 <onexit>, 4 Executable Content, 3.12 Events.

extension W3CTest {
    static let actions: [W3CTest] = [
        W3CTest(
            "144", "raised events are handled in the order in which they were raised", initial: "s0",
            [
                .atomic("s0", entry: [raise("foo"), raise("bar")], on: ["foo": [.to("s1")], "*": [.fails]]),
                .atomic("s1", on: ["bar": [.passes], "*": [.fails]]),
            ]),
        W3CTest(
            "147", "the first branch whose condition is true is run", variables: ["v"], initial: "s0",
            [
                .atomic(
                    "s0",
                    entry: [
                        .choose(
                            "false", then: [raise("foo"), count("v")],
                            otherwise: [
                                .choose("true", then: [raise("bar"), count("v")], otherwise: [raise("baz"), count("v")])
                            ]), raise("bat"),
                    ], on: ["bar": .passes(when: "v == 1"), "*": [.fails]])
            ]),
        W3CTest(
            "148", "without a true condition, else is run", variables: ["v"], initial: "s0",
            [
                .atomic(
                    "s0",
                    entry: [
                        .choose(
                            "false", then: [raise("foo"), count("v")],
                            otherwise: [
                                .choose("false", then: [raise("bar"), count("v")], otherwise: [raise("baz"), count("v")])
                            ]), raise("bat"),
                    ], on: ["baz": .passes(when: "v == 1"), "*": [.fails]])
            ]),
        W3CTest(
            "149", "without a true condition and without else, nothing is run", variables: ["v"], initial: "s0",
            [
                .atomic(
                    "s0",
                    entry: [
                        .choose(
                            "false", then: [raise("foo"), count("v")],
                            otherwise: [.choose("false", then: [raise("bar"), count("v")])]), raise("bat"),
                    ], on: ["bat": .passes(when: "v == 0"), "*": [.fails]])
            ]),
        W3CTest(
            "158", "actions are run in document order", initial: "s0",
            [
                .atomic("s0", entry: [raise("event1"), raise("event2")], on: ["event1": [.to("s1")], "*": [.fails]]),
                .atomic("s1", on: ["event2": [.passes], "*": [.fails]]),
            ]),
        W3CTest(
            "375", "entry actions are run in document order", initial: "s0",
            [
                .atomic("s0", entry: [raise("event1"), raise("event2")], on: ["event1": [.to("s1")], "*": [.fails]]),
                .atomic("s1", on: ["event2": [.passes], "*": [.fails]]),
            ]),
        W3CTest(
            "377", "exit actions are run in document order", initial: "s0",
            [
                .atomic("s0", exit: [raise("event1"), raise("event2")], always: [.to("s1")]),
                .atomic("s1", on: ["event1": [.to("s2")], "*": [.fails]]),
                .atomic("s2", on: ["event2": [.passes], "*": [.fails]]),
            ]),
        // Not SCXML: there "foo" is for "foo.zoo" too. Here that is "foo.*".
        W3CTest(
            "399", "a descriptor matches whole words of a name", initial: "s0",
            [
                .compound(
                    "s0", initial: "s01",
                    [
                        .atomic("s01", entry: [raise("foo")], on: ["foo": [.to("s02")], "bar": [.to("s02")]]),
                        .atomic("s02", entry: [raise("bar")], on: ["foo": [.to("s03")], "bar": [.to("s03")]]),
                        .atomic("s03", entry: [raise("foo.zoo")], on: ["foo.*": [.to("s04")], "bar.*": [.fails]]),
                        .atomic("s04", entry: [raise("foos")], on: ["foo.*": [.fails], "foos": [.to("s05")]]),
                        .atomic("s05", entry: [raise("foo")], on: ["foo.*": [.to("s06")]]),
                        .atomic("s06", entry: [raise("foo")], on: ["*": [.passes]]),
                    ])
            ]),
    ]
}
