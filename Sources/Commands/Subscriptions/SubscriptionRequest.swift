// The common parts of the six commands that subscribe and unsubscribe.

import Memory
import RESP

protocol ChannelRequest: PromptRequest where Value == SubscriptionReply {
    var names: [ByteString] { get }
    static var kind: Subscriptions.Kind { get }
}

protocol SubscriptionRequest: ChannelRequest {}

extension SubscriptionRequest {
    /// The names before one that is refused are subscribed to.
    func subscribe(_ call: Call) throws(CommandError) -> SubscriptionReply {
        var reply = SubscriptionReply(of: self, call)
        do throws(CommandError) {
            for name in names {
                try call.host.subscriptions.add(call.client, Self.kind, name)
                reply.confirm(name, call.client.count(of: Self.kind))
            }
        } catch {
            guard !reply.confirmations.isEmpty else { throw error }
            call.recordDenial(error)
            reply.error = EncodedReply(error: error.code, call.sentence(of: error))
        }
        return reply
    }
}

/// Subscribes to channels, of which one may go on since a message.
protocol ChannelSubscriptionRequest: SubscriptionRequest {
    /// The last message of the session that the client has received; nil without SINCE.
    var known: NumberInLife? { get }
}

extension ChannelSubscriptionRequest {
    func run(_ call: Call) throws(CommandError) -> SubscriptionReply {
        guard let known else { return try subscribe(call) }
        let session = try resumedSession(call)
        var reply = try subscribe(call)
        reply.missed = MissedMessages(of: session, since: known, for: call).messages
        return reply
    }

    /// The session to resume messages of; throws if there is not exactly one.
    private func resumedSession(_ call: Call) throws(CommandError) -> ByteString {
        let channel = Self.kind == .sharded ? SessionChannel(sharded: names[0]) : SessionChannel(plain: names[0])
        guard names.count == 1, let channel, channel.subject == .history else {
            throw CommandError(.generic, "SINCE is for one channel of a session, such as session:NAME SINCE 3:17")
        }
        guard !call.client.isExecuting else {
            throw CommandError(.generic, "SINCE cannot be used within MULTI, whose reply would have messages in it")
        }
        return channel.session
    }
}

protocol UnsubscribingRequest: ChannelRequest {}

extension UnsubscribingRequest {
    func run(_ call: Call) throws(CommandError) -> SubscriptionReply {
        let (subscriptions, client) = (call.host.subscriptions, call.client)
        var reply = SubscriptionReply(of: self, call)
        for name in names.isEmpty ? subscriptions.names(of: client, Self.kind).sorted() : names {
            subscriptions.remove(client, Self.kind, name)
            reply.confirm(name, client.count(of: Self.kind))
        }
        if reply.confirmations.isEmpty { reply.confirm(nil, client.count(of: Self.kind)) }
        return reply
    }
}

/// A confirmation for each name, as Redis sends them.
struct SubscriptionReply: ReplyValue {
    private let command: String
    private let kind: Subscriptions.Kind
    /// Within EXEC's reply, a confirmation is a part of that.
    private let isPush: Bool
    /// The name, and how many subscriptions there are with it.
    private(set) var confirmations: [(name: ByteString?, count: Int)] = []
    /// Messages that follow the confirmation.
    var missed: [String] = []
    /// The refusal of the next name.
    var error: EncodedReply?

    init<Request: ChannelRequest>(of _: Request, _ call: Call) {
        command = Request.command.name.lowercased()
        kind = Request.kind
        isPush = !call.client.isExecuting
    }

    mutating func confirm(_ name: ByteString?, _ count: Int) { confirmations.append((name, count)) }

    var replyCount: Int { confirmations.count + (error == nil ? 0 : 1) }

    func write(to reply: some ReplyWriter) {
        for (name, count) in confirmations {
            if isPush { reply.append(pushOf: 3) } else { reply.append(arrayOf: 3) }
            reply.append(bulk: command)
            name.write(to: reply)
            reply.append(integer: count)
        }
        for message in missed {
            reply.append(pushOf: 3)
            (kind == .sharded ? Subscriptions.shardedMessage : Subscriptions.message).write(to: reply)
            confirmations[0].name.write(to: reply)
            message.write(to: reply)
        }
        if let error { reply.append(error) }
    }
}

extension CommandParameter<[ByteString]> {
    /// Names of channels, each of one of these kinds.
    static func channels(_ kinds: [String], atLeast least: Int) -> CommandParameter {
        .several(choice: kinds, .bytes, atLeast: least)
    }
}

extension CommandParameter<NumberInLife?> {
    static let since = CommandParameter.optional(keyword: "SINCE", "life:seq", .messageNumber)
}
