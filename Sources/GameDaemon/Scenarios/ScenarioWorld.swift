// Where a scenario happens: a daemon of its own in virtual time, with no socket, no file and nobody else.

import GameFlow
import RESP
import Timers

final class ScenarioWorld {
    private let daemon: Daemon
    private let client: LocalClient
    private let startup = StartupStandIns()
    /// Runs the flows' hooks and work, when it is told to.
    private let executor = ManualExecutor()
    /// The folder of the scenario's file: from there the paths in it count.
    private let folder: String

    init(besides path: String) throws {
        folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let loop = try Loop(Timekeeper(VirtualClock()))
        daemon = try Daemon(on: loop, flows: FlowType.builtIn(executor: executor, session: startup, authenticator: startup))
        // On the wire, too, an event that a client sends comes from the network.
        client = LocalClient(of: daemon, from: .network)
        daemon.whenTimeMoves = { [executor] in executor.run() }
    }

    deinit {
        // Work that still waits for something is cancelled with its session, and ends here.
        for session in daemon.sessions.all { _ = daemon.sessions.drop(session) }
        executor.run()
    }

    var now: Duration { Instant.zero.duration(to: daemon.timekeeper.now) }

    func machine(of session: String) -> AnyMachine? { daemon.sessions[session] }

    /// Carries a command out, with all that it brings about.
    func run(_ words: [String]) -> Reply {
        let replies = client.run(words)
        settle()
        let answer = replies.last { if case .push = $0 { false } else { true } }
        return answer ?? replies.last ?? .null
    }

    func follow(_ directive: StartupDirective) {
        startup.follow(directive)
    }

    /// Simulated devices from a file.
    func addDevices(path: String) throws(CommandError) {
        let file = path.hasPrefix("/") ? path : folder + path
        do throws(BluetoothFileError) {
            try daemon.bluetooth.load(file)
        } catch {
            throw CommandError("BADDEVICES", error.inOneLine)
        }
        settle()
    }

    /// Lets hooks and work do what they can do now, until nothing more comes of it.
    private func settle() {
        while executor.run() > 0 || daemon.timekeeper.hasDue { daemon.loop.settle() }
    }
}
