// A client of the daemon, independent of how requests and replies travel.

import GameFlow
import RESP

/// The client's connection, as commands see it.
package protocol ClientEndpoint: AnyObject {
    /// Shown to people.
    var address: String { get }
    /// Whether the client can authenticate with a token.
    var isAskedForToken: Bool { get }
    /// Whether the client can still be sent messages.
    var isOpen: Bool { get }

    /// A pushed message is in the output.
    func hasMessage()
    /// The client has authenticated, or was reset.
    func trustHasChanged()
    /// The client has sent a wrong token.
    func tokenWasWrong()
    /// The client has quit: closes once the output is sent.
    func closeWhenSent()
}

/// Carries out requests, one at a time; replies collect in `output`.
package final class Client {
    package let id: Int
    package var name = ""
    /// The source of its events.
    package let source: EventSource
    package let output: ReplyBuffer
    /// Decides what it may ask.
    package var trust: ClientTrust { currentTrust }
    @exclusivity(unchecked) private var currentTrust: ClientTrust { didSet { followCircumstances() } }
    @exclusivity(unchecked) var channels: Set<ByteString> = [] { didSet { followCircumstances() } }
    @exclusivity(unchecked) var patterns: Set<ByteString> = [] { didSet { followCircumstances() } }
    /// Roughly the memory of its subscriptions, in bytes.
    package var subscriptionBytes: Int { heldBytes }
    @exclusivity(unchecked) var heldBytes = 0
    /// Whether some commands may be refused to it: one cheap check for the usual case.
    @exclusivity(unchecked) private(set) var isRestricted = false
    /// Nil for a client within the process. The endpoint owns the client, and clears this when it is deallocated. (A weak reference would
    /// make every retain of the endpoint slow, and there are several per request.)
    @exclusivity(unchecked) package unowned(unsafe) var endpoint: (any ClientEndpoint)?
    /// Owns the clients, and outlives them.
    package unowned(unsafe) let host: Host
    /// Reused for every request.
    package let call: Call

    package init(
        id: Int, from source: EventSource, trust: ClientTrust = .trusted, keeping kept: Int = 64 << 10, of host: Host
    ) {
        self.id = id
        self.source = source
        currentTrust = trust
        self.host = host
        output = ReplyBuffer(keeping: kept)
        call = Call(of: host, output, from: source)
        call.belong(to: self)
        followCircumstances()
    }

    private func followCircumstances() { isRestricted = trust == .stranger || isSubscribed }

    var address: String { endpoint?.address ?? "in the daemon" }
    var isAskedForToken: Bool { endpoint?.isAskedForToken ?? false }
    var subscriptionCount: Int { channels.count + patterns.count }
    package var isSubscribed: Bool { subscriptionCount > 0 }

    /// Appends a pushed message.
    func push(_ words: [ByteString]) {
        guard endpoint?.isOpen ?? true else { return }
        output.append(pushOf: words.count)
        for word in words { word.withBytes { output.append(bulk: $0) } }
        endpoint?.hasMessage()
    }

    /// The client has authenticated, or was reset.
    func becomes(_ trust: ClientTrust) {
        currentTrust = trust
        endpoint?.trustHasChanged()
    }
}
