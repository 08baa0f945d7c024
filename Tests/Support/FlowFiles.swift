// Flows that tests give as the text of a flow file.

import GameFlow
import Statecharts

extension FlowKind {
    /// Returns the flow of a file with this text. Throws if the text has errors, which the test's failure shows.
    package static func chart(text: String) throws -> FlowKind {
        let file = FlowFile(bytes: Array(text.utf8), path: "test.json5")
        guard let definition = file.definition else { throw FlowFileError(description: "\(file.report)") }
        return try .chart(definition)
    }
}

/// The errors of a flow file's text. TestSupport is in programs as well, such as the benchmarks, which have no Testing.
private struct FlowFileError: Error, CustomStringConvertible {
    let description: String
}

/// The text of a flow that counts in Lua, has a timer in each state, and stores a word that it is sent.
package let counterFlow = """
    { id: "counter", context: { n: { type: "integer", default: 1 }, words: { type: "string", default: "" } }, initial: "up",
      events: { add: { payload: { by: { type: "integer" } } }, say: { payload: { text: { type: "string" } } } },
      states: {
        up: { after: { "10s": { name: "turn", target: "down" } }, on: {
          add: { actions: { assign: { n: "n * 2 + event.by" } } },
          say: { actions: { assign: { words: "string.upper(event.text)" } } },
        }, view: { title: "{{ n }}" } },
        down: { after: { "5s": { name: "rest", target: "up", actions: { assign: { n: "n + 100" } } } } },
      } }
    """
