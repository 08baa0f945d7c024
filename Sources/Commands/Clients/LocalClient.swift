// A client within the process: runs commands without a socket.

import GameFlow
import RESP

package final class LocalClient {
    package let client: Client
    /// `name` is its actor in the history.
    package convenience init(of host: Host, from source: EventSource = .ui, named name: String? = nil) {
        self.init(Client(id: 0, from: source, named: name, of: host))
    }

    package init(_ client: Client) {
        self.client = client
        client.output.protocolVersion = .resp3
    }

    /// Runs a command and the timers it makes due, and returns the reply. Messages pushed meanwhile come first. The reply to an event that
    /// waits for a hook comes later, and `takeReplies` returns it.
    package func run(_ words: [String]) -> [Reply] {
        var request = StoredRequests()
        request.append(words)
        request.forEach { client.call.execute($0) }
        client.host.fireDueTimers()
        return takeReplies()
    }

    /// Replies and messages since the last call.
    package func takeReplies() -> [Reply] {
        var (reader, replies) = (ReplyReader(), [Reply]())
        // Replies that this process writes are valid.
        while let next = try? reader.next(in: client.output.unsent) {
            replies.append(next.reply)
            client.output.consume(next.length)
        }
        return replies
    }
}
