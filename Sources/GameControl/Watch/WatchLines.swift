// Watching for programs and files: a line for each change.

import GameClient

struct WatchLines {
    private let output: Output
    private let feed: WatchFeed

    init(_ context: CommandContext, pattern: String) throws(ControlError) {
        output = context.output
        feed = try WatchFeed(context.daemon, pattern: pattern)
    }

    /// Until a signal ends it, or the daemon ends.
    func run() throws(ControlError) {
        while true {
            feed.wait()
            let news = try feed.news()
            try output.say(lines: news.map { output.isJSON ? $0.json.description : $0.line })
        }
    }
}
