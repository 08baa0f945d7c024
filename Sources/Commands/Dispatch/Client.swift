// Who asks the daemon for something, however the requests come and the replies go.

import GameFlow
import RESP

/// Where a client's replies go, and what it can be told beside them.
package protocol ClientEndpoint: AnyObject {
    /// For people.
    var address: String { get }
    /// Whether a token could tell who the client is.
    var isAskedForToken: Bool { get }
    /// Whether messages still reach the client.
    var isOpen: Bool { get }

    /// A message that nobody has asked for just now is in the output.
    func hasMessage()
    /// The client has said who it is, or begins anew.
    func standingHasChanged()
    /// It has said a wrong token.
    func guessedWrongly()
    /// It has said that it is done: what is in the output is sent first.
    func closeWhenSent()
}

/// Has requests carried out, one at a time; what it is told collects in `output`.
package final class Client {
    package let id: Int
    package var name = ""
    /// The side that its events come from.
    package let source: EventSource
    package let output: ReplyBuffer
    /// Who it is, as far as that decides what it may ask.
    package var standing: Standing { currentStanding }
    @exclusivity(unchecked) private var currentStanding: Standing { didSet { followCircumstances() } }
    @exclusivity(unchecked) var channels: Set<ByteString> = [] { didSet { followCircumstances() } }
    @exclusivity(unchecked) var patterns: Set<ByteString> = [] { didSet { followCircumstances() } }
    /// What its subscriptions take in memory, about.
    package var subscriptionBytes: Int { heldBytes }
    @exclusivity(unchecked) var heldBytes = 0
    /// Whether there may be something that it may not ask just now: nearly always there is nothing, and that is soon seen.
    @exclusivity(unchecked) private(set) var isRestricted = false
    /// Nil for a client within the process. An endpoint owns its client, and takes itself out when it goes. (A weak reference would make
    /// each count of the endpoint's references slow, and there are several in every request.)
    @exclusivity(unchecked) package unowned(unsafe) var endpoint: (any ClientEndpoint)?
    /// It has the clients, and outlives them.
    package unowned(unsafe) let host: Host
    /// The request that is being carried out.
    package let call: Call

    package init(
        id: Int, from source: EventSource, standing: Standing = .trusted, keeping kept: Int = 64 << 10, of host: Host
    ) {
        self.id = id
        self.source = source
        currentStanding = standing
        self.host = host
        output = ReplyBuffer(keeping: kept)
        call = Call(of: host, output, from: source)
        call.belong(to: self)
        followCircumstances()
    }

    private func followCircumstances() { isRestricted = standing == .stranger || isSubscribed }

    var address: String { endpoint?.address ?? "in the daemon" }
    var isAskedForToken: Bool { endpoint?.isAskedForToken ?? false }
    var subscriptionCount: Int { channels.count + patterns.count }
    package var isSubscribed: Bool { subscriptionCount > 0 }

    /// A message that nobody has asked for just now.
    func push(_ words: [ByteString]) {
        guard endpoint?.isOpen ?? true else { return }
        output.append(pushOf: words.count)
        for word in words { word.withBytes { output.append(bulk: $0) } }
        endpoint?.hasMessage()
    }

    /// It has said who it is, or begins anew.
    func becomes(_ standing: Standing) {
        currentStanding = standing
        endpoint?.standingHasChanged()
    }
}
