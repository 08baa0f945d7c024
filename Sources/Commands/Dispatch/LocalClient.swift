// A client within the process: for whoever wants to say a command and have its reply, with no socket between.

import GameFlow
import RESP

package final class LocalClient {
    package let client: Client
    private var input = ByteQueue()
    private var parser = RequestParser(limits: LocalClient.limits)
    private static var limits: RequestLimits { RequestLimits(isAuthenticated: true, arguments: 1 << 16, bulk: 32 << 20) }

    package init(of host: Host, from source: EventSource = .ui) {
        client = Client(id: 0, from: source, of: host)
        client.output.protocolVersion = .resp3
    }

    /// Carries the words out as a command, with what that makes due, and returns the reply. What was pushed meanwhile comes first.
    package func run(_ words: [String]) -> [Reply] {
        input.append(request: words)
        do throws(RequestError) {
            guard let length = try parser.next(in: input.bytes) else { return [] }
            client.call.carryOut(Request(words: Words(parser.arguments)))
            input.consume(length)
        } catch {
            // Nothing of it will ever be a request.
            input.removeAll()
            parser = RequestParser(limits: Self.limits)
            client.output.append(error: "ERR", "\(error)")
        }
        client.host.settle()
        return takeReplies()
    }

    /// What has been said to it since it last asked.
    func takeReplies() -> [Reply] {
        var (reader, replies) = (ReplyReader(), [Reply]())
        // What this process writes, it can read.
        while let next = try? reader.next(in: client.output.unsent) {
            replies.append(next.reply)
            client.output.consume(next.length)
        }
        return replies
    }
}
