// W3C's tests of states: 3.2 <scxml>, 3.3 <state>, 3.7 <final>, 3.10 <history>.

extension W3CTest {
    static let states: [W3CTest] = [
        W3CTest(
            "364", "a compound state is entered with its initial states", initial: "s1",
            [
                .compound("s1", initial: "s11p112 s11p122", [twoRegions("s11", leadingTo: "s2")]),
                .compound("s2", initial: "s21p112 s21p122", [twoRegions("s21", leadingTo: "s3")]),
                .compound("s3", initial: "s31", [.compound("s31", initial: "s311", [.atomic("s311", always: [.passes])])]),
            ]),
        W3CTest(
            "576", "the root's initial states are entered, however deep they are", initial: "s11p112 s11p122",
            [
                .atomic("s0", always: [.fails]),
                .compound("s1", initial: "s11", [twoRegions("s11", leadingTo: "pass")]),
            ]),
        W3CTest(
            "413", "the machine begins in the configuration that the root's initial states ask for", initial: "s2p112 s2p122",
            [
                .atomic("s1", always: [.fails]),
                .compound(
                    "s2", initial: "s2p1",
                    [
                        .parallel(
                            "s2p1", always: [.fails],
                            [
                                .compound(
                                    "s2p11", initial: "s2p111",
                                    [
                                        .atomic("s2p111", always: [.fails]),
                                        .atomic("s2p112", always: [.to("pass", when: "state('s2.s2p1.s2p12.s2p122')")]),
                                    ]),
                                .compound(
                                    "s2p12", initial: "s2p121",
                                    [
                                        .atomic("s2p121", always: [.fails]),
                                        .atomic("s2p122", always: [.to("pass", when: "state('s2.s2p1.s2p11.s2p112')")]),
                                    ]),
                            ])
                    ]),
            ]),
        W3CTest(
            "372", "a state is done after the entry actions of its final child", variables: ["v"], initial: "s0",
            [
                .compound(
                    "s0", initial: "s0final", on: ["done.state.s0": .passes(when: "v == 2"), "*": [.fails]],
                    [StateSketch.final("s0final", entry: [.assign("v", "2")]).with(\.exit, [.assign("v", "3")])])
            ]),
        W3CTest(
            "570", "a parallel state is done right after the last of its regions", variables: ["v"], initial: "p0",
            [
                .parallel(
                    "p0", entry: [raise("e1"), raise("e2")],
                    on: ["done.state.p0.p0s1": [.stay(.assign("v", "1"))], "done.state.p0.p0s2": [.to("s1")]],
                    [
                        .compound(
                            "p0s1", initial: "p0s11",
                            [.atomic("p0s11", on: ["e1": [.to("p0s1final")]]), .final("p0s1final")]),
                        .compound(
                            "p0s2", initial: "p0s21",
                            [.atomic("p0s21", on: ["e2": [.to("p0s2final")]]), .final("p0s2final")]),
                    ]),
                .atomic("s1", on: ["done.state.p0": .passes(when: "v == 1"), "*": [.fails]]),
            ]),
        W3CTest(
            "416", "a compound state whose final child is entered is done", initial: "s1",
            [
                .compound(
                    "s1", initial: "s11",
                    [
                        .compound(
                            "s11", initial: "s111", on: ["done.state.s1.s11": [.passes]],
                            [.atomic("s111", always: [.to("s11final")]), .final("s11final")])
                    ])
            ]),
        W3CTest(
            "417", "a parallel state all of whose regions are done is done", initial: "s1",
            [
                .compound(
                    "s1", initial: "s1p1",
                    [
                        .parallel(
                            "s1p1", on: ["done.state.s1.s1p1": [.passes]],
                            [
                                .compound(
                                    "s1p11", initial: "s1p111",
                                    [.atomic("s1p111", always: [.to("s1p11final")]), .final("s1p11final")]),
                                .compound(
                                    "s1p12", initial: "s1p121",
                                    [.atomic("s1p121", always: [.to("s1p12final")]), .final("s1p12final")]),
                            ])
                    ])
            ]),
    ]

    /// A compound state with a parallel one, whose second child in each region determines the next state.
    private static func twoRegions(_ key: String, leadingTo target: String) -> StateSketch {
        .compound(
            key, initial: "\(key)1",
            [
                .atomic("\(key)1"),
                .parallel(
                    "\(key)p1",
                    [
                        .compound(
                            "\(key)p11", initial: "\(key)p111",
                            [.atomic("\(key)p111"), .atomic("\(key)p112", entry: [raise("in.\(key)p112")])]),
                        .compound(
                            "\(key)p12", initial: "\(key)p121",
                            [.atomic("\(key)p121"), .atomic("\(key)p122", on: ["in.\(key)p112": [.to(target)]])]),
                    ]),
            ])
    }
}
