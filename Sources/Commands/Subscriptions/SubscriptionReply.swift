// The common parts of the six commands that subscribe and unsubscribe.

import Memory
import RESP

extension Call {
    /// Throws if a name is no channel. If a name is refused for another reason, those before it stay subscribed.
    func subscribe(_ kind: ChannelKind, to names: [ByteString]) throws(CommandError) -> SubscriptionReply {
        for name in names { try SessionChannel.check(name, kind) }
        var reply = SubscriptionReply(of: self, kind)
        do throws(CommandError) {
            for name in names {
                try host.subscriptions.add(client, kind, name)
                reply.confirm(name, client.count(of: kind))
            }
        } catch {
            guard !reply.confirmations.isEmpty else { throw error }
            recordDenial(error)
            reply.error = EncodedReply(error: error.code, sentence(of: error))
        }
        charge(requests: reply.pieces)
        return reply
    }

    /// Subscribes to channels, of which one may go on since a message: `known` is the last one of its session that the client has received.
    func subscribe(
        _ kind: ChannelKind, to names: [ByteString], since known: NumberInLife?
    ) throws(CommandError) -> SubscriptionReply {
        guard let known else { return try subscribe(kind, to: names) }
        // A session that is not restored yet would seem to be gone.
        if host.isLoading, let unavailability = host.unavailability { throw unavailability }
        let session = try resumedSession(kind, names)
        var reply = try subscribe(kind, to: names)
        reply.missed = MissedMessages.texts(of: session, since: known, for: self)
        return reply
    }

    /// The session to resume messages of; throws if there is not exactly one.
    private func resumedSession(_ kind: ChannelKind, _ names: [ByteString]) throws(CommandError) -> ByteString {
        guard names.count == 1, let channel = SessionChannel(names[0], kind), channel.subject == .history else {
            throw CommandError(.generic, "SINCE is for one channel of a session, such as session:NAME SINCE 3:17")
        }
        guard !client.isExecuting else {
            throw CommandError(.generic, "SINCE cannot be used within MULTI, because its reply would contain messages")
        }
        return channel.session
    }

    /// Unsubscribes from the names, or from all if there are none.
    func unsubscribe(_ kind: ChannelKind, from names: [ByteString]) -> SubscriptionReply {
        var reply = SubscriptionReply(of: self, kind)
        for name in names.isEmpty ? client.names(of: kind).sorted() : names {
            host.subscriptions.remove(client, kind, name)
            reply.confirm(name, client.count(of: kind))
        }
        if reply.confirmations.isEmpty { reply.confirm(nil, client.count(of: kind)) }
        charge(requests: reply.pieces)
        return reply
    }
}

/// A confirmation for each name, as Redis sends them.
struct SubscriptionReply: ReplyValue {
    private let command: String
    private let kind: ChannelKind
    /// Within EXEC's reply, a confirmation is a part of that.
    private let isPush: Bool
    /// The name, and how many subscriptions there are with it.
    private(set) var confirmations: [(name: ByteString?, count: Int)] = []
    /// Messages that follow the confirmation.
    var missed: [String] = []
    /// The refusal of the next name.
    var error: EncodedReply?

    init(of call: Call, _ kind: ChannelKind) {
        (command, self.kind, isPush) = (call.command.name.lowercased(), kind, !call.client.isExecuting)
    }

    mutating func confirm(_ name: ByteString?, _ count: Int) { confirmations.append((name, count)) }

    /// Two subscriptions take about as long as a request.
    var pieces: Int { confirmations.count / 2 }

    var replyCount: Int { confirmations.count + (error == nil ? 0 : 1) }

    func write(to reply: ReplyBuffer) {
        for (name, count) in confirmations {
            if isPush { reply.append(pushOf: 3) } else { reply.append(arrayOf: 3) }
            reply.append(bulk: command)
            name.write(to: reply)
            reply.append(integer: count)
        }
        for message in missed {
            reply.append(pushOf: 3)
            kind.messageWord.write(to: reply)
            confirmations[0].name.write(to: reply)
            message.write(to: reply)
        }
        if let error { reply.append(error) }
    }
}

extension CommandParameter<[ByteString]> {
    /// Names of channels, each of one of these kinds.
    static func channels(_ kinds: [String], atLeast least: Int) -> CommandParameter {
        var argument = kinds.count == 1 ? CommandArgument(kinds[0]) : .choice(kinds)
        (argument.isOptional, argument.isRepeated) = (least == 0, true)
        return .several(argument, .bytes, atLeast: least)
    }
}

extension CommandParameter<NumberInLife?> {
    static let since = CommandParameter.optional(keyword: "SINCE", "life:seq", .messageNumber)
}
