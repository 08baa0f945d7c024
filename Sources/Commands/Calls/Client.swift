// A client of the daemon, independent of how requests and replies travel.

import GameFlow
import Memory
import RESP
import Sessions

/// The client's connection, as commands see it.
package protocol ClientEndpoint: AnyObject {
    /// Shown to people.
    var address: String { get }
    /// The client in the history: a user's name, or how it came.
    var actor: String { get }
    /// Whether the client can authenticate with a token.
    var mayAuthenticate: Bool { get }
    /// The machine that it comes from, as a network address; nil for this one.
    var machine: String? { get }
    /// Whether the client can still be sent messages.
    var isOpen: Bool { get }

    /// The reply to the request being carried out comes later: no further one is carried out until then.
    func didDeferReply()
    /// The reply is in the output.
    func didCompleteReply()
    /// The last bytes of the output are a pushed message.
    func didPushMessage(_ bytes: Int)
    /// The client has authenticated, or was reset.
    func didChangeTrust()
    /// Throws if the token has as many connections as it may have.
    func checkRoom(for token: Token) throws(CommandError)
    /// The user at the other end of a UNIX socket; nil over the network, and within the process.
    var localUser: String? { get }
    /// The client has sent a wrong token.
    func didRejectToken(_ error: CommandError)
    /// The client has quit: closes once the output is sent.
    func closeWhenSent()
}

/// Carries out requests, one at a time; replies collect in `output`.
package final class Client {
    package let id: Int
    package var name = ""
    /// The source of its events, unless a command states another.
    let ownSource: EventSource
    package let output: ReplyBuffer
    /// Decides which commands it may use.
    package private(set) var grant: Grant { didSet { updateIsRestricted() } }
    package var trust: ClientTrust { currentTrust }
    /// Its grant's, for the path of every event.
    private var currentTrust: ClientTrust
    /// The token that it has sent, if it has sent one.
    package private(set) var token: Token?
    /// The grant that it had before authenticating.
    let firstGrant: Grant
    /// The names and patterns that it has subscribed to.
    var subscribed: [ChannelKind: Set<ByteString>] = [:] { didSet { updateIsRestricted() } }
    package private(set) var isSubscribed = false
    /// Roughly the memory of its subscriptions, of the commands that it has queued, and of what waits for late answers, in bytes.
    package var stateBytes: Int { heldBytes }
    var heldBytes = 0
    /// The commands queued since MULTI; nil outside of a transaction.
    var transaction: Transaction? { didSet { updateIsRestricted() } }
    /// The transaction's share of `heldBytes`.
    var transactionBytes = 0
    /// Whether its connection has closed, and dropped the output.
    package var isGone = false
    /// Whether EXEC is being carried out.
    private(set) var isExecuting = false
    /// Whether the command of EXEC that is being carried out may have taken long: to charge the turn for it clears the loop's own mark.
    var mayHaveTakenLong = false
    /// Pushed messages that wait for the end of EXEC's reply; nil if they need not wait.
    private var messages: ReplyBuffer?
    /// Where each of them begins.
    private var messageStarts: [Int] = []
    /// Whether some commands may be refused to it: one cheap check for the usual case.
    private(set) var isRestricted = false
    /// Nil for clients within the process and of the page. The endpoint owns the client, and clears this when it is deallocated. (A weak
    /// reference would make every retain of the endpoint slow, and there are several per request.)
    @exclusivity(unchecked) package unowned(unsafe) var endpoint: (any ClientEndpoint)? {
        didSet { if endpoint != nil { updateActor() } }
    }
    /// Owns the clients, and outlives them.
    package unowned(unsafe) let host: Host
    /// Reused for every request.
    package let call: Call
    /// The receivers of answers that come later. A client on the wire has at most one.
    private var pending: [(receiver: any ReplyReceiver, bytes: Int)] = []
    /// Answers that are missing in EXEC's reply so far, and where.
    var answersInExecution: [(offset: Int, answer: any PendingPart)] = []
    /// Whether a reply is due later: then no further request may be carried out.
    @inlinable package var isWaiting: Bool { waits }
    @exclusivity(unchecked) @usableFromInline private(set) var waits = false
    /// Whether EXEC has carried out commands in this turn, and its reply is due.
    var hasDeferredExecution = false
    /// The name of a client within the process; nil for others.
    private let localName: String?
    /// Whether a client without an endpoint can get answers in a later turn.
    private let awaitsAnswers: Bool

    package init(
        id: Int, from source: EventSource, grant: Grant = .daemon, token: Token? = nil, keeping kept: Int = 64 << 10,
        named localName: String? = nil, awaitsAnswers: Bool = false, of host: Host
    ) {
        self.id = id
        ownSource = source
        (self.grant, firstGrant, self.token) = (grant, grant, token)
        currentTrust = grant.trust
        self.host = host
        (self.localName, self.awaitsAnswers) = (localName, awaitsAnswers)
        output = ReplyBuffer(keeping: kept)
        call = Call(of: host, output, from: source)
        call.belong(to: self)
        updateIsRestricted()
        updateActor()
    }

    private func updateIsRestricted() {
        currentTrust = grant.trust
        isSubscribed = subscriptionCount > 0
        isRestricted = grant.isLimited || isSubscribed || transaction != nil || token?.line.quota.isSet == true
    }

    /// Sets the actor of its events. A guest is known by its address alone.
    private func updateActor() {
        let kind: ActorTable.Kind = token == nil && (grant === Grant.guest || trust == .unauthenticated) ? .address : .known
        call.actor = actor.map { host.sessions.actors.number(of: $0, kind) } ?? .none
    }

    var address: String { endpoint?.address ?? localName ?? "in the daemon" }
    /// The client in the history; nil if it has no name.
    var actor: String? { endpoint?.actor ?? localName }
    /// The sender to whom the ids of its events belong. Masters on the UNIX socket share a grant, and guests share their ids.
    package var idOwner: String { (grant === Grant.daemon ? host.sessions.actors.name(call.actor) : nil) ?? grant.name }
    var canAwaitAnswers: Bool { awaitsAnswers || endpoint != nil }
    var mayAuthenticate: Bool { endpoint?.mayAuthenticate ?? false }
    var subscriptionCount: Int { subscribed.values.reduce(0) { $0 + $1.count } }

    /// Whether the session is among those that it may see.
    func sees(_ session: Session) -> Bool { grant.scope.map { session.withName($0.admits) } ?? true }

    func names(of kind: ChannelKind) -> Set<ByteString> { subscribed[kind] ?? [] }

    func hasSubscribed(_ kind: ChannelKind, to name: ByteString) -> Bool { subscribed[kind]?.contains(name) ?? false }

    /// How many subscriptions its confirmations say that it has: Redis counts sharded ones apart.
    func count(of kind: ChannelKind) -> Int {
        switch kind {
        case .channel, .pattern: names(of: .channel).count + names(of: .pattern).count
        case .sharded: names(of: .sharded).count
        }
    }

    /// Appends a pushed message: its kind, the names of its subjects, and its text.
    func push(_ words: [ByteString], _ text: String) {
        push(of: words.count + 1) { reply in
            for word in words { word.withBytes { reply.append(bulk: $0) } }
            reply.append(bulk: text)
        }
    }

    /// Appends a push of `count` parts.
    func push(of count: Int, _ write: (ReplyBuffer) -> Void) {
        guard endpoint?.isOpen ?? true else { return }
        let before = output.count
        if let messages {
            hold(count, write, in: messages)
        } else {
            output.append(pushOf: count)
            write(output)
        }
        endpoint?.didPushMessage(output.count - before)
    }

    /// Too much of it cuts the client off when it is released.
    private func hold(_ count: Int, _ write: (ReplyBuffer) -> Void, in messages: ReplyBuffer) {
        guard messages.count < host.limits.outputBytes else { return }
        let before = messages.footprint
        messageStarts.append(messages.count)
        messages.append(pushOf: count)
        write(messages)
        heldBytes += messages.footprint - before
    }

    /// The reply to its request comes later, by that receiver, which is held until then, and holds this many bytes.
    func wait(forReplyBy receiver: any ReplyReceiver, holding bytes: Int = 0) {
        pending.append((receiver, bytes))
        heldBytes += bytes
        waits = true
        endpoint?.didDeferReply()
    }

    func endWaiting(forReplyBy receiver: any ReplyReceiver) {
        for wait in pending where wait.receiver === receiver { heldBytes -= wait.bytes }
        pending.removeAll { $0.receiver === receiver }
        waits = !pending.isEmpty
    }

    /// The reply to its request has come.
    func answer(by receiver: any ReplyReceiver, _ write: (ReplyBuffer) -> Void) {
        endWaiting(forReplyBy: receiver)
        write(output)
        if !waits, !isExecuting { releaseMessages() }
        endpoint?.didCompleteReply()
    }

    /// Ends all pending replies with this error: their answers will not come.
    package func answer(_ error: CommandError) {
        for wait in pending { answer(by: wait.receiver) { $0.append(error: error.code, error.sentence) } }
    }

    /// From now on the output is in the middle of a reply, and a message must wait for its end.
    func beginExecution() {
        isExecuting = true
        holdMessages()
    }

    private func holdMessages() {
        messages = ReplyBuffer(protocolVersion: output.protocolVersion, keeping: 0)
        messageStarts = []
    }

    /// While EXEC's reply waits for answers, messages of a client with RESP2 wait, too: it would take them for the reply.
    func endExecution() {
        isExecuting = false
        if !waits || output.protocolVersion == .resp3 { releaseMessages() }
    }

    /// Whether EXEC's reply has become due since the last call.
    package func takeDeferredExecution() -> Bool {
        guard hasDeferredExecution else { return false }
        hasDeferredExecution = false
        return waits
    }

    /// The changes that they are about may be lost.
    package func discardMessages() {
        guard let held = messages else { return }
        heldBytes -= held.footprint
        holdMessages()
    }

    /// Whether messages wait for the end of EXEC's reply.
    var holdsMessages: Bool { messages != nil }

    private func releaseMessages() {
        guard let held = messages else { return }
        messages = nil
        heldBytes -= held.footprint
        guard !held.isEmpty, endpoint?.isOpen ?? true else { return }
        if held.protocolVersion == output.protocolVersion {
            output.append(preencoded: held.unsent)
        } else {
            appendMarkedAnew(Array(held.unsent))
        }
        messageStarts = []
        endpoint?.didPushMessage(held.count)
    }

    /// EXEC has changed the protocol's version, in which a message has another first byte.
    private func appendMarkedAnew(_ messages: [UInt8]) {
        var messages = messages
        for start in messageStarts { messages[start] = UInt8(ascii: output.protocolVersion == .resp3 ? ">" : "*") }
        messages.withUnsafeBytes { output.append(preencoded: $0) }
    }

    /// Whether views wait until the client has read the output sent to it.
    package var hasPendingViews: Bool { viewsArePending && !holdsMessages }
    var viewsArePending = false

    /// As shared bounds count it.
    package var consumer: Consumer {
        if let user = endpoint?.localUser { return Consumer(grant, user: user) }
        return Consumer(grant, token, machine: endpoint?.machine)
    }

    /// The client has sent this token.
    func authenticate(with token: Token) {
        // Its patterns need not move.
        guard self.token !== token else { return }
        host.subscriptions.move(self) {
            self.token = token; setGrant(token.grant)
        }
    }

    /// Resets the client to its first grant.
    func resetAuthentication() {
        guard grant !== firstGrant else { return }
        token = nil
        setGrant(firstGrant)
    }

    private func setGrant(_ grant: Grant) {
        self.grant = grant
        // Its events may come from elsewhere only while it has the right to say so.
        if !grant.has(.orchestrates) { call.source = ownSource }
        updateActor()
        endpoint?.didChangeTrust()
    }
}

// MARK: - A client within the process: runs commands without a socket.

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

// MARK: - A side that events come from, as the end of a turn sees it: what leaves, and when.

/// Holds a turn's output until the turn is over, and with durability `always` until it is on disk.
package protocol GatedOutput: AnyObject {
    /// The turn is over: its output may leave, or is held until this batch is on disk.
    func releaseOutput(awaiting batch: UInt64?)
    /// All batches up to this one are on disk.
    func releaseHeld(through safe: UInt64)
    /// The disk has failed: held answers are replaced by this error, before other output of this turn is released. `keepingMessages` if the changes
    /// may still be written: then messages about them keep waiting.
    func retractHeld(_ error: CommandError, safeThrough: UInt64, keepingMessages: Bool)
    /// The process is about to end: what waits for an answer gets this one.
    func answerWaiting(_ error: CommandError)
}
