// What the six subscribing commands have in common.

import Memory
import RESP

protocol ChannelRequest: PromptRequest where Value == SubscriptionReply {
    var names: [ByteString] { get }
    static var kind: Subscriptions.Kind { get }
}

protocol SubscribingRequest: ChannelRequest {}

extension SubscribingRequest {
    /// The names before one that is refused are subscribed to.
    func run(_ call: Call) throws(CommandError) -> SubscriptionReply {
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
    let command: String
    /// Within EXEC's reply, a confirmation is a part of that.
    let isPush: Bool
    /// The name, and how many subscriptions there are with it.
    private(set) var confirmations: [(name: ByteString?, count: Int)] = []
    /// Why the next name was refused.
    var error: EncodedReply?

    init<Request: ChannelRequest>(of _: Request, _ call: Call) {
        command = Request.command.name.lowercased()
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
        if let error { reply.append(error) }
    }
}

extension CommandArgument {
    /// Names of channels, each of one of these kinds.
    static func channels(_ kinds: [String], isOptional: Bool = false) -> CommandArgument {
        var argument = kinds.count == 1 ? CommandArgument(kinds[0]) : .choice(kinds)
        (argument.isOptional, argument.isRepeated) = (isOptional, true)
        return argument
    }
}
