// Watching for programs and files: a line for everything that happens.

import Client
import Glibc
import Texts

struct WatchLines {
    private let output: Output
    private let links: WatchLinks
    private let pattern: String

    init(_ context: CommandContext, pattern: String) throws(ControlError) {
        output = context.output
        self.pattern = pattern
        links = try WatchLinks(context.daemon) { daemon throws(ControlError) in
            _ = try daemon.askHere(["PSUBSCRIBE", "session:" + pattern])
        }
    }

    /// Until a signal ends it, or nobody reads its lines any more.
    func run() throws(ControlError) {
        if !output.isJSON {
            let sessions = pattern == "*" ? "all sessions" : "sessions that match '\(pattern.shortened)'"
            output.remark("waiting for events of \(sessions)")
        }
        while links.wait(output: STDOUT_FILENO) {
            for (node, event) in try links.events() { try write(event, of: node) }
        }
    }

    private func write(_ event: WatchLink.Event, of node: DaemonClient) throws(ControlError) {
        let place = "the daemon at \(node.address)"
        switch event {
        case .news(.happened(let message)): try output.writeLine(output.isJSON ? message.json.description : message.line)
        case .news(.view): break
        case .lost: output.remark("\(place) has closed the connection; waiting until it is back")
        case .back(let duration):
            output.remark("\(place) is back after \(BriefDuration.text(duration)); its history tells what happened meanwhile")
        }
    }
}
