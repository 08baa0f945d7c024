// Watching for programs and files: a line for each change.

struct WatchLines {
    private let control: Control
    private let feed: WatchFeed

    init(_ control: Control, pattern: String) throws(ControlError) {
        self.control = control
        feed = try WatchFeed(control, pattern: pattern)
    }

    /// Until somebody ends it, or the daemon ends.
    func run() throws(ControlError) {
        while true {
            feed.wait()
            let news = try feed.news()
            try control.output.say(lines: news.map { control.output.isJSON ? $0.json.description : $0.line })
        }
    }
}
