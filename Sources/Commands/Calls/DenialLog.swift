// Denials in the log: each once, and a sum a minute later.

import Logging
import RESP
import Texts

/// At most `maxCount` different denials are told apart; the log's own budget limits them all.
package final class DenialLog {
    private struct Denial: Hashable {
        let actor: String
        let request: String
    }

    private static let maxCount = 256
    private static let minute = 60_000

    private unowned let host: Host
    /// How often each has come again since it was logged.
    private var repeats: [Denial: Int] = [:]
    private var others = 0
    /// Ends the minute.
    private var end: AnyObject?

    init(of host: Host) { self.host = host }

    /// A client was refused a command.
    func record(_ error: CommandError, by client: Client, _ command: String) {
        let isUnknown = error.code == .notAuthenticated
        let actor = isUnknown ? client.endpoint?.machine ?? client.address : client.actor ?? client.grant.name
        record(error, to: actor, isUnknown ? "a request that needs a token" : command, at: client.address)
    }

    /// `actor` is a user's name, or the machine that the user connects from.
    package func record(_ error: CommandError, to actor: String, _ request: String, at address: String) {
        let denial = Denial(actor: actor, request: request)
        if let count = repeats[denial] { return repeats[denial] = count + 1 }
        guard repeats.count < Self.maxCount else { return others += 1 }
        repeats[denial] = 0
        host.log.write(.notice, provokedBy: .denied, "refused \(request) to \(actor.shortened) (\(address)): \(error)")
        if end == nil { end = host.turns?.schedule(after: Self.minute) { [unowned self] in flush() } }
    }

    /// Logs the repeats at the end of the minute.
    func flush() {
        end = nil
        for (denial, count) in repeats where count > 0 {
            host.log.write(
                .notice, provokedBy: .denied,
                "refused \(denial.request) to \(denial.actor.shortened), and \(count) more in that minute")
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
