// The names of all sessions that match: found once for each connection, and followed by messages from then on.

import Client
import RESP

final class WatchedNames {
    private let pattern: String
    private(set) var all: Set<String> = []
    /// False on virtual time, where nothing runs down by itself.
    private(set) var timePasses = true

    init(matching pattern: String) {
        self.pattern = pattern
    }

    /// Messages that arrive while names are being found are told later, and are newer than what is found.
    func subscribe(to daemon: DaemonClient) throws(ControlError) {
        _ = try daemon.ask(["PSUBSCRIBE", "session:" + pattern])
        var found: Set<String> = []
        try daemon.scanSessions(match: pattern) { found.formUnion($0) }
        timePasses = try daemon.ask(["CLOCK"])["clock"]?.text != "virtual"
        all = found
    }

    func apply(_ message: WatchMessage) {
        if message.what == .dropped { forget(message.session) } else { all.insert(message.session) }
    }

    func forget(_ name: String) { all.remove(name) }
}
