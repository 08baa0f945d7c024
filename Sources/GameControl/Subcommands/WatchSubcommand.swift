// `gamectl watch`: sessions as they live.

extension Subcommand {
    static let watch = Subcommand(
        .sessions, syntax: "watch [GLOB]", summary: "Shows sessions live, with what is left of their timers.",
        details: """
            On a terminal it fills the screen: arrows or j and k scroll, q or ctrl-C ends it. Elsewhere it prints a line for each \
            change, and for each session that begins or is dropped; with --json, the daemon's message.
            """,
        examples: ["gamectl watch", "gamectl watch 'room-*'", "gamectl watch --json | jq .to"], words: 0...1
    ) { control, call throws(ControlError) in
        let pattern = call.words.first ?? "*"
        if control.output.isTerminal, !control.output.isJSON {
            try WatchScreen(control, pattern: pattern).run()
        } else {
            try WatchLines(control, pattern: pattern).run()
        }
        return .accepted
    }
}
