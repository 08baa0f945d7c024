// A daemon that reloads flows, with the files that a test sets.

import GameFlow
import Logging
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Network
@testable import Sessions

/// The files of a daemon, with contents that the test sets.
final class StubFiles: FileReloader {
    var next = ReloadedFiles()

    func read(onRead: @escaping (ReloadedFiles) -> Void) { onRead(next) }
    func readNow() -> ReloadedFiles { next }
    func applyOthers(isDry: Bool) -> [ReloadLine] { [] }
}

/// A daemon whose files change.
final class ReloadingDaemon {
    let stepped: SteppedDaemon
    let files = StubFiles()
    let client: LocalClient
    var sessions: Sessions { stepped.daemon.sessions }

    init(_ flows: [FlowKind] = [ReloadingDaemon.old()], log: Log = .silent) throws {
        stepped = try SteppedDaemon(flows: flows, tokens: .none, log: log)
        client = LocalClient(of: stepped.daemon.host)
        stepped.daemon.host.files = files
    }

    static func old() -> FlowKind { kind(Shop.self, "aaaa") }
    static func new() -> FlowKind { kind(NewShop.self, "bbbb") }

    static func kind<F: TypedFlow>(_ type: F.Type, _ fingerprint: String) -> FlowKind {
        FlowKind.flow(type) { $0.origin = FlowOrigin(file: "/flows/\($0.name).json5", fingerprint: fingerprint) }
    }

    @discardableResult
    func say(_ line: String) -> Answer { Answer(reply: client.run(line.split(separator: " ").map(String.init)).last ?? .null) }

    func run(_ lines: String...) { for line in lines { say(line) } }

    /// Sets the files' contents and returns the reply to RELOAD.
    @discardableResult
    func reload(_ kinds: [FlowKind] = [], gone: [String] = [], _ command: String = "RELOAD") -> [String] {
        files.next = ReloadedFiles()
        files.next.kinds = kinds
        files.next.gone = gone
        return texts(say(command))
    }

    func texts(_ answer: Answer?) -> [String] {
        answer.map { answer in answer.isError ? ["\(answer)"] : answer.list.compactMap(\.text) } ?? []
    }

    /// The session's history, the newest first.
    func history(_ session: String) -> [Answer] { say("HISTORY \(session) COUNT 100").list }

    /// The same, oldest first: `closed opens open`.
    func transitions(_ session: String) -> [String] {
        history(session).reversed().map { "\($0["from"]?.text ?? "?") \($0["event"]?.text ?? "?") \($0["to"]?.text ?? "?")" }
    }

    /// The whole history, without its times.
    func entries(_ session: String) -> [[Answer?]] {
        history(session).map { line in
            ["source", "event", "payload", "timer", "from", "to", "version", "code", "refused", "what", "actor", "definition"]
                .map { line[$0] }
        }
    }
}
