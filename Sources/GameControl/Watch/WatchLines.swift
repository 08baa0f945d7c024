// Watching for programs and files: a line for everything that happens.

import GameClient
import Glibc

struct WatchLines {
    private let output: Output
    private let link: WatchLink
    private let place: String

    init(_ context: CommandContext, pattern: String) throws(ControlError) {
        output = context.output
        place = "the daemon at \(context.daemon.address)"
        link = try WatchLink(context.daemon) { daemon throws(ControlError) in
            _ = try daemon.ask(["PSUBSCRIBE", "session:" + pattern])
        }
    }

    /// Until a signal ends it, or nobody reads its lines any more.
    func run() throws(ControlError) {
        while link.wait(output: STDOUT_FILENO) {
            for event in try link.events() { try tell(event) }
        }
    }

    private func tell(_ event: WatchLink.Event) throws(ControlError) {
        switch event {
        case .news(.happened(let message)): try output.say(output.isJSON ? message.json.description : message.line)
        case .news(.view): break
        case .lost: output.remark("\(place) has closed the connection; waiting until it is back")
        case .back(let duration):
            output.remark("\(place) is back after \(BriefDuration.text(duration)); its history tells what happened meanwhile")
        }
    }
}
