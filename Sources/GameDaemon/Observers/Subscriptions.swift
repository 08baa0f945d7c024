// Who is told of which sessions' changes.

import GameFlow
import RESP
import Timers

final class Subscriptions {
    enum Kind {
        case channel, pattern
    }

    private static let mostPerClient = 10_000
    @exclusivity(unchecked) private var channels: [String: [Client]] = [:]
    @exclusivity(unchecked) private var patterns: [(name: String, glob: Glob, client: Client)] = []

    /// Nearly always there is nobody.
    var hasAny: Bool { !channels.isEmpty || !patterns.isEmpty }

    func add(_ client: Client, _ kind: Kind, _ name: String) throws(CommandError) {
        guard !names(of: client, kind).contains(name) else { return }
        guard client.subscriptionCount < Self.mostPerClient else {
            throw CommandError("LIMIT", "a connection may subscribe \(Self.mostPerClient) times")
        }
        switch kind {
        case .channel:
            channels[name, default: []].append(client)
            client.channels.append(name)
        case .pattern:
            patterns.append((name, Glob(name), client))
            client.patterns.append(name)
        }
    }

    func remove(_ client: Client, _ kind: Kind, _ name: String) {
        switch kind {
        case .channel:
            channels[name]?.removeAll { $0 === client }
            if channels[name]?.isEmpty == true { channels[name] = nil }
            client.channels.removeAll { $0 == name }
        case .pattern:
            patterns.removeAll { $0.client === client && $0.name == name }
            client.patterns.removeAll { $0 == name }
        }
    }

    func removeAll(of client: Client) {
        for name in client.channels { remove(client, .channel, name) }
        for name in client.patterns { remove(client, .pattern, name) }
    }

    func names(of client: Client, _ kind: Kind) -> [String] {
        switch kind {
        case .channel: client.channels
        case .pattern: client.patterns
        }
    }

    func count(of client: Client) -> Int { client.subscriptionCount }

    /// Tells whoever wants to know of what has happened to a session.
    func tell(_ session: Session, _ occurrence: borrowing Occurrence) {
        guard occurrence.refused == nil else { return }
        let channel = "session:" + session.name
        let message = Self.message(session, occurrence)
        for client in channels[channel] ?? [] { client.push(["message", channel, message]) }
        for entry in patterns where entry.glob.matches(channel) {
            entry.client.push(["pmessage", entry.name, channel, message])
        }
    }

    private static func message(_ session: Session, _ occurrence: borrowing Occurrence) -> String {
        let kind = session.machine.kind
        return JSON.object([
            .init("session", .string(session.name)), .init("flow", .string(kind.name)),
            .init("event", occurrence.eventName(in: kind).map { .string($0) } ?? .null),
            .init("source", .string(occurrence.cause.source.name)),
            .init("timer", kind.timerName(at: occurrence.cause.timer).map { .string($0) } ?? .null),
            .init("from", .string(kind.stateName(at: occurrence.from))),
            .init("to", .string(kind.stateName(at: occurrence.to))), .init("version", .integer(Int(occurrence.version))),
        ]).description
    }
}
