// `--expire FLOW=DURATION[:drop|restart]`.

import Client
import Posix
import Sessions
import Texts
import Timers

extension Options {
    mutating func addExpiry(_ value: String) throws(UsageError) {
        let rule = try ExpiryRule(option: value)
        guard !expiries.contains(where: { $0.flow == rule.flow }) else {
            throw UsageError(of: "--expire", "names the flow '\(rule.flow.shortened)' twice; its sessions expire by one rule")
        }
        expiries.append(rule)
    }
}

extension ExpiryRule {
    /// Drops the session, unless the option restarts it.
    init(option text: String) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw UsageError(
                of: "--expire",
                "is FLOW=DURATION, FLOW=DURATION:drop or FLOW=DURATION:restart, like kiosk=10m:restart, not '\(text.shortened)'"
            )
        }
        let words = parts[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let length = Duration(text: words[0]) else {
            throw UsageError(of: "--expire", "\(parts[0].shortened): \(Duration.complaint(about: words[0].shortened))")
        }
        guard length >= Self.minDuration else {
            throw UsageError(
                of: "--expire",
                "\(parts[0].shortened): '\(words[0].shortened)' is \(length.written); a session lives for \(Self.minDuration.written) at least"
            )
        }
        let subject = "\(parts[0].shortened): the action "
        let action: Action = words.count == 1 ? .drop : try Action(named: words[1], option: "--expire", subject: subject)
        self.init(flow: parts[0], length: length, action: action)
    }

    /// For the start's lines.
    var sentence: String { "\(flow) (\(action == .drop ? "dropped" : "restarted") after \(length.written))" }
}
