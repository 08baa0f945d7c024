// Denials in the log: each once, and a sum a minute later.

import Logging
import RESP
import Texts

/// At most `maxCount` different denials are told apart; the log's own budget limits them all.
package final class DenialLog {
    private struct Denial: Hashable {
        let who: String
        let what: String
    }

    private static let maxCount = 256
    private static let minute = 60_000

    private unowned let host: Host
    /// How often each has come again since it was told.
    private var repeats: [Denial: Int] = [:]
    private var others = 0
    /// Ends the minute.
    private var end: AnyObject?

    init(of host: Host) { self.host = host }

    /// A client was refused a command.
    func record(_ error: CommandError, by client: Client, _ command: String) {
        let isUnknown = error.code == .notAuthenticated
        let who = isUnknown ? client.endpoint?.machine ?? client.address : client.actor ?? client.grant.name
        record(error, to: who, isUnknown ? "what takes a token" : command, at: client.address)
    }

    /// `who` is a user's name, or the machine that the user connects from.
    package func record(_ error: CommandError, to who: String, _ what: String, at address: String) {
        let denial = Denial(who: who, what: what)
        if let count = repeats[denial] { return repeats[denial] = count + 1 }
        guard repeats.count < Self.maxCount else { return others += 1 }
        repeats[denial] = 0
        host.log.write(.notice, provokedBy: .denied, "refused \(what) to \(who.shortened) (\(address)): \(error)")
        if end == nil { end = host.turns?.schedule(after: Self.minute) { [unowned self] in flush() } }
    }

    /// The minute is over.
    func flush() {
        end = nil
        for (denial, count) in repeats where count > 0 {
            host.log.write(
                .notice, provokedBy: .denied,
                "refused \(denial.what) to \(denial.who.shortened), and \(count) more in that minute")
        }
        if others > 0 {
            host.log.write(.notice, provokedBy: .denied, "refused \(others) more commands to others in that minute")
        }
        (repeats, others) = ([:], 0)
    }
}

extension CommandError {
    /// Whether the error depends on the sender, not on the request.
    var isDenial: Bool { code == .noPermission || code == .quota || code == .notAuthenticated }
}
