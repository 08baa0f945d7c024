// What a RELOAD says: to the log all of it, to the client that asked a line each.

import GameFlow
import Logging
import RESP
import Sessions
import Texts

struct ReloadReport {
    private let log: Log
    /// Who has asked.
    private let name: String
    /// What has become of other files; the log has it already.
    var others: [String] = []
    private var lines: [String] = []
    private var problems: [String] = []
    private var aside = 0

    /// Sessions that are set aside for one reason, and named in the log.
    private static let mostNamed = 20

    init(_ log: Log, _ name: String = "") {
        self.log = log
        self.name = name
    }

    mutating func isSetAside(_ session: UnrestoredSession) {
        aside += 1
        if aside <= Self.mostNamed { log.error(session.report) }
    }

    mutating func add(_ read: FilesRead, _ fates: [FlowFate]) {
        problems = read.problems
        let flows = problems.isEmpty ? fates.map(\.sentence) + read.unchanged.map { "\($0): unchanged" } : []
        lines = flows + others + read.warnings
        for line in flows { log.notice("\(name): \(line)") }
        for warning in read.warnings { log.warning("\(name): \(warning)") }
        for problem in problems { log.error("\(name): \(problem)") }
        if !problems.isEmpty { log.error("\(name): nothing of the flows has changed") }
        if aside > Self.mostNamed {
            log.error("\(name): \(aside - Self.mostNamed) more sessions were set aside; SESSIONS 0 STATE ! names them")
        }
        if lines.isEmpty, problems.isEmpty { log.notice("\(name): there is nothing to read again") }
    }

    /// The lines; an error if any flow file has one.
    func answer(_ reply: ReplyBuffer) {
        guard let first = problems.first else {
            reply.append(arrayOf: lines.count)
            for line in lines { reply.append(bulk: line) }
            return
        }
        let more = problems.count == 1 ? "" : "; and \(problems.count - 1) more, which the log has"
        reply.append(error: .badFlow, "\(first)\(more); nothing of the flows has changed")
    }
}

extension FlowFate {
    /// `quiz: changed, 12 sessions go on, 1 is set aside: it has no state 'question'`
    fileprivate var sentence: String {
        let word =
            switch change {
            case .new: "new"
            case .changed: "changed"
            case .gone: "gone"
            }
        var parts = [word]
        if going > 0 { parts.append("\(going.sessions) \(going == 1 ? "goes" : "go") on") }
        if back > 0 { parts.append("\(count(back)) \(back == 1 ? "is" : "are") back") }
        if aside > 0 {
            let counted = going + back > 0 ? "\(aside)" : aside.sessions
            parts.append("\(counted) \(aside == 1 ? "is" : "are") set aside: \(problem ?? "")")
        }
        return "\(flow): \(parts.joined(separator: ", "))"
    }

    private func count(_ back: Int) -> String { going > 0 ? "\(back)" : back.sessions }
}

extension Int {
    fileprivate var sessions: String { self == 1 ? "1 session" : "\(self) sessions" }
}
