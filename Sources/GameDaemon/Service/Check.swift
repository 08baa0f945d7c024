// `--check`: whether the daemon could start with these options, without starting it.

import Console
import Devices
import EventLoop
import GameFlow
import Network
import Timers

struct Check {
    let options: Options
    let flows: [FlowKind]

    /// What it would print, line by line; throws if it could not start.
    func run() throws -> [String] {
        let token = try Service.token(options)
        try options.bluetooth.check()
        if let devices = options.bluetooth.devices { _ = try DeviceFile.read(devices) }
        if let capture = options.bluetooth.replay { _ = try CaptureFile(capture) }
        try UnixListener.check(path: options.socketPath)
        for address in options.addresses { try TcpListener.check(address) }
        let explored = try exploreFlows()
        let addresses = [options.socketPath] + options.addresses.map(\.description)
        let text = StartText(options: options, addresses: addresses, hasToken: token != nil, flow: explored[0].name).lines
        let found = explored.map { "\($0.name) (\($0.states) states)" }.joined(separator: ", ")
        return text.map { "would say: \($0)" } + ["flows: \(found)", "all is well"]
    }

    /// Explores every flow, and checks that each session's flow exists.
    private func exploreFlows() throws -> [(name: String, states: Int)] {
        let loop = try Loop(Timekeeper(VirtualClock()))
        try Service.check(flows)
        let daemon = try Daemon(on: loop, flows: flows, limits: options.limits)
        for session in options.sessions { try daemon.begin(session.name, flow: session.flow) }
        if options.hasConsole { _ = try Console(of: daemon.host, showing: options.consoleSession) { _ in } }
        return try daemon.sessions.flows.map { ($0.name, try $0.exploration().states.count) }
    }
}
