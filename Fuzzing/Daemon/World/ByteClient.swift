// A client without a socket: bytes arrive in pieces, requests are read in batches, and replies are read or not.

import GameFlow
import RESP
@testable import Commands
@testable import GameDaemon
@testable import Journal
@testable import Sessions

final class ByteClient: ClientEndpoint {
    /// One request, and its replies.
    struct Exchange {
        let client: Int
        let words: [[UInt8]]
        /// The actor of the request.
        let actor: String
        /// The replies, and the messages that arrived meanwhile.
        let replies: [Reply]
        let pushes: [Reply]
        /// Whether only few commands were allowed.
        let wasRestricted: Bool
    }

    let client: Client
    private let daemon: Daemon
    private let batch = RequestBatch()
    private let number: Int
    private let isFromAfar: Bool
    private var input = ByteQueue(keeping: 0)
    private var parser: RequestParser
    /// How many bytes of its output have been checked.
    private var seen = 0
    private var wrongTokens = 0
    private var hasSubscribed = false
    /// Whether it has no further input.
    private(set) var isClosing = false
    /// Whether it reads its output.
    var reads = true { didSet { takeOutput() } }

    /// A remote client must send the token.
    init(_ number: Int, isFromAfar: Bool = false, of daemon: Daemon) {
        self.number = number
        self.isFromAfar = isFromAfar
        let grant: Grant = isFromAfar ? daemon.host.access.networkGrant(isLoopback: false) : .daemon
        parser = RequestParser(limits: daemon.limits.requests(of: grant.trust))
        self.daemon = daemon
        client = Client(id: number, from: .network, grant: grant, keeping: 16 << 10, of: daemon.host)
        client.endpoint = self
        if !isFromAfar { output.protocolVersion = .resp3 }
    }

    var output: ReplyBuffer { client.output }
    private var trust: ClientTrust { client.trust }

    let address = "in the fuzzer"
    let actor = "the fuzzer"
    var mayAuthenticate: Bool { isFromAfar }
    var machine: String? { nil }
    let isOpen = true

    func didDeferReply() {}
    func didCompleteReply() {}
    func didPushMessage(_: Int) {}

    func didChangeTrust() {
        parser.limits = daemon.limits.requests(of: trust)
    }

    var localUser: String? { nil }
    func checkRoom(for _: Token) throws(CommandError) {}
    func didRejectToken(_: CommandError) {
        wrongTokens += 1
        if wrongTokens >= Access.maxWrongTokens { closeWhenSent() }
    }

    func closeWhenSent() { isClosing = true }

    /// The bytes of memory that it holds for input and output.
    var footprint: Int { input.footprint + output.footprint + parser.footprint + client.stateBytes }
    var heldInput: Int { input.count }

    // MARK: In

    /// Executes the requests, and calls `before` and `after` for each.
    func receive(
        _ bytes: ArraySlice<UInt8>, before: ([[UInt8]]) throws(Fault) -> Void, after: (Exchange) throws(Fault) -> Void
    ) throws(Fault) {
        bytes.withUnsafeBytes { input.append($0) }
        try answerInput(before: before, after: after)
    }

    /// Answers the input, as long as the client reads the replies.
    func answerInput(
        before: ([[UInt8]]) throws(Fault) -> Void, after: (Exchange) throws(Fault) -> Void
    ) throws(Fault) {
        while !isClosing, hearsMore, !input.isEmpty {
            let most = trust == .unauthenticated ? 1 : RequestBatch.size
            batch.fill(&parser, from: input.bytes, atMost: most)
            batch.withNames { daemon.sessions.prefetch($0, hints: &$1) }
            let (count, error) = (batch.count, batch.error)
            var done = 0
            while done < count, !isClosing, hearsMore {
                try execute(batch[done], before, after)
                done += 1
            }
            input.consume(batch.length(of: 0..<done))
            guard done == count else {
                // The rest is read again later.
                parser.beginAgain()
                break
            }
            try refuseWhatIsNoRequest(error)
            if count < most { break }
        }
        if isClosing { input.removeAll() }
    }

    /// Whether it reads its replies, and the disk keeps up.
    private var hearsMore: Bool {
        !client.isWaiting && output.count < daemon.limits.pauseBytes && !daemon.connections.isDiskBehind
    }

    private func refuseWhatIsNoRequest(_ error: RequestError?) throws(Fault) {
        guard let error, !isClosing else { return }
        try promise(!error.description.isEmpty, "an error of a request says what is wrong")
        isClosing = true
    }

    private func execute(
        _ request: Request, _ before: ([[UInt8]]) throws(Fault) -> Void, _ after: (Exchange) throws(Fault) -> Void
    ) throws(Fault) {
        guard request.words.count > 0 else { return }
        guard !request.words.lookLikeHTTP else { return closeWhenSent() }
        let words = (0..<request.words.count).map { Array(request.words[$0].bytes) }
        try before(words)
        try promise(collect().replies.isEmpty, "client \(number) got a reply before its request")
        let (wasRestricted, actor) = (client.isRestricted, client.idOwner)
        let name = String(decoding: words[0].prefix(40), as: UTF8.self)
        try Budget.serve(name) { client.call.execute(request) }
        while client.isWaiting {
            try Budget.serve("a slice of \(name)") { daemon.host.advances.resume() }
            // A backup starts on the writer's thread, which wakes the loop in a daemon.
            daemon.persistence?.reportBackup()
        }
        let said = try collect()
        try Budget.serve("timers that \(name) has made due") { daemon.loop.fireDueTimers() }
        let later = try collect()
        try promise(later.replies.isEmpty, "client \(number) was answered once more by a timer: \(later.replies)")
        try after(
            Exchange(
                client: number, words: words, actor: actor, replies: said.replies, pushes: said.pushes + later.pushes,
                wasRestricted: wasRestricted))
    }

    // MARK: Out

    /// Replies since the last call.
    func collect() throws(Fault) -> (replies: [Reply], pushes: [Reply]) {
        var (replies, pushes): ([Reply], [Reply]) = ([], [])
        var reader = ReplyReader()
        hasSubscribed = hasSubscribed || client.isSubscribed
        while seen < output.count {
            let rest = UnsafeRawBufferPointer(rebasing: output.unsent[seen...])
            guard let next = try? reader.next(in: rest) else {
                throw Fault("client \(number) was sent bytes that are not a reply: \(Array(rest.prefix(200)))")
            }
            seen += next.length
            if isPush(next.reply) { pushes.append(next.reply) } else { replies.append(next.reply) }
        }
        takeOutput()
        return (replies, pushes)
    }

    private func takeOutput() {
        guard reads else { return }
        output.consume(seen)
        seen = 0
        if client.hasPendingViews, output.isEmpty { daemon.host.subscriptions.resumeSending(to: client) }
    }

    private static let pushWords: Set<String> = [
        "message", "pmessage", "smessage", "subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe",
        "sunsubscribe",
    ]

    /// RESP2 writes a push as an array.
    private func isPush(_ reply: Reply) -> Bool {
        switch reply {
        case .push: true
        case .array(let parts): parts.count >= 3 && parts.first?.text.map(Self.pushWords.contains) == true
        case .simple, .error, .integer, .bulk, .null, .map, .set, .double, .boolean, .verbatim, .bigNumber: false
        }
    }
}
