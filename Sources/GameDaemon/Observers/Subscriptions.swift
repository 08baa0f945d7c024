// Who is told of which sessions' changes.

import GameFlow
import RESP
import Timers

final class Subscriptions {
    enum Kind {
        case channel, pattern
    }

    private var channels: [String: [Client]] = [:]
    private var patterns: [(name: String, glob: Glob, client: Client)] = []

    func add(_ client: Client, _ kind: Kind, _ name: String) throws(CommandError) {
        guard !names(of: client, kind).contains(name) else { return }
        guard client.subscriptionCount < client.daemon.limits.subscriptions else {
            throw .limit(
                \.subscriptions, "this connection has subscribed \(client.subscriptionCount) times, as often as is allowed")
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
    func tell(_ session: Session, _ occurrence: Occurrence) {
        guard occurrence.refusal == nil, !channels.isEmpty || !patterns.isEmpty else { return }
        let channel = "session:" + session.name
        let message = Self.message(session, occurrence)
        for client in channels[channel] ?? [] { client.push(["message", channel, message]) }
        for entry in patterns where entry.glob.matches(channel) {
            entry.client.push(["pmessage", entry.name, channel, message])
        }
    }

    private static func message(_ session: Session, _ occurrence: Occurrence) -> String {
        JSON.object([
            .init("session", .string(session.name)), .init("flow", .string(session.machine.flowName)),
            .init("event", occurrence.event.map { .string($0) } ?? .null), .init("source", .string(occurrence.source.name)),
            .init("timer", occurrence.timer.map { .string($0) } ?? .null), .init("from", .string(occurrence.from)),
            .init("to", .string(occurrence.to)), .init("version", .integer(Int(occurrence.version))),
        ]).description
    }
}
