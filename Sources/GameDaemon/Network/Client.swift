// Whoever asks the daemon for something, however their words come and their replies go.

import GameFlow
import RESP

/// Has requests carried out, one at a time; what is to be said to it collects in `output`.
package class Client {
    let id: Int
    var name = ""
    /// The side from which its events come.
    let source: EventSource
    let output = ReplyBuffer()
    @exclusivity(unchecked) var channels: [String] = []
    @exclusivity(unchecked) var patterns: [String] = []
    /// It has the clients, and outlives them.
    unowned(unsafe) let daemon: Daemon
    /// The request that is being carried out.
    let call: Call

    init(id: Int, from source: EventSource, of daemon: Daemon) {
        self.id = id
        self.source = source
        self.daemon = daemon
        call = Call(of: daemon, output, from: source)
        call.belong(to: self)
    }

    var subscriptionCount: Int { channels.count + patterns.count }
    var isSubscribed: Bool { subscriptionCount > 0 }

    /// A message that nobody has asked for just now.
    func push(_ words: [String]) {
        output.append(pushOf: words.count)
        for word in words { output.append(bulk: word) }
    }

    /// It has said that it is done.
    func closeWhenSent() {}
}
