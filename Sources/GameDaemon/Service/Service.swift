// The service: the daemon with its listeners, store, console and signals, from start to stop.

import BuiltInFlows
import Commands
import Console
import Devices
import EventLoop
import GameFlow
import Glibc
import Journal
import Logging
import Memory
import Network
import ClusterRuntime
import Posix
import RESP
import SQLiteStore
import Sessions
import Store
import Systemd
import Web

package final class Service {
    private let loop: Loop
    private let executor: LoopExecutor
    private let daemon: Daemon
    private let log: Log
    private let options: Options
    private var listeners: [Listener] = []
    private var web: WebServer?
    private var unixSockets: [UnixListener] = []
    /// Nil if TLS is not used.
    private let certificate: ServerCertificate?
    private var signals: [SignalWatch] = []
    private var stopping: GracefulShutdown?
    /// Whether it hands its sessions over to other nodes, before it stops.
    private var isLeaving = false
    private let heapTrimmer: HeapTrimmer
    private let diagrams: DiagramThread
    /// The error that stopped it at once.
    private var fault: (any Error)?
    /// The error that stopped it as a signal does; thrown at the end, after shards are handed over and pending requests are answered.
    private var lateFault: (any Error)?
    /// The files that SIGHUP and RELOAD read again.
    private let files: DaemonFiles
    private let settings: LiveSettings
    /// Whether SIGHUP came before there was anything to change.
    private var mustReload = false
    private let supervision: SystemdNotifier
    private let activation: Activation
    /// Whether other users may read the output.
    private let keepsOutput: Bool
    private let heldBackLines: HeldBackLines
    /// Nil where sessions are in a directory, or nowhere.
    private var clustering: ClusterService?

    package typealias Hosting = (Options, LoopExecutor?, Log) -> [FlowKind]

    init(_ options: Options, from manager: ServiceManager, _ activation: Activation, hosting: Hosting) throws {
        Heap.prepare()
        try options.checkDescriptors()
        self.options = options
        self.activation = activation
        try options.checkCluster()
        try options.checkAddresses()
        keepsOutput = manager.keepsOutput
        log = .standardError(level: options.logLevel, zone: options.logTime, program: options.program)
        loop = try Loop(Timekeeper(options.time == .virtual ? VirtualClock() : SystemClock()))
        supervision = try SystemdNotifier(manager, on: loop)
        heldBackLines = try HeldBackLines(of: log, on: loop)
        executor = try LoopExecutor(on: loop)
        let own = hosting(options, executor, log)
        let flows = try Self.flows(own, and: options.flowFiles, executor, log)
        let context = try options.tlsContext()
        certificate = context.map { [loop] in ServerCertificate($0, on: loop) }
        daemon = try Daemon(on: loop, flows: flows, limits: options.limits, access: options.access(), log: log)
        if let certificate { daemon.connections.watch(certificate) }
        settings = LiveSettings(options, of: daemon)
        files = try DaemonFiles(
            settings, besides: own.map(\.name), executor.tasks, for: daemon.sessions, on: loop, log: log,
            others: { [daemon, certificate] in Self.reloadables($0, insteadOf: $1, daemon, certificate) })
        diagrams = try DiagramThread(on: loop)
        daemon.host.diagrams.renderer = diagrams
        heapTrimmer = try HeapTrimmer(of: daemon)
        daemon.sessions.expire(by: options.expiries)
        loop.timekeeper.beginTurn()
        try openStore()
        // For sockets.
        try OpenDescriptors.checkFree(8)
        Signals.ignoreInDaemon()
        try listen()
        options.warn(of: context, log)
        try watchSignals()
        try options.checkSessions(in: daemon.sessions.flows)
        // A node serves the shards that are here while it waits for the others.
        if clustering != nil { allowReloading() }
    }

    /// The program's own flows and those of the files.
    private static func flows(
        _ own: [FlowKind], and paths: [String], _ executor: LoopExecutor, _ log: Log
    ) throws -> [FlowKind] {
        let files = FlowFileSet(reading: paths, besides: own.map(\.name))
        for warning in files.warnings { log.warning(warning.logLine) }
        let flows = own + (try files.kinds(executor.tasks))
        for warning in try check(flows, mayBeNone: !paths.isEmpty) { log.warning(warning) }
        return flows
    }

    private func allowReloading() {
        daemon.host.files = files
        daemon.host.settings = settings
    }

    /// Sessions are restored: creates the sessions of the options.
    private func begin() throws {
        let restoredCount = daemon.sessions.count
        daemon.host.countSessionsOfTokens()
        try daemon.beginSessions(of: options)
        for warning in options.otherFlowWarnings(daemon) { log.warning(warning) }
        if options.hasConsole {
            let setAside = daemon.sessions.setAsideSessions
            let shown = options.consoleSession.flatMap { setAside[ByteString($0)] == nil && daemon.isHere($0) ? $0 : nil }
            daemon.console = try options.locating("console") {
                try Console(of: daemon.host, showing: shown) { [unowned self] error in
                    lateFault = error
                    // The console's end is not a second signal.
                    if !isLeaving { stop("the console") }
                }
            }
        }
        try startBluetooth()
        allowReloading()
        announce(restoredCount)
        try daemon.console?.start(on: loop)
        log.info("started")
        supervision.observe(daemon)
        if mustReload { reload() }
    }

    /// A reader that closes the pipe early is no failure; any other one is logged.
    private func announce(_ restoredCount: Int) {
        let sessions = daemon.sessions
        let asked = options.sessions.first { sessions[$0.name] != nil }?.name
        let restored = StartText.Restored(
            count: restoredCount,
            flows: options.flows(of: daemon),
            example: asked ?? sessions.scan(from: 0, atMost: 1_000).sessions.first?.name,
            aside: sessions.setAsideSessions.count,
            quarantined: sessions.setAsideSessions.values.first { $0.isQuarantined }.map(\.name.text))
        var text = StartText(
            options: options, addresses: listeners.map(\.address), hasToken: daemon.host.access.tokens.isAsked,
            flow: sessions.flows.first?.name ?? "", restored: restored)
        (text.page, text.hidesLogin) = (keepsOutput ? web?.home : web?.link, keepsOutput)
        do throws(StreamError) {
            for line in text.lines { try StandardStream.output.writeLine(line) }
        } catch {
            // Sessions are served all the same, with a full disk behind the output, too.
            if !error.isReaderGone { log.warning("\(error)") }
        }
    }

    /// Throws if the flows cannot be hosted together. Returns warnings.
    static func check(_ flows: [FlowKind], mayBeNone: Bool) throws -> [String] {
        guard !flows.isEmpty || mayBeNone else {
            throw UsageError("this program has no flows; give Gamed.main(flows: […]) some, or withBuiltIn: true")
        }
        return try FlowKind.check(flows)
    }

    deinit {
        (daemon.service, daemon.connections.delegate) = (nil, nil)
        clustering?.node.delegate = nil
    }

    // MARK: Persistence

    private func openStore() throws {
        if supervision.hasWatchdog { FlightLog.enableWatchdog() }
        if let address = options.cluster.store {
            supervision.reportOpening("the database \(Options.hidden(address))")
            clustering = try ClusterService(options, at: address, of: daemon, on: loop, log: log)
            return
        }
        guard let directory = options.dataDirectory else { return daemon.beginLivesAnywhere() }
        try options.checkDataOwner()
        supervision.reportOpening("the data directory \(directory)")
        let durability: Durability = options.persistence.durability == .always ? .always : .everysec
        let store = try SQLiteStore(
            directory: directory, makesParents: options.usesDefaultData, durability: durability,
            historyCapacity: options.limits.historyLines,
            boot: TurnClock.bootID, acceptsLoss: options.persistence.acceptsLoss)
        store.takeFindings().write(to: log)
        let persistence = try daemon.persist(in: store)
        persistence.flight = try FlightLog(
            in: directory, identity: try store.number("identity") ?? 0, commands: CommandTable.all.flightNames, log: log)
    }

    private func recover() throws {
        if let clustering {
            clustering.node.delegate = self
            return clustering.node.start()
        }
        guard daemon.persistence != nil else { return try begin() }
        daemon.recover { [supervision] in
            supervision.reportRestoring($0)
        } onDone: { [unowned self] result in
            do {
                try result.get()
                try begin()
            } catch {
                fault = error
                loop.stop()
            }
        }
    }

    // MARK: Starting

    private func listen() throws {
        let accept: ConnectionHandler = { [daemon] in daemon.connections.accept($0, at: $1) }
        let (path, others) = (options.socketPath, options.localAccess)
        unixSockets = activation.unixListeners {
            UnixListener(activated: $0, path: $1, letting: others, log: log, connected: accept)
        }
        if unixSockets.isEmpty { unixSockets = [try UnixListener(path: path, letting: others, log: log, connected: accept)] }
        listeners += unixSockets
        let acceptEncrypted: ConnectionHandler = { [daemon, certificate] in
            daemon.connections.accept($0, at: $1, through: certificate)
        }
        for address in options.addresses {
            let isEncrypted = options.isEncrypted(address)
            let accept = isEncrypted ? acceptEncrypted : accept
            let socket = try activation.tcpSocket(at: address) ?? TcpListener.listening(at: address)
            listeners.append(TcpListener(socket, isEncrypted: isEncrypted, log: log, connected: accept))
        }
        for listener in listeners { try listener.start(on: loop) }
        try openPage()
        if let clustering { publish(clustering) }
        daemon.host.addresses = listeners.map(\.address) + (web.map { [$0.address] } ?? [])
        daemon.connections.delegate = self
        daemon.service = self
    }

    private func openPage() throws {
        let place = try options.pagePlace()
        guard let socket = try activation.pageSocket() ?? place.listening({ [log] in log.warning($0) }) else { return }
        let (address, settings) = (socket.address, Self.settings(of: place.asked ?? socket.asked, options))
        let web = try WebServer(
            listening: socket.takeDescriptor(), at: address, settings, of: daemon.host, on: loop,
            certificate: settings.isEncrypted ? certificate : nil)
        try web.start()
        (self.web, daemon.web) = (web, web)
        web.delegate = self
        daemon.host.page = web
    }

    /// Where this node is found, by clients and by other nodes.
    private func publish(_ clustering: ClusterService) {
        let listening = listeners.first { $0 is TcpListener }?.address
        clustering.publishAddress(options, listening: listening?.split(separator: ":").last.flatMap { UInt16($0) }, log)
        guard let web else { return clustering.reportMissingPage(log) }
        open(web, clustering, options)
    }

    private func startBluetooth() throws {
        try options.checkBluetooth()
        let (source, files) = (daemon.bluetooth, options.bluetooth)
        if let devices = files.devices { try source.open(devices: devices, replay: files.replay, record: files.record) }
        source.start()
    }

    static func builtIn(_ options: Options, _ executor: LoopExecutor?, _ log: Log) -> [FlowKind] {
        // The flows' work runs on the loop, except what waits for a disk.
        nonisolated(unsafe) let log = log
        let accounts = AccountFile(options.accounts) { [tasks = executor?.tasks] sentence in
            // The log belongs to the loop's thread.
            Task(executorPreference: tasks) { log.write(.notice, provokedBy: .onboarding, sentence) }
        }
        return FlowKind.builtIn(
            executor: executor?.tasks,
            work: BuiltInWork(authenticator: LocalAuthenticator(), accounts: accounts, devices: accounts))
    }

    // MARK: Running

    /// Runs until SIGINT or SIGTERM, or until the console ends it.
    package func run() throws {
        supervision.beginBeating()
        try recover()
        do {
            defer {
                daemon.console?.stop()
                daemon.bluetooth.stop()
                web?.stop()
            }
            try loop.run()
        }
        if let fault { throw fault }
        if let clustering {
            try clustering.finish(log)
        } else if let persistence = daemon.persistence {
            try supervision.extendTimeout(whileWriting: persistence.unwritten) { try persistence.finish() }
        }
        log.info("ended")
        if let lateFault { throw lateFault }
    }

    // MARK: Signals

    private func watchSignals() throws {
        for (number, name) in [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM")] {
            signals.append(try SignalWatch(number, on: loop) { [unowned self] in stop(name) })
        }
        signals.append(try SignalWatch(SIGHUP, on: loop) { [unowned self] in reload() })
        Signals.unblock()
    }

    /// While sessions are being restored, it waits.
    private func reload() {
        mustReload = daemon.host.files == nil
        if !mustReload { daemon.host.reloader.begin() }
    }

    private func stop(_ reason: String) {
        if let stopping { return stopping.stopImmediately() }
        log.info("stopping, because of \(reason)")
        let leaving = clustering.map { daemon.limits.stopMilliseconds + $0.node.maxLeaveTime.milliseconds } ?? 0
        supervision.reportStopping(reason, within: daemon.limits.stopMilliseconds + leaving)
        if let clustering, !isLeaving {
            isLeaving = true
            clustering.leave(within: .milliseconds(max(1_000, daemon.limits.stopMilliseconds)))
        } else {
            disconnect()
            if isLeaving { stopping?.stopImmediately() }
        }
    }

    /// Nothing more is asked of it but what clients wait for.
    private func disconnect() {
        guard stopping == nil else { return }
        for listener in listeners { listener.stop() }
        daemon.console?.stop()
        stopping = GracefulShutdown(daemon)
    }
}

extension CommandTable {
    /// The commands as the flight record names them.
    package var flightNames: [FlightNames.Command] {
        commands.map { .init(number: $0.number, name: $0.name, changesSessions: $0.flags.contains(.changes)) }
    }
}

extension Service: ClusterNodeDelegate {
    package func nodeDidJoin() {
        do { try begin() } catch {
            // It may have shards by now.
            lateFault = error
            if !isLeaving { stop("an error of its start") }
        }
    }

    package func nodeDidLeave() { disconnect() }

    package func nodeWasRefused(_ error: StoreError) {
        fault = error
        loop.stop()
    }
}

extension Service: ConnectionsDelegate {
    package func connectionsDidBecomeBusy() { heapTrimmer.begin() }

    package func connectionDidClose() {
        for listener in listeners { listener.resume() }
        stopping?.finishIfIdle()
    }
}

extension Service: WebServerDelegate {
    package func pageDidGetRequest() { heapTrimmer.countPageRequest() }
}

extension Service {
    func localAccessDidChange(_ access: LocalAccess) { for listener in unixSockets { listener.open(to: access) } }

    func certificateDidChange(_ options: Options) {
        if let web, let clustering { open(web, clustering, options) }
    }

    /// Why the journal cannot be written; nil once it can.
    func journalTroubleDidChange(_ failure: String?) { supervision.journalTroubleDidChange(failure) }

    /// Other nodes reach its page.
    private func open(_ web: WebServer, _ clustering: ClusterService, _ options: Options) {
        web.useClientCertificates(options.tls)
        clustering.open(web, options, certificate, log)
    }
}
