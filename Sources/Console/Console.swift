// The console as an event source: a person plays a session on standard input and output.

import Commands
import EventLoop
import Glibc
import Posix
import RESP
import Terminal

/// Shows one session at a time, and sends what the user does as events with the source `ui`.
package final class Console {
    private let host: Host
    private let client: LocalClient
    private let onEnded: (StreamError?) -> Void
    /// Whether it has ended or is being stopped. Another call of `onEnded` would cut the daemon's graceful stop short.
    private var hasEnded = false
    /// The session shown; nil for the list.
    package private(set) var shown: String?
    var face: (any ConsoleFace)?

    /// Shows the named session, or the only one, or a list. `onEnded` is called once, when the user quits, or with the error that
    /// ended the output.
    package init(of host: Host, showing name: String?, onEnded: @escaping (StreamError?) -> Void) throws(UsageError) {
        self.host = host
        self.onEnded = onEnded
        client = LocalClient(of: host, named: "console")
        if let name, host.sessions[name] == nil {
            throw UsageError(
                of: "--console", "shows an existing session, not '\(name)'; --session \(name)=FLOW creates it")
        }
        shown = name ?? (host.sessions.count == 1 ? host.sessions.all.first?.name : nil)
    }

    package func start(on loop: Loop) throws {
        let hasScreen = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !TerminalKind.isDumb
        let face: any ConsoleFace = hasScreen ? TerminalConsole(self, host) : PlainConsole(self)
        self.face = face
        try face.start(on: loop)
    }

    package func stop() {
        hasEnded = true
        // Not released here: its own callback may be running.
        face?.stop()
    }

    var picture: ConsolePicture { ConsolePicture(of: shown, in: host) }

    /// Changes whenever the picture may have changed, and is cheaper to compute.
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
            hasher.combine(ConsolePicture.lines(in: host))
        }
        return hasher.finalize()
    }

    /// Carries out an intent; returns a sentence if it is refused.
    func perform(_ intent: ConsoleDialog.Intent) -> String? {
        switch intent {
        case .send(let event, let payload):
            guard let shown else { return Self.nothingShown }
            return run(["SEND", shown, event] + (payload.map { [$0] } ?? []))
        case .pauseOrResume:
            guard let shown else { return Self.nothingShown }
            return run([host.sessions[shown]?.isFrozen == true ? "RESUME" : "PAUSE", shown])
        case .show(let name?) where host.sessions[name] == nil:
            return "there is no session '\(name)'; NEW \(name) FLOW creates it"
        case .show(let name): shown = name
        case .begin(let words):
            if let complaint = run(["NEW"] + words) { return complaint }
            shown = words.first
        case .showNext: move(by: 1)
        case .showPrevious: move(by: -1)
        case .end: end(with: nil)
        }
        return nil
    }

    /// A closed pipe ends the console without an error.
    func endWithout(output error: StreamError) {
        end(with: error.isReaderGone ? nil : error)
    }

    private func end(with error: StreamError?) {
        guard !hasEnded else { return }
        hasEnded = true
        onEnded(error)
    }

    private static let nothingShown = "no session is shown; @NAME shows one"

    /// Carries out a command. Returns a sentence if it is refused; the refusal of an event that waits for a hook is shown when it comes.
    private func run(_ words: [String]) -> String? {
        showLateRefusals()
        return client.run(words).compactMap(\.refusal).first
    }

    /// Shows the refusals of events that waited for a hook.
    private func showLateRefusals() {
        for refusal in client.takeReplies().compactMap(\.refusal) { face?.refuse(refusal) }
    }

    /// A turn of the loop ends: the picture may have changed.
    package func endTurn() {
        showLateRefusals()
        face?.refresh()
    }

    private func move(by step: Int) {
        let names = ConsolePicture.lines(in: host).map(\.name)
        guard !names.isEmpty else { return }
        let index = shown.flatMap(names.firstIndex) ?? 0
        shown = names[(index + step + names.count) % names.count]
    }
}

extension Reply {
    fileprivate var refusal: String? { if case .error(_, let sentence) = self { sentence } else { nil } }
}

/// The console's two forms: on a terminal, or through pipes and on a dumb terminal.
protocol ConsoleFace: AnyObject {
    func start(on loop: Loop) throws
    /// Called at the end of each turn, when something may have changed.
    func refresh()
    /// Something was refused, now or only after a hook had decided.
    func refuse(_ sentence: String)
    func stop()
    /// Its output has been written after it had to wait.
    func outputDidDrain()
    /// Its output has failed for good.
    func outputDidFail(_ error: StreamError)
}
