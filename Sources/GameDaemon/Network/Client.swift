// Whoever asks the daemon for something, however their words come and their replies go.

import GameFlow
import RESP

/// Has requests carried out, one at a time; what is to be said to it collects in `output`.
package class Client {
    let id: Int
    var name = ""
    /// The side from which its events come.
    let source: EventSource
    let output: ReplyBuffer
    /// Who it is, as far as that decides what it may ask.
    @exclusivity(unchecked) private(set) final var standing: Standing { didSet { followCircumstances() } }
    @exclusivity(unchecked) final var channels: Set<ByteString> = [] { didSet { followCircumstances() } }
    @exclusivity(unchecked) final var patterns: Set<ByteString> = [] { didSet { followCircumstances() } }
    /// What its subscriptions take in memory, about.
    @exclusivity(unchecked) final var subscriptionBytes = 0
    /// Whether there may be something that it may not ask just now: nearly always there is nothing, and that is soon seen.
    @exclusivity(unchecked) private(set) final var isRestricted = false
    /// It has the clients, and outlives them.
    unowned(unsafe) let daemon: Daemon
    /// The request that is being carried out.
    let call: Call

    init(id: Int, from source: EventSource, standing: Standing = .trusted, keeping kept: Int = 64 << 10, of daemon: Daemon) {
        self.id = id
        self.source = source
        self.standing = standing
        self.daemon = daemon
        output = ReplyBuffer(keeping: kept)
        call = Call(of: daemon, output, from: source)
        call.belong(to: self)
        followCircumstances()
    }

    private func followCircumstances() { isRestricted = standing == .stranger || isSubscribed }

    /// How it came in: for people.
    var address: String { "in the daemon" }
    /// Whether a token could tell who it is.
    var isAskedForToken: Bool { false }

    var subscriptionCount: Int { channels.count + patterns.count }
    var isSubscribed: Bool { subscriptionCount > 0 }

    /// A message that nobody has asked for just now.
    func push(_ words: [ByteString]) {
        output.append(pushOf: words.count)
        for word in words { word.withBytes { output.append(bulk: $0) } }
    }

    /// It has said who it is, or wants to begin anew.
    func becomes(_ standing: Standing) {
        self.standing = standing
    }

    /// A guess of its was wrong.
    func guessedWrongly() {}

    /// It has said that it is done.
    func closeWhenSent() {}
}
