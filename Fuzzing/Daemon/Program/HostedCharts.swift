// Flow files that the fuzzed daemon hosts beside its own flows. Small ones have everything that a chart remembers. An input chooses
// the size of another one.

import Statecharts
import Synchronization

enum HostedCharts {
    /// Small ones, which every daemon hosts.
    static let small = [stage, clocks].map { read($0) }

    /// Reading takes longer than a program does.
    private static let sized = Mutex<[ChartSize: ChartDefinition]>([:])

    static func definitions(_ size: ChartSize) -> [ChartDefinition] {
        small + [
            sized.withLock { known in
                let definition = known[size] ?? read(size.text)
                known[size] = definition
                return definition
            }
        ]
    }

    /// The definition of a file without errors.
    private static func read(_ text: String) -> ChartDefinition {
        let file = FlowFile(bytes: Array(text.utf8), path: "fuzz.json5")
        guard let definition = file.definition else { fatalError("the fuzzer's own flow file has errors: \(file.report)") }
        return definition
    }

    /// Parallel regions, deep and shallow history, a context, timers with milestones and computed lengths, delayed events.
    private static let stage = """
        {
          id: "stage",
          context: {
            rounds: 0,
            seconds: { type: "integer", minimum: 0, maximum: 90, default: 5 },
            said: "",
            marks: { type: "array", default: [] },
          },
          events: {
            open: {}, close: {}, next: {}, back: {}, later: {}, forget: {}, jump: {}, dim: { from: [] },
            say: { payload: { text: { type: "string", maxLength: 40 } } },
            set: { payload: { seconds: { type: "integer" } } },
          },
          initial: "closed",
          on: {
            say: { actions: { assign: { said: "event.text", marks: "{ said, event.text }" } } },
            set: { actions: { assign: { seconds: "event.seconds" } } },
            jump: { target: ["#loud", "#red"] },
          },
          states: {
            closed: {
              on: { open: "show", back: "show.asBefore" },
            },
            show: {
              type: "parallel",
              after: {
                "1m": { name: "show", target: "closed", milestones: { "30s": { raise: "next" }, "5s": { emit: "bell" } } },
              },
              on: {
                close: "closed",
                later: { raise: { event: "dim", delay: "12s", id: "later", data: { round: "rounds" } } },
                forget: { cancel: "later" },
              },
              onDone: { target: "closed", actions: { assign: { rounds: "rounds + 1" } } },
              states: {
                asBefore: { type: "history", history: "deep" },
                music: {
                  initial: "off",
                  states: {
                    off: {
                      entry: { if: "rounds > 3", then: { assign: { rounds: 0 } }, else: { log: "said" } },
                      on: { next: "on" },
                    },
                    on: {
                      initial: "soft",
                      on: { next: "over" },
                      states: {
                        soft: {
                          every: { "7s": { name: "blink", actions: { assign: { rounds: "rounds + 1" } } } },
                          on: { back: "loud" },
                        },
                        loud: { id: "loud", on: { back: "last" } },
                        last: { type: "history", target: "soft" },
                      },
                    },
                    over: { type: "final" },
                  },
                },
                lamp: {
                  initial: "white",
                  states: {
                    white: { after: { "5s": { name: "lamp", delay: "seconds * 1000", restart: "freeze", target: "red" } } },
                    red: {
                      id: "red",
                      on: { dim: "dark", back: "white", later: { extend: { timer: "show", by: "20s" } } },
                      always: { guard: "rounds > 5", target: "dark" },
                    },
                    dark: { type: "final" },
                  },
                },
              },
            },
          },
        }
        """

    /// Timers of regions and of the whole, which are paused and extended by events, and periods that raise delayed events.
    private static let clocks = """
        {
          id: "clocks",
          type: "parallel",
          context: { left: 3, name: "x" },
          on: {
            pause: [{ guard: "left > 0", actions: [{ pause: "main" }, { assign: { left: "left - 1" } }] }],
            resume: { resume: "main" },
          },
          after: {
            "40s": { name: "main", restart: "keep", milestones: { "39s": { emit: "begun" }, "20s": { raise: "half" } } },
          },
          states: {
            a: {
              initial: "one",
              states: {
                one: { after: { "10s": { name: "one", target: "two" } }, on: { go: "two" } },
                two: {
                  every: { "3s": { name: "two", actions: { raise: { event: "half", delay: "1s" } } } },
                  on: { go: "one", half: "one" },
                },
                before: { type: "history", id: "before", target: "two" },
              },
            },
            b: {
              initial: "one",
              states: {
                one: {
                  on: {
                    go: { target: "two", guard: "left > 1" },
                    half: { actions: { extend: { timer: "main", by: "remaining('main') // 2" } } },
                  },
                },
                two: { on: { go: "one", back: "#before" } },
              },
            },
          },
        }
        """
}
