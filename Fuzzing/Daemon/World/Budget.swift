// The bounds of the memory and the time that clients can make the daemon use.

import Statecharts
@testable import Commands
@testable import GameDaemon
import Slowness

enum Budget {
    /// The bytes of one reply or one message beyond a limit.
    private static let slack = 1 << 20

    /// Nanoseconds of CPU time: no request makes others wait for longer. Others are served between commands.
    private static let longestWait = 20_000_000
    private static let factor = Slowness.measure()
    /// The longest piece of work so far, in nanoseconds.
    nonisolated(unsafe) private(set) static var longest = 0

    /// Runs a piece of work after which other clients are served.
    static func serve(_ what: @autoclosure () -> String, _ body: () throws(Fault) -> Void) throws(Fault) {
        try check(ThreadTime.taken(by: body), what())
    }

    static func check(_ time: Int, _ what: @autoclosure () -> String) throws(Fault) {
        longest = max(longest, time)
        guard time > longestWait else { return }
        try promise(
            Double(time) <= Double(longestWait) * factor,
            "\(what()) kept others waiting for \(time / 1_000) us of CPU time; the bound is 20 ms times \(factor)")
    }

    static func check(_ client: ByteClient, _ limits: Limits) throws(Fault) {
        try promise(client.heldInput <= limits.requestBytes + slack, "\(client.heldInput) bytes of input are held")
        try promise(
            client.output.count <= max(limits.pauseBytes, limits.outputBytes) + slack,
            "\(client.output.count) bytes wait to be sent")
        // Buffers grow to twice the needed size.
        let most = 2 * (client.heldInput + client.output.count) + slack
        try promise(client.footprint <= most, "a client holds \(client.footprint) bytes; \(most) should do")
    }

    static func check(_ daemon: Daemon) throws(Fault) {
        var timers = 0
        for session in daemon.sessions.all {
            let own = session.machine.timers
            timers += own.count { $0.deadline != nil }
            // One more for a session that expires.
            if session.expiry?.isFrozen == false { timers += 1 }
            // Sessions of flow files have delayed events, too.
            let most = session.machine.kind.origin == nil ? 2 : session.machine.kind.timers.count + ChartBounds.delayedEvents
            try promise(own.count <= most, "'\(session.name)' has \(own.count) timers")
        }
        try promise(
            daemon.timekeeper.armedCount == timers, "\(daemon.timekeeper.armedCount) timers run, and sessions have \(timers)")
    }
}
