// A connection to the daemon: requests out, replies in, and pushed messages in between.

import Glibc
import RESP
import TLS

/// Blocks until each reply is there. It speaks RESP3, where a subscribed connection can still ask.
package final class ServerConnection {
    /// Maximum of requests in flight. It keeps the two sides from blocking because the other does not read.
    private static let pipelineDepth = 64

    private let address: ServerAddress
    private let link: DaemonLink
    private var input = ByteQueue()
    private var output = ByteQueue()
    private var reader = ReplyReader()
    private var messages: [Reply] = []
    /// How long an answer may take from its first byte to its last, too; nil for as long as it likes.
    private let timeout: Duration?
    /// Whether the daemon is a node of a cluster.
    package private(set) var isOfCluster = false

    /// Throws where an answer takes longer than `timeout`.
    package init(
        to address: ServerAddress, token: GivenToken?, tls: TLSFiles? = nil, program: String = "gamed", timeout: Duration? = nil
    ) throws(ControlError) {
        (self.address, self.timeout) = (address, timeout)
        link = try DaemonLink(to: address, tls, program: program, timeout: timeout)
        let refusal = try token.flatMap { token throws(ControlError) in try authenticate(token) }
        do throws(ControlError) {
            isOfCluster = try ask(["HELLO", "3", "SETNAME", "gamectl"]).accepted()["mode"]?.text == "cluster"
        } catch .refused(.notAuthenticated, let sentence) where token == nil {
            let advice = "give the daemon's token with --token-file FILE, or in GAMED_TOKEN"
            throw .refused(code: .notAuthenticated, sentence: "\(sentence); \(advice)")
        } catch {
            // A server that speaks TLS says so once, and closes.
            if case .noDaemon = error, let refusal { throw refusal }
            throw error
        }
    }

    /// Without a greeting and a token, for a server that has refused them.
    package init(strangeTo address: ServerAddress, tls: TLSFiles?, program: String, timeout: Duration?) throws(ControlError) {
        (self.address, self.timeout) = (address, timeout)
        link = try DaemonLink(to: address, tls, program: program, timeout: timeout)
    }

    deinit { link.close() }

    package var descriptor: Int32 { link.descriptor }

    /// Returns an ERR, which mostly means that the daemon asks for no token; then the connection goes on.
    private func authenticate(_ token: GivenToken) throws(ControlError) -> ControlError? {
        do throws(ControlError) {
            try ask(["AUTH", token.secret]).accepted()
            return nil
        } catch .refused(.wrongToken, let sentence) {
            throw .refused(code: .wrongToken, sentence: "the token \(token.place) was refused: \(sentence)")
        } catch {
            guard error.code == .generic else { throw error }
            return error
        }
    }

    // MARK: Asking

    package func ask(_ words: [String]) throws(ControlError) -> Reply {
        try ask(all: [words])[0]
    }

    /// Pipelines several requests; the replies are in the same order.
    package func ask(all requests: [[String]]) throws(ControlError) -> [Reply] {
        var replies: [Reply] = []
        var rest = requests[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.pipelineDepth)
            rest = rest.dropFirst(part.count)
            for words in part { output.append(request: words) }
            link.send(&output)
            for words in part { replies.append(try nextReply(to: words)) }
        }
        return replies
    }

    /// The pushed messages since the last call.
    package func takeMessages() -> [Reply] {
        defer { messages = [] }
        return messages
    }

    /// Reads the data that has arrived, without blocking.
    package func receivePending() throws(ControlError) {
        // Some may have come together with a reply.
        repeat {
            while let reply = try parse() { messages.append(reply) }
        } while try receive(isPatient: false)
    }

    /// SUBSCRIBE and its like are answered with pushes: the first one for their first name is the reply. The daemon pushes
    /// others by itself.
    private func nextReply(to words: [String]) throws(ControlError) -> Reply {
        let isSubscribing = words[0].uppercased().hasSuffix("SUBSCRIBE")
        let end = timeout.map { ContinuousClock.now + $0 }
        while true {
            while let reply = try parse() {
                guard case .push(let parts) = reply else { return reply }
                let texts = parts.prefix(min(2, words.count)).map(\.text)
                if isSubscribing, texts == [words[0].lowercased()] + words.dropFirst().prefix(1) { return reply }
                messages.append(reply)
            }
            if let end, ContinuousClock.now >= end { throw noAnswer }
            try receive()
        }
    }

    // MARK: Bytes

    private func parse() throws(ControlError) -> Reply? {
        do throws(ReplyError) {
            guard let (reply, length) = try reader.next(in: input.bytes) else { return nil }
            input.consume(length)
            return reply
        } catch {
            throw .noDaemon("the server at \(address) is not a game daemon: \(error)")
        }
    }

    /// False if nothing has come, and it is not to wait.
    @discardableResult
    private func receive(isPatient: Bool = true) throws(ControlError) -> Bool {
        let count = link.receive(into: &input, isPatient: isPatient)
        if count > 0 { return true }
        guard count < 0, errno == EAGAIN else { throw .noDaemon("the daemon at \(address) has closed the connection\(reason)") }
        guard isPatient else { return false }
        throw noAnswer
    }

    private var noAnswer: ControlError {
        .noDaemon("the server at \(address) does not answer: it hangs, or is overloaded")
    }

    /// TLS's reason for the failure, such as a required certificate.
    private var reason: String {
        guard let fault = link.fault else { return "" }
        return ": \(fault)" + (fault.contains("certificate required") ? "; --tls-cert FILE and --tls-key FILE give one" : "")
    }
}
