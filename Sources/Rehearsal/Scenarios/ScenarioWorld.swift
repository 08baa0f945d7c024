// Where a scenario happens: a daemon of its own in virtual time, with no socket, no file and nobody else.

import Commands
import Devices
import GameFlow
import RESP
import Sessions
import Timers

final class ScenarioWorld {
    private let host: Host
    private let devices: BluetoothSource
    private let client: LocalClient
    private let startup = StartupStandIns()
    /// Runs the flows' hooks and work, when it is told to.
    private let executor = ManualExecutor()
    /// The folder of the scenario's file: from there the paths in it count.
    private let folder: String

    init(besides path: String, flows: RehearsedFlows) {
        folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        host = Host(on: Timekeeper(VirtualClock()), flows: flows.make(on: executor, startup: startup), commands: .all)
        devices = BluetoothSource(of: host)
        host.devices = devices
        // On the wire, too, an event that a client sends comes from the network.
        client = LocalClient(of: host, from: .network)
        host.whenTimeMoves = { [executor] in executor.run() }
    }

    deinit {
        // Work that still waits for something is cancelled with its session, and ends here.
        for session in host.sessions.all { _ = host.sessions.drop(session) }
        executor.run()
    }

    var now: Duration { Instant.zero.duration(to: host.timekeeper.now) }

    func machine(of session: String) -> AnyMachine? { host.sessions[session] }

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
            try devices.load(file)
        } catch {
            throw CommandError("BADDEVICES", error.inOneLine)
        }
        settle()
    }

    /// Lets hooks and work do what they can do now, until nothing more comes of it.
    private func settle() {
        while executor.run() > 0 || host.timekeeper.hasDue { host.settle() }
    }
}
