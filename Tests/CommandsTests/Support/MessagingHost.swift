// A host whose sessions exchange messages, and what its log and its subscribers have received.

import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Logging
@testable import Sessions

/// A host in virtual time whose sessions perform the effects that they are sent.
final class MessagingHost {
    private let host: Host
    private let client: LocalClient
    private final class LogLines { var lines: [String] = [] }
    private let log = LogLines()

    var logged: [String] { log.lines.map { String($0.drop { $0 != " " }.dropFirst()) } }

    init() {
        let output = Log(level: .info, style: .dated) { [log] line in
            log.lines.append(String(decoding: line, as: UTF8.self))
            return true
        }
        host = Host(on: Timekeeper(VirtualClock()), flows: [.flow(EffectFlow.self)], commands: .all, log: output)
        client = LocalClient(of: host, from: .network)
    }

    var sessions: Sessions { host.sessions }
    var timekeeper: Timekeeper { host.timekeeper }

    /// The messages of subscriptions.
    private(set) var messages: [String] = []

    @discardableResult
    func run(_ words: String...) -> Reply {
        let replies = client.run(words)
        for case .push(let parts) in replies {
            if case .bulk(let text)? = parts.last { messages.append(String(decoding: text, as: UTF8.self)) }
        }
        return replies.last { if case .push = $0 { false } else { true } } ?? .null
    }

    /// Makes a session request the effects in this JSON.
    func perform(in session: String, _ effects: JSON...) { run("SEND", session, "perform", JSON.array(effects).description) }

    func create(_ names: String...) { for name in names { run("NEW", name, "effects") } }

    func record(_ session: String) throws -> JSON {
        try #require(try sessions[session]?.stateData()["record"])
    }

    func hits(_ session: String) throws -> Int { try #require(record(session)["hits"]?.integer) }

    /// The daemon's reports to this session.
    func received(_ session: String) throws -> [String] {
        guard case .array(let received)? = try record(session)["received"] else { return [] }
        return received.compactMap(\.text).filter { !$0.hasPrefix("I am ") }
    }

    /// The actor of the newest entry.
    func lastActor(_ session: String) -> String? {
        (sessions.find(session)?.history(1).first).flatMap { sessions.actors.name($0.cause.actor) }
    }

    /// The session's entries, the newest first.
    func history(_ session: String) -> [String] {
        sessions.find(session)?.history(9).map { line in
            let event = line.eventName(in: .flow(EffectFlow.self)) ?? line.kind.name
            let sentence = line.refusal(in: .flow(EffectFlow.self)) ?? ""
            return line.refused.map { "\(event) \($0.code): \(sentence)" } ?? "\(event) from \(line.cause.source.name)"
        } ?? []
    }

    var names: [String] { sessions.all.map(\.name).sorted() }
}
