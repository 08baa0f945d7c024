// The console as an event source: a person plays a session on standard input and output.

import Commands
import EventLoop
import Glibc
import Posix
import RESP

/// Shows one session at a time, and sends what the user does as events with the source `ui`.
package final class Console: EventInput {
    private let host: Host
    private let client: LocalClient
    private let whenEnded: (StreamError?) -> Void
    /// The session shown; nil for the list.
    package private(set) var shown: String?
    var face: (any ConsoleFace)?

    /// Shows the named session, or the only one, or a list. `whenEnded` is called when the user quits, or with the error that ended
    /// the output.
    package init(of host: Host, showing name: String?, whenEnded: @escaping (StreamError?) -> Void) throws(UsageError) {
        self.host = host
        self.whenEnded = whenEnded
        client = LocalClient(of: host, from: .ui, named: "console")
        if let name, host.sessions[name] == nil {
            throw UsageError(
                of: "--console", "shows a session that there is, not '\(name)'; --session \(name)=FLOW begins it")
        }
        shown = name ?? (host.sessions.count == 1 ? host.sessions.all.first?.name : nil)
    }

    package func start(on loop: Loop) throws {
        let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        let face: any ConsoleFace = isTerminal ? TerminalConsole(self, host) : PlainConsole(self, host)
        self.face = face
        try face.start(on: loop)
        loop.atEndOfTurn { [weak self] in self?.endTurn() }
    }

    package func stop() {
        // Not released here: its own callback may be running.
        face?.stop()
    }

    var picture: ConsolePicture { ConsolePicture(of: shown, in: host) }

    /// Changes whenever the picture may have changed, and is cheap to compute.
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

    /// Carries out an intent; returns a sentence if it is refused.
    func perform(_ intent: ConsoleDialog.Intent) -> String? {
        switch intent {
        case .send(let event, let payload): return command("SEND", [event] + (payload.map { [$0] } ?? []))
        case .pauseOrResume:
            let isFrozen = shown.flatMap { host.sessions[$0]?.isFrozen } ?? false
            return command(isFrozen ? "RESUME" : "PAUSE", [])
        case .show(let name?) where host.sessions[name] == nil:
            return "there is no session '\(name)'; NEW \(name) FLOW begins it"
        case .show(let name): shown = name
        case .begin(let words):
            if let complaint = run(["NEW"] + words) { return complaint }
            shown = words.first
        case .showNext: move(by: 1)
        case .showPrevious: move(by: -1)
        case .end: whenEnded(nil)
        }
        return nil
    }

    /// A closed pipe ends the console without an error.
    func endWithout(output error: StreamError) {
        whenEnded(error.isReaderGone ? nil : error)
    }

    private func command(_ word: String, _ rest: [String]) -> String? {
        guard let shown else { return "no session is shown; @NAME shows one" }
        return run([word, shown] + rest)
    }

    private func run(_ words: [String]) -> String? { Self.refusal(in: client.run(words)) }

    func endTurn() {
        if let refusal = lateRefusal() { face?.refuse(refusal) }
        face?.look()
    }

    /// The refusal of an event that has had to wait for a hook.
    private func lateRefusal() -> String? { client.client.output.isEmpty ? nil : Self.refusal(in: client.takeReplies()) }

    private static func refusal(in replies: [Reply]) -> String? {
        guard case .error(_, let text)? = replies.last else { return nil }
        return text
    }

    private func move(by step: Int) {
        let names = ConsolePicture.lines(in: host).map(\.name)
        guard !names.isEmpty else { return }
        let index = shown.flatMap(names.firstIndex) ?? 0
        shown = names[(index + step + names.count) % names.count]
    }
}

/// The console's two forms: on a terminal, or through pipes.
protocol ConsoleFace: AnyObject {
    func start(on loop: Loop) throws
    /// Called at the end of each turn, when something may have changed.
    func look()
    /// Something was refused, now or only after a hook had decided.
    func refuse(_ sentence: String)
    func stop()
}
