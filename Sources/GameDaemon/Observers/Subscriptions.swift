// Who is told of which sessions' changes.

import GameFlow
import RESP
import Timers

final class Subscriptions {
    enum Kind {
        case channel, pattern
    }

    /// Those who want to know of the same.
    private typealias Audience = [ObjectIdentifier: Client]

    @exclusivity(unchecked) private var channels: [String: Audience] = [:]
    @exclusivity(unchecked) private var patterns: [String: (glob: Glob, audience: Audience)] = [:]

    /// Nearly always there is nobody.
    var hasAny: Bool { !channels.isEmpty || !patterns.isEmpty }

    func add(_ client: Client, _ kind: Kind, _ name: String) throws(CommandError) {
        guard !names(of: client, kind).contains(name) else { return }
        try check(client, name)
        switch kind {
        case .channel:
            channels[name, default: [:]][ObjectIdentifier(client)] = client
            client.channels.insert(name)
        case .pattern:
            patterns[name, default: (Glob(name), [:])].audience[ObjectIdentifier(client)] = client
            client.patterns.insert(name)
        }
    }

    private func check(_ client: Client, _ name: String) throws(CommandError) {
        let limits = client.daemon.limits
        guard client.subscriptionCount < limits.subscriptions else {
            throw .limit(
                \.subscriptions, "this connection has subscribed \(client.subscriptionCount) times, as often as is allowed")
        }
        // A pattern may take several bytes for each of a name's.
        let longest = "session:".utf8.count + 4 * limits.nameLength
        guard name.utf8.count <= longest else {
            throw .limit(\.nameLength, "what is subscribed to has \(longest) bytes at the most, and not \(name.utf8.count)")
        }
    }

    func remove(_ client: Client, _ kind: Kind, _ name: String) {
        let me = ObjectIdentifier(client)
        switch kind {
        case .channel:
            channels[name]?[me] = nil
            if channels[name]?.isEmpty == true { channels[name] = nil }
            client.channels.remove(name)
        case .pattern:
            patterns[name]?.audience[me] = nil
            if patterns[name]?.audience.isEmpty == true { patterns[name] = nil }
            client.patterns.remove(name)
        }
    }

    func removeAll(of client: Client) {
        for name in client.channels { remove(client, .channel, name) }
        for name in client.patterns { remove(client, .pattern, name) }
    }

    func names(of client: Client, _ kind: Kind) -> Set<String> {
        switch kind {
        case .channel: client.channels
        case .pattern: client.patterns
        }
    }

    func count(of client: Client) -> Int { client.subscriptionCount }

    /// Tells whoever wants to know of what has happened to a session.
    func tell(_ session: Session, _ occurrence: borrowing Occurrence) {
        guard !occurrence.isRefused else { return }
        let channel = "session:" + session.name
        let message = Self.message(session, occurrence)
        if let audience = channels[channel] {
            for client in audience.values { client.push(["message", channel, message]) }
        }
        for (name, pattern) in patterns where pattern.glob.matches(channel) {
            for client in pattern.audience.values { client.push(["pmessage", name, channel, message]) }
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
            .init("to", .string(kind.stateName(at: occurrence.to))), .init("life", .integer(Int(session.life))),
            .init("version", .integer(Int(occurrence.version))),
        ]).description
    }
}
