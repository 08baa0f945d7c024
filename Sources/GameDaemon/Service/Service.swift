// The daemon as a whole: made from its options, run until a signal ends it.

import Glibc
import Timers

public final class Service {
    private let loop: Loop
    private let executor: LoopExecutor
    private let daemon: Daemon
    private let listener: UnixListener
    private var signals: [SignalWatch] = []

    public init(_ options: Options) throws {
        loop = try Loop(Timekeeper(options.time == .virtual ? VirtualClock() : SystemClock()))
        executor = try LoopExecutor(on: loop)
        let session = SessionFile(path: options.socketPath + ".user")
        daemon = Daemon(
            on: loop,
            flows: FlowType.builtIn(
                executor: executor.tasks, session: session, authenticator: LocalAuthenticator(rememberingIn: session)))
        loop.timekeeper.beginTurn()
        for session in options.sessions { try daemon.begin(session.name, flow: session.flow) }
        try Self.startBluetooth(daemon, options.bluetooth)
        listener = try UnixListener(path: options.socketPath)
        try listener.start(on: loop) { [daemon] in daemon.accept($0) }
        daemon.whenSomebodyIsGone = { [unowned listener] in listener.resume() }
        // Somebody who hangs up is an error of a write, not the end of the daemon.
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGINT, SIGTERM] {
            signals.append(try SignalWatch(number, on: loop) { [loop] in loop.stop() })
        }
        Self.unblockSignals()
    }

    private static func startBluetooth(_ daemon: Daemon, _ files: Options.BluetoothFiles) throws {
        guard let devices = files.devices else {
            guard files.replay == nil, files.record == nil else {
                throw UsageError(description: "a replay or a recording needs devices: --bluetooth FILE says what they are")
            }
            return
        }
        let source = daemon.bluetooth
        source.log = { StandardStream.error.say("gamed: \($0)") }
        try source.open(devices: devices, replay: files.replay, record: files.record)
        source.start(on: daemon.loop)
    }

    /// Whoever started the process may have blocked signals, and a child inherits that.
    private static func unblockSignals() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    /// Runs until SIGINT or SIGTERM.
    public func run() throws {
        defer { daemon.bluetooth.stop() }
        try loop.run()
    }
}

extension Service {
    /// The whole program: from the words of the command line to the exit status.
    public static func main(_ arguments: [String]) -> ExitStatus {
        do {
            let options = try Options(parsing: arguments)
            switch options.task {
            case .showHelp: StandardStream.output.say(Options.help)
            case .showVersion: StandardStream.output.say("gamed \(gamedVersion)")
            case .serve: try serve(options)
            }
            return .success
        } catch {
            StandardStream.error.say("gamed: \(error)")
            return status(of: error)
        }
    }

    private static func serve(_ options: Options) throws {
        let service = try Service(options)
        StandardStream.output.say("gamed \(gamedVersion) listens at \(options.socketPath)")
        StandardStream.output.say("try: redis-cli -s \(options.socketPath) \(Self.suggestion(options))")
        try service.run()
    }

    /// Something that works at once.
    private static func suggestion(_ options: Options) -> String {
        options.sessions.first.map { "STATE \($0.name)" } ?? "NEW main game"
    }

    private static func status(of error: any Error) -> ExitStatus {
        switch error {
        case is UsageError: .usage
        case is BluetoothFileError: .badInput
        case is ListenerError: .cannotCreate
        default: .software
        }
    }
}
