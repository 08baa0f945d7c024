// `gamectl watch`: sessions, live.

import Client

extension Subcommand {
    static let watch = Subcommand(
        .sessions, syntax: "watch [GLOB]", summary: "Shows sessions live, with the time left on their timers.",
        details: """
            On a terminal it fills the screen: the arrow keys or j and k scroll, q or ctrl-C ends it. Otherwise it prints a line \
            for everything that happens, refusals included; with --json, the daemon's message. If the daemon ends, it waits \
            until one listens there again, and goes on. In a cluster, lines are of all nodes, and the screen of the one that is asked.
            """,
        examples: ["gamectl watch", "gamectl watch 'room-*'", "gamectl watch --json | jq .to"], words: 0...1
    ) { context, call throws(ControlError) in
        let pattern = call.words.first ?? "*"
        if context.output.isTerminal, !context.output.isJSON {
            try WatchScreen(context, pattern: pattern).run()
        } else {
            try WatchLines(context, pattern: pattern).run()
        }
        return .accepted
    }
}
