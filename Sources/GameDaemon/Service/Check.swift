// `--check`: whether the daemon could start with these options, without starting it. It changes nothing on disk, and may run beside
// the daemon that it checks for.

import Client
import Console
import Devices
import EventLoop
import GameFlow
import Network
import Posix
import PostgresStore
import SQLiteStore
import Statecharts
import Systemd
import Texts

/// Finds every mistake, in the order in which a start would meet them.
final class Check {
    let options: Options
    private(set) var flows: [FlowKind]
    private(set) var mistakes: [any Error] = []
    /// The lines to print if there is no mistake.
    private(set) var lines: [String] = []
    /// The daemon that answers at the socket already. Its resources are free once it ends.
    private let running: DaemonProbe?
    /// Whether systemd listens at the socket: to connect would start the service.
    private let isAwaited: Bool
    /// The daemon's user, if root checks for it: files have to be readable by that user.
    private let fileUser: FileUser?
    private var hasFileMistake = false
    private var hasDatabase = false
    /// Whether all flow files are right. Otherwise a flow may be missing for that reason alone.
    private var hasAllFlows = false
    /// Of the configuration and of flow files.
    private var warnings: [String] = []

    init(_ configuration: Configuration, _ flows: [FlowKind]) {
        (options, self.flows) = (configuration.options, flows)
        if let error = configuration.error { mistakes.append(error) }
        warnings = (configuration.warnings + options.ineffectiveSettings).map(\.line)
        isAwaited = WaitingSocket.isPresent(at: options.socketPath)
        running = isAwaited ? nil : DaemonProbe(at: options.socketPath)
        let owned = running.map { "/proc/\($0.process)" } ?? options.dataDirectory
        SecretOwner.trustOwner(of: owned ?? DefaultPaths.data)
        fileUser = owned.flatMap { FileUser(owning: $0) }
        let (found, hasToken) = asFileUser {
            readConfiguration()
            readFlowFiles()
            let found = attempt { try Service.check(self.flows, mayBeNone: !options.flowFiles.isEmpty) }
            warnings += found ?? []
            warnings += attempt { try options.tlsContext()?.warnings ?? [] } ?? []
            let hasToken = attempt { try options.tokens().isAsked } ?? false
            return (found, hasToken)
        }
        attempt { try options.checkCluster() }
        attempt { try options.checkAddresses() }
        asFileUser { checkData() }
        checkStore()
        checkListeners()
        let daemon = found != nil ? attempt { try makeDaemon() } : nil
        if let daemon { checkSessions(daemon) }
        asFileUser {
            if let path = options.accounts { attempt("accounts") { try AccountFile.check(path) } }
            checkBluetooth()
        }
        nameFileUser()
        if let daemon { explain(daemon, hasToken: hasToken) }
    }

    /// Nil if it throws, which is a mistake: one of the setting, and of its value, where they are given.
    @discardableResult
    private func attempt<Result>(
        _ setting: String? = nil, _ value: String? = nil, _ body: () throws -> Result
    ) -> Result? {
        do { return try body() } catch {
            let mistake = setting.map { options.located(error, $0, value) } ?? error
            // Two steps may stumble over one thing.
            if !mistakes.contains(where: { "\($0)" == "\(mistake)" }) { mistakes.append(mistake) }
            return nil
        }
    }

    private func asFileUser<Result>(_ body: () -> Result) -> Result {
        guard let fileUser else { return body() }
        let known = mistakes.count
        defer { hasFileMistake = hasFileMistake || mistakes.count > known }
        return fileUser.run(body)
    }

    /// Last, since the first mistake decides the exit status.
    private func nameFileUser() {
        guard hasFileMistake, let fileUser else { return }
        mistakes.append(
            UsageError(
                "files were read with the rights of the daemon's user, '\(fileUser.name.printable)': that user, or its group, "
                    + "must be able to read them and to enter their directories"))
    }

    /// Root has read it already.
    private func readConfiguration() {
        guard fileUser != nil, let path = options.origins.file else { return }
        do throws(FileError) { _ = try PlainFileReader(path) } catch {
            let mistake = ConfigurationMistake(origin: .option("--config"), sentence: error.description)
            mistakes.append(ConfigurationError(mistakes: [mistake]))
        }
    }

    private func readFlowFiles() {
        let flowFiles = FlowFileSet(reading: options.flowFiles, besides: flows.map(\.name))
        warnings += flowFiles.warnings.map(\.line)
        guard let read = attempt(nil, nil, { try flowFiles.kinds(nil) }) else { return }
        flows += read
        hasAllFlows = true
    }

    private func makeDaemon() throws -> Daemon {
        try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: flows, limits: options.limits)
    }

    // MARK: Places

    private func checkData() {
        guard let directory = options.dataDirectory else { return }
        let process = running?.process
        hasDatabase =
            attempt("data") {
                try SQLiteStore.check(directory: directory, makesParents: options.usesDefaultData) { $0 == process }
            }
            ?? true
    }

    /// As a start would find it now: a check waits for nothing.
    private func checkStore() {
        guard let address = options.cluster.store else { return }
        hasDatabase = true
        attempt("store") {
            let store = try PostgresStore(
                address, durability: options.sharedDurability, historyCapacity: options.limits.historyLines)
            try options.checkShards(of: store)
        }
    }

    private func checkListeners() {
        if !isAwaited { checkSocket() }
        let page = attempt { try options.pagePlace() }
        for address in options.addresses { check(address, of: "listen") }
        if let address = page?.asked { check(address, of: "http") }
    }

    private func checkSocket() {
        attempt("socket") {
            try unlessOurs(running != nil) { () throws(ListenerError) in try UnixListener.check(path: options.socketPath) }
        }
    }

    private func check(_ address: TcpAddress, of setting: String) {
        let port = DaemonProbe.port(of: address.description[...])
        let isOurs = running?.ports.contains { $0 == port } ?? false
        attempt(setting, address.description) {
            try unlessOurs(isOurs) { () throws(ListenerError) in try TcpListener.check(address) }
        }
    }

    private func unlessOurs(_ isOurs: Bool, _ check: () throws(ListenerError) -> Void) throws(ListenerError) {
        do throws(ListenerError) {
            try check()
        } catch {
            guard isOurs, error.isInUse else { throw error }
        }
    }

    // MARK: Sessions

    private func checkSessions(_ daemon: Daemon) {
        for session in options.sessions where hasAllFlows || daemon.sessions.flow(named: session.flow) != nil {
            attempt("session", session.text) {
                try options.checkFlow(of: session, in: daemon.sessions.flows)
                // Of several of one name, a start creates the first, too.
                guard daemon.sessions[session.name] == nil else { return }
                try daemon.begin(session.name, flow: session.flow, session.beginning)
            }
        }
        warnings += options.otherFlowWarnings(daemon)
        for rule in options.expiries where hasAllFlows {
            attempt { try options.checkFlow(of: rule, in: daemon.sessions.flows) }
        }
        // Its session may be restored or created later.
        let shown = options.consoleSession
        guard options.hasConsole, !hasDatabase, !options.sessions.contains(where: { $0.name == shown }) else { return }
        attempt("console") { try Console(of: daemon.host, showing: shown) { _ in } }
    }

    // MARK: Simulated Bluetooth

    private func checkBluetooth() {
        let files = options.bluetooth
        attempt { try options.checkBluetooth() }
        if let path = files.devices, let devices = attempt("bluetooth", nil, { try DeviceFile.read(path) }), hasAllFlows {
            mistakes += misdirected(in: devices).map { BluetoothFileError("\(path): \($0)") }
        }
        if let capture = files.replay { attempt("bluetooth-replay") { try CaptureFile.check(capture) } }
        guard let record = files.record else { return }
        attempt("bluetooth-record") { try CaptureFile.checkRecording(to: record, replaying: files.replay) }
    }

    private func misdirected(in devices: [DeviceSpec]) -> [String] {
        DeviceFile.misdirected(in: devices, flows: flows) { name in
            let session = options.sessions.first { $0.name == name }
            return session.flatMap { session in flows.first { $0.name == session.flow } }
        }
    }

    // MARK: Output

    private func explain(_ daemon: Daemon, hasToken: Bool) {
        let explored = daemon.sessions.flows.compactMap { flow in attempt { try summary(of: flow) } }
        let addresses =
            [options.socketPath] + options.addresses.map { options.isEncrypted($0) ? "tls://\($0)" : $0.description }
        let text = StartText(
            options: options, addresses: addresses, hasToken: hasToken, flow: flows.first?.name ?? "",
            restored: StartText.Restored(flows: options.flows(of: daemon)))
        lines = warnings + text.lines.map { "would print: \($0)" } + ["flows: \(explored.joined(separator: ", "))"]
        let place = options.socketPath.printable
        if let running {
            lines.append("running: process \(running.process) answers at \(place); stop it first")
        }
        if isAwaited {
            lines.append("waiting: systemd listens at \(place), and starts the service with the first client")
        }
        lines.append(warnings.isEmpty ? "all is well" : "a start would work, with \("warning".counted(warnings.count))")
    }

    /// `game (6 states)`.
    private func summary(of flow: FlowKind) throws -> String {
        let count: Int
        if let chart = flow.written as? ChartDefinition {
            // Exploring a flow of a file may take long; its file has been checked.
            count = chart.stateCount
        } else {
            count = try flow.isChecked ? flow.exploration().states.count : flow.states.count
        }
        return "\(flow.name) (\("state".counted(count)))"
    }
}

// MARK: - A running daemon at the socket, and the resources it holds

struct DaemonProbe {
    /// How long it may take to answer.
    private static let timeout = Duration.seconds(2)

    let process: Int
    /// The TCP ports that it listens at.
    let ports: [Substring]

    /// Nil if nothing answers there, or something that is no gamed.
    init?(at path: String) {
        let daemon = DaemonClient(at: .socket(path), timeout: Self.timeout)
        let lines = (try? daemon.askHere(["INFO", "server"]))?.text?.split(whereSeparator: \.isNewline) ?? []
        let field = { (name: String) in lines.first { $0.hasPrefix(name + ":") }?.dropFirst(name.count + 1) }
        guard field("gamed_version") != nil, let process = field("process_id").flatMap({ Int($0) }) else { return nil }
        self.process = process
        ports = (field("addresses") ?? "").split(separator: ", ").compactMap(Self.port)
    }

    /// Returns the text after the last colon: 7654 for `[::1]:7654`, and nil for a path.
    static func port(of address: Substring) -> Substring? {
        guard let colon = address.lastIndex(of: ":"), !address.hasPrefix("/") else { return nil }
        return address[address.index(after: colon)...]
    }
}
