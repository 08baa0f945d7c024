// The source that is a terminal: what somebody sees of a session, and does with it, on standard input and output.

import GameFlow
import Glibc
import RESP
import StandardStreams

/// Shows one session at a time, and sends what is done there as events of the user interface.
final class Console: Source {
    private let daemon: Daemon
    private let client: LocalClient
    private let whenEnded: (StreamError?) -> Void
    /// The session to be shown; nil is the list.
    private(set) var shown: String?
    private var face: (any ConsoleFace)?

    /// Shows the named session, or the only one, or a list. `whenEnded` is called when somebody has had enough, or with why
    /// nothing can be shown any more.
    init(of daemon: Daemon, showing name: String?, whenEnded: @escaping (StreamError?) -> Void) throws(UsageError) {
        self.daemon = daemon
        self.whenEnded = whenEnded
        client = LocalClient(of: daemon, from: .ui)
        if let name, daemon.sessions[name] == nil {
            throw UsageError(
                description: "--console shows a session that there is, and not '\(name)'; --session \(name)=FLOW begins it")
        }
        shown = name ?? (daemon.sessions.count == 1 ? daemon.sessions.all.first?.name : nil)
    }

    func start(on loop: Loop) throws {
        let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        let face: any ConsoleFace = isTerminal ? TerminalConsole(self, daemon) : PlainConsole(self, daemon)
        self.face = face
        try face.start(on: loop)
        loop.atEndOfTurn { [weak self] in self?.face?.look() }
    }

    func stop() {
        // It is not dropped: it may be its own callback that has led here.
        face?.stop()
    }

    var picture: ConsolePicture { ConsolePicture(of: shown, in: daemon) }

    /// What of it could have changed: to compare, without computing how it looks.
    var fingerprint: Int {
        var hasher = Hasher()
        hasher.combine(shown)
        if let machine = shown.flatMap({ daemon.sessions[$0] }) {
            hasher.combine(machine.version)
            hasher.combine(machine.isFrozen)
            hasher.combine(daemon.sessions.count > 1)
            for timer in machine.timers { hasher.combine(timer.generation) }
        } else {
            hasher.combine(daemon.sessions.count)
        }
        return hasher.finalize()
    }

    /// Does what somebody wants; a sentence if it is refused.
    func perform(_ intent: ConsoleDialog.Intent) -> String? {
        switch intent {
        case .send(let event, let payload): return command("SEND", [event] + (payload.map { [$0] } ?? []))
        case .pauseOrResume:
            let isFrozen = shown.flatMap { daemon.sessions[$0]?.isFrozen } ?? false
            return command(isFrozen ? "RESUME" : "PAUSE", [])
        case .show(let name): shown = name
        case .showNext: move(by: 1)
        case .showPrevious: move(by: -1)
        case .end: whenEnded(nil)
        }
        return nil
    }

    /// A reader that is gone has had enough, too.
    func endWithout(output error: StreamError) {
        whenEnded(error.isReaderGone ? nil : error)
    }

    private func command(_ word: String, _ rest: [String]) -> String? {
        guard let shown else { return "no session is shown" }
        guard case .error(_, let text)? = client.run([word, shown] + rest).last else { return nil }
        return text
    }

    private func move(by step: Int) {
        let names = ConsolePicture.lines(in: daemon).map(\.name)
        guard !names.isEmpty else { return }
        let place = shown.flatMap(names.firstIndex) ?? 0
        shown = names[(place + step + names.count) % names.count]
    }
}

/// How a console looks and is used: on a terminal, or through pipes.
protocol ConsoleFace: AnyObject {
    func start(on loop: Loop) throws
    /// A turn is over: something may have changed.
    func look()
    func stop()
}
