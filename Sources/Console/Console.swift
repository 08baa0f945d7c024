// The source that is a terminal: what somebody sees of a session, and does with it, on standard input and output.

import Commands
import EventLoop
import Glibc
import Posix

/// Shows one session at a time, and sends what is done there as events of the user interface.
package final class Console: EventInput {
    private let host: Host
    private let client: LocalClient
    private let whenEnded: (StreamError?) -> Void
    /// The session to be shown; nil is the list.
    package private(set) var shown: String?
    private var face: (any ConsoleFace)?

    /// Shows the named session, or the only one, or a list. `whenEnded` is called when somebody has had enough, or with why
    /// nothing can be shown any more.
    package init(of host: Host, showing name: String?, whenEnded: @escaping (StreamError?) -> Void) throws(UsageError) {
        self.host = host
        self.whenEnded = whenEnded
        client = LocalClient(of: host, from: .ui)
        if let name, host.sessions[name] == nil {
            throw UsageError(
                "--console shows a session that there is, and not '\(name)'; --session \(name)=FLOW begins it")
        }
        shown = name ?? (host.sessions.count == 1 ? host.sessions.all.first?.name : nil)
    }

    package func start(on loop: Loop) throws {
        let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        let face: any ConsoleFace = isTerminal ? TerminalConsole(self, host) : PlainConsole(self, host)
        self.face = face
        try face.start(on: loop)
        loop.atEndOfTurn { [weak self] in self?.face?.look() }
    }

    package func stop() {
        // It is not dropped: it may be its own callback that has led here.
        face?.stop()
    }

    var picture: ConsolePicture { ConsolePicture(of: shown, in: host) }

    /// What of it could have changed: to compare, without computing how it looks.
    var fingerprint: Int {
        var hasher = Hasher()
        hasher.combine(shown)
        if let machine = shown.flatMap({ host.sessions[$0] }) {
            hasher.combine(machine.version)
            hasher.combine(machine.isFrozen)
            hasher.combine(host.sessions.count > 1)
            for timer in machine.timers { hasher.combine(timer.generation) }
        } else {
            hasher.combine(host.sessions.count)
        }
        return hasher.finalize()
    }

    /// Does what somebody wants; a sentence if it is refused.
    func perform(_ intent: ConsoleDialog.Intent) -> String? {
        switch intent {
        case .send(let event, let payload): return command("SEND", [event] + (payload.map { [$0] } ?? []))
        case .pauseOrResume:
            let isFrozen = shown.flatMap { host.sessions[$0]?.isFrozen } ?? false
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
        let names = ConsolePicture.lines(in: host).map(\.name)
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
