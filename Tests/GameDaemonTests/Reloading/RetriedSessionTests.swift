// RETRY and DROP of a session that is set aside: what others get of it.

import BuiltInFlows
import GameFlow
import RESP
import TestSupport
import Testing

@testable import Commands
@testable import GameDaemon
@testable import Logging
@testable import Sessions

@Suite struct `A session that RETRY restores` {
    /// A daemon with a session that is set aside, and could be restored.
    private func daemon() throws -> ReloadingDaemon {
        let daemon = try ReloadingDaemon([ReloadingDaemon.old(), .flow(Turns.self)])
        daemon.run("NEW room shop", "NEW other turns")
        daemon.reload(gone: ["shop"])
        daemon.stepped.daemon.host.limits.sessions = 1
        let report = daemon.reload([ReloadingDaemon.old()])
        #expect(report == ["shop: new, 1 session is set aside: limit of 1 sessions reached"])
        daemon.stepped.daemon.host.limits.sessions = 10
        return daemon
    }

    private func views(_ daemon: ReloadingDaemon, by line: String) -> [String] {
        let replies = daemon.client.run(line.split(separator: " ").map(String.init))
        daemon.stepped.daemon.host.subscriptions.endTurn()
        return (replies + daemon.client.takeReplies()).compactMap { reply in
            guard case .push(let parts) = reply, parts.first?.text?.hasSuffix("message") == true else { return nil }
            return parts.last?.text
        }
    }

    @Test(arguments: ["SUBSCRIBE view:room", "PSUBSCRIBE view:room*"])
    func `Subscribers get the view of a session that RETRY restores`(subscription: String) throws {
        let daemon = try daemon()
        let before = views(daemon, by: subscription)
        #expect(before == (subscription.hasPrefix("P") ? [] : ["null"]))
        let after = views(daemon, by: "RETRY room")
        #expect(after.count == 1 && after[0].contains(#""session":"room","flow":"shop","state":"closed""#), "\(after)")
    }
}

@Suite struct `A set-aside session that is dropped` {
    @Test func `The drop of a set-aside session is in the log at level debug, as that of any other`() throws {
        final class Lines { var all: [String] = [] }
        let lines = Lines()
        let log = Log(level: .notice, style: .dated) { line in
            lines.all.append(String(decoding: line, as: UTF8.self))
            return true
        }
        let daemon = try ReloadingDaemon(log: log)
        daemon.run("CONFIG SET log debug", "NEW room shop")
        daemon.reload(gone: ["shop"])
        #expect(daemon.say("DROP room").integer == 1)
        let last = try #require(lines.all.last { $0.contains("'room' was dropped by ") }, "\(lines.all)")
        #expect(last.hasSuffix(", and is in closed\n"), "\(last)")
    }
}
