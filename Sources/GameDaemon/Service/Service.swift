// The daemon as a whole: made from its options, run until a signal ends it.

import CEvent
import Glibc
import JournalStore
import Timers

public final class Service {
    private let loop: Loop
    private let executor: LoopExecutor
    private let daemon: Daemon
    private let log: Log
    private let options: Options
    private var listeners: [any Listener] = []
    private var console: Console?
    private var signals: [SignalWatch] = []
    private var stopping: Stopping?
    private let givingBack: GivingBack
    private var recovery: Recovery?
    /// Why it had to end by itself.
    private var fault: (any Error)?
    /// What SIGHUP has read again.
    var reloadables: [Reloadable] = []

    public init(_ options: Options) throws {
        Heap.prepare()
        self.options = options
        log = .standardError(level: options.logLevel)
        loop = try Loop(Timekeeper(options.time == .virtual ? VirtualClock() : SystemClock()))
        executor = try LoopExecutor(on: loop)
        daemon = try Daemon(
            on: loop, flows: Self.flows(options, executor: executor), limits: options.limits, token: Self.token(options),
            log: log)
        givingBack = try GivingBack(of: daemon)
        loop.timekeeper.beginTurn()
        try openStore()
        Descriptor.raiseLimit()
        // Somebody who hangs up is an error of a write, not the end of the daemon.
        signal(SIGPIPE, SIG_IGN)
        try listen()
        try heedSignals()
        try options.checkSessions(daemon)
    }

    /// What was kept is there again: what comes of the options can begin.
    private func begin() throws {
        for session in options.sessions where daemon.sessions[session.name] == nil {
            try daemon.begin(session.name, flow: session.flow)
        }
        if options.hasConsole {
            console = try Console(of: daemon, showing: options.consoleSession) { [unowned self] in stop("the console") }
        }
        try startBluetooth(options.bluetooth)
        reloadables = Self.reloadables(options, daemon)
        for line in StartText(options: options, places: listeners.map(\.place), hasToken: daemon.access.token != nil).lines {
            StandardStream.output.say(line)
        }
        try console?.start(on: loop)
        log.info("started")
    }

    // MARK: Keeping

    private func openStore() throws {
        guard let directory = options.dataDirectory else { return }
        let durability: Durability = options.keeping.durability == .always ? .always : .everysec
        let store = try SQLiteStore(
            directory: directory, durability: durability, historyCapacity: options.limits.historyLines)
        daemon.keep(with: try Keeping(store, of: daemon))
    }

    private func recover() throws {
        guard let keeping = daemon.keeping else { return try begin() }
        recovery = try keeping.recover { [unowned self] result in
            recovery = nil
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
        let reception: Reception = { [daemon] in daemon.connections.accept($0, at: $1, of: daemon) }
        listeners.append(try UnixListener(path: options.socketPath, log: log, connected: reception))
        for address in options.addresses { listeners.append(try TcpListener(address, log: log, connected: reception)) }
        for listener in listeners { try listener.start(on: loop) }
        daemon.connections.whenBusy = { [givingBack] in givingBack.isBusy() }
        daemon.connections.whenSomebodyIsGone = { [unowned self] in
            for listener in listeners { listener.resume() }
            stopping?.somebodyIsGone()
        }
    }

    private func startBluetooth(_ files: Options.BluetoothFiles) throws {
        try files.check()
        guard let devices = files.devices else { return }
        let source = daemon.bluetooth
        source.log = { [log] in log.notice($0) }
        try source.open(devices: devices, replay: files.replay, record: files.record)
        source.start(on: loop)
    }

    static func flows(_ options: Options, executor: LoopExecutor?) -> [FlowType] {
        let session = SessionFile(path: options.socketPath + ".user")
        return FlowType.builtIn(
            executor: executor?.tasks, session: session, authenticator: LocalAuthenticator(rememberingIn: session))
    }

    /// The token that was asked for, if one was; an error where one is needed.
    static func token(_ options: Options) throws -> Token? {
        if let file = options.tokenFile { return try Token(file: file) }
        if let text = getenv("GAMED_TOKEN"), text.pointee != 0 {
            return try Token(String(cString: text), from: "in GAMED_TOKEN")
        }
        guard let open = options.addresses.first(where: { !$0.isLoopback }) else { return nil }
        throw UsageError(
            description: "other machines can reach \(open), so clients need a token there: --token-file FILE, or GAMED_TOKEN=…")
    }

    private static func reloadables(_ options: Options, _ daemon: Daemon) -> [Reloadable] {
        var reloadables: [Reloadable] = []
        if let file = options.tokenFile {
            reloadables.append(
                Reloadable(name: "token file") { [access = daemon.access] in access.token = try Token(file: file) })
        }
        if options.bluetooth.devices != nil {
            reloadables.append(Reloadable(name: "device file") { [daemon] in try daemon.bluetooth.reload() })
        }
        return reloadables
    }

    // MARK: Running

    /// Runs until SIGINT or SIGTERM, or until whoever sits at the console has had enough.
    public func run() throws {
        try recover()
        do {
            defer {
                console?.stop()
                daemon.bluetooth.stop()
            }
            try loop.run()
        }
        if let fault { throw fault }
        recovery?.cancel()
        try daemon.keeping?.finish()
        log.info("ended")
    }

    // MARK: Signals

    private func heedSignals() throws {
        for (number, name) in [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM")] {
            signals.append(try SignalWatch(number, on: loop) { [unowned self] in stop(name) })
        }
        signals.append(try SignalWatch(SIGHUP, on: loop) { [unowned self] in reload() })
        Self.unblockSignals()
    }

    /// Whoever started the process may have blocked signals, and a child inherits that.
    private static func unblockSignals() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    private func reload() {
        if reloadables.isEmpty { log.notice("SIGHUP: there is nothing to read again") }
        for reloadable in reloadables { reloadable.follow(log) }
    }

    private func stop(_ reason: String) {
        if let stopping { return stopping.atOnce() }
        log.info("stopping, because of \(reason)")
        for listener in listeners { listener.stop() }
        console?.stop()
        stopping = Stopping(daemon.connections, on: loop, milliseconds: daemon.limits.stopMilliseconds)
    }
}
