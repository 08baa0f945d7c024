// The daemon as a whole: made from its options, run until a signal ends it.

import Glibc
import Timers

public final class Service {
    private let loop: Loop
    private let listener: UnixListener
    private var signals: [SignalWatch] = []

    public init(_ options: Options) throws {
        loop = try Loop()
        listener = try UnixListener(path: options.socketPath)
        try listener.start(on: loop, connected: Self.sayThereIsNothingYet)
        // Somebody who hangs up is an error of a write, not the end of the daemon.
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGINT, SIGTERM] {
            signals.append(try SignalWatch(number, on: loop) { [loop] in loop.stop() })
        }
        Self.unblockSignals()
    }

    /// Whoever started the process may have blocked signals, and a child inherits that.
    private static func unblockSignals() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    /// Runs until SIGINT or SIGTERM.
    public func run() throws {
        try loop.run()
    }

    private static func sayThereIsNothingYet(_ peer: consuming Descriptor) {
        let sentence = "-ERR this gamed (\(gamedVersion)) keeps time but takes no commands yet\r\n"
        _ = send(peer.number, sentence, sentence.utf8.count, Int32(MSG_NOSIGNAL))
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
        try service.run()
    }

    private static func status(of error: any Error) -> ExitStatus {
        switch error {
        case is UsageError: .usage
        case is ListenerError: .cannotCreate
        default: .software
        }
    }
}
