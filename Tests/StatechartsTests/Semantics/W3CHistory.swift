// W3C's tests of history states: 3.10 <history>.

extension W3CTest {
    static let histories: [W3CTest] = [
        W3CTest(
            "387", "before its parent was visited, a history state stands for its default", initial: "s3",
            [
                family("s0", on: ["entering.s011": [.to("s4")], "*": [.fails]]),
                family("s1", on: ["entering.s122": [.passes], "*": [.fails]]),
                .atomic("s3", always: [.to("s0HistShallow")]), .atomic("s4", always: [.to("s1HistDeep")]),
            ]),
        W3CTest(
            "388", "after that, it stands for what was active", variables: ["v"], initial: "s012",
            [
                family(
                    "s0", entry: [count("v")],
                    on: [
                        "entering.s012": [.to("s1", when: "v == 1"), .to("s2", when: "v == 2")],
                        "entering.s011": [.to("fail", when: "v == 2"), .to("pass", when: "v == 3")],
                        "entering.*": [.to("fail", when: "v == 2"), .to("fail", when: "v == 3")],
                    ]), .atomic("s1", always: [.to("s0HistDeep")]), .atomic("s2", always: [.to("s0HistShallow")]),
            ]),
        W3CTest(
            "579", "the actions of a history's default run after those of the entry and of the initial transition",
            variables: ["v"], initial: "s0", steps: [.send("timeout", nil)],
            [
                .compound(
                    "s0", initial: "sh1", initialActions: [raise("event2")], entry: [raise("event1")], exit: [count("v")],
                    [
                        .history("sh1", "s01", actions: [raise("event3")]),
                        .atomic("s01", on: ["event1": [.to("s02")], "*": [.fails]]),
                        .atomic("s02", on: ["event2": [.to("s03")], "*": [.fails]]),
                        .atomic(
                            "s03",
                            on: [
                                "event3": [.to("s0", when: "v == 0"), .fails], "event1": [.to("s2", when: "v == 1"), .fails],
                                "*": [.fails],
                            ]),
                    ]), .atomic("s2", on: ["event2": [.to("s3")], "*": [.fails]]),
                .atomic("s3", on: ["event3": [.fails], "timeout": [.passes]]),
            ]),
        W3CTest(
            "580", "a history state is never active itself", variables: ["v"], initial: "p1",
            [
                .parallel(
                    "p1",
                    [
                        .atomic("s0", always: [.to("fail", when: "state('p1.s1.sh1')")]),
                        .compound(
                            "s1", initial: "sh1", exit: [count("v")],
                            always: [
                                .to("fail", when: "state('p1.s1.sh1')"), .to("sh1", when: "v == 0"),
                                .to("pass", when: "v == 1"),
                            ],
                            [
                                .history("sh1", "s11"),
                                .atomic("s11", always: [.to("fail", when: "state('p1.s1.sh1')"), .to("s12")]), .atomic("s12"),
                            ]),
                    ])
            ]),
    ]

    /// A state with two times two states in it, each of which logs its entry, and two history states.
    private static func family(_ key: String, entry: [ActionSketch] = [], on: Handlers) -> StateSketch {
        let children = ["1", "2"].map { child in
            StateSketch.compound(
                key + child, initial: key + child + "1",
                ["1", "2"].map { .atomic(key + child + $0, entry: [raise("entering." + key + child + $0)]) })
        }
        return .compound(
            key, initial: key + "1", entry: entry, on: on,
            [
                .history(key + "HistShallow", key == "s0" && !entry.isEmpty ? "s02" : key + "1"),
                .history(key + "HistDeep", isDeep: true, key + "22"),
            ] + children)
    }
}
