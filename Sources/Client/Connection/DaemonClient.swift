// Questions to the daemon, over a connection that is made when it is first needed, and again after it was lost.

import Posix
import RESP
import Texts
import TLS

package final class DaemonClient {
    package let address: ServerAddress
    package let token: GivenToken?
    /// Over TLS: the trusted authorities, and the certificate to show; nil in clear. A UNIX socket needs none.
    package let tls: TLSFiles?
    /// The option that asks for TLS; nil without one, or if a variable asks.
    private let tlsOption: String?
    /// The program that starts a daemon, for the hint if no daemon runs.
    package let program: String
    /// How long an answer may take; nil for as long as it likes.
    package let timeout: Duration?
    private var connection: ServerConnection?
    private var transaction = ClientTransaction()
    /// Other nodes of its cluster, by their addresses as they are said.
    var others: [String: DaemonClient] = [:]
    /// The node that named this one; nil for the daemon that the command line asks.
    var referrer: ServerAddress?
    /// Its own address in the cluster; nil while it is not known.
    var ownAddress: String?

    package init(
        at address: ServerAddress, token: GivenToken? = nil, tls: TLSFiles? = nil, tlsOption: String? = nil,
        program: String = "gamed", timeout: Duration? = nil
    ) {
        self.address = address
        self.tls = tls
        self.tlsOption = tlsOption
        self.token = token
        self.program = program
        self.timeout = timeout
    }

    /// A client of the same daemon, with a separate connection.
    package func copy(timeout: Duration) -> DaemonClient {
        DaemonClient(at: address, token: token, tls: tls, tlsOption: tlsOption, program: program, timeout: timeout)
    }

    @discardableResult
    package func connect() throws(ControlError) -> ServerConnection {
        if let connection { return connection }
        do throws(ControlError) {
            let made = try ServerConnection(to: address, token: token, tls: tls, program: program, timeout: timeout)
            // The other nodes of a cluster are reached over TCP.
            if let tlsOption, address.isLocal, !made.isOfCluster {
                let problem = "\(tlsOption) has no effect over the UNIX socket \(address)"
                throw .usage("\(problem): give the daemon's TCP address, --connect HOST:PORT")
            }
            connection = made
            return made
        } catch {
            throw referrer.map { error.ofNode(at: address, namedBy: $0, hasToken: token != nil) } ?? error
        }
    }

    /// The next request opens a new connection.
    package func disconnect() {
        connection = nil
        transaction.connectionIsLost()
    }

    /// Forgets connections that the daemon and other nodes have closed: a daemon that was restarted meanwhile needs a new one.
    package func closeIfLost() {
        for other in others.values { other.closeIfLost() }
        guard let connection else { return }
        do throws(ControlError) { try connection.receivePending() } catch { disconnect() }
    }

    /// The daemon's reply, or that of the node of its cluster which has the session. An error reply is thrown.
    package func ask(_ words: [String]) throws(ControlError) -> Reply {
        try ask(all: [words])[0].accepted()
    }

    /// The same of this daemon alone.
    package func askHere(_ words: [String]) throws(ControlError) -> Reply {
        try askHere(all: [words])[0].accepted()
    }

    /// After an error the connection may still bring replies to these requests, so the next ones have another.
    private func askHere(all requests: [[String]]) throws(ControlError) -> [Reply] {
        for words in requests { try transaction.check(words) }
        let connection = try connect()
        do throws(ControlError) {
            let replies = try connection.ask(all: requests)
            for (words, reply) in zip(requests, replies) { transaction.record(words, reply) }
            return replies
        } catch {
            for words in requests { transaction.record(words, nil) }
            disconnect()
            throw error
        }
    }

    /// Throws within MULTI, where a command is only queued: this subcommand needs the reply.
    package func checkThatReplies(to subcommand: String) throws(ControlError) {
        guard transaction.isOpen else { return }
        throw .refused(
            code: .generic,
            sentence: "'\(subcommand)' cannot be used after MULTI, where commands are only queued; use it after EXEC")
    }

    /// The names of all matching sessions, found part by part with the cursor of SESSIONS. The search ends early after
    /// `maxParts`, or with `enough` names.
    package func sessionNames(
        match: String? = nil, flow: String? = nil, state: String? = nil, count: String? = nil, enough: Int = .max,
        maxParts: Int = .max
    ) throws(ControlError) -> Set<String> {
        try checkThatReplies(to: "sessions")
        let filters = [("MATCH", match), ("FLOW", flow), ("STATE", state), ("COUNT", count ?? "1000")]
        let options = filters.flatMap { filter in filter.1.map { [filter.0, $0] } ?? [] }
        var (found, cursor, parts): (Set<String>, String, Int) = ([], "0", 0)
        repeat {
            guard case .array(let reply) = try askHere(["SESSIONS", cursor] + options), reply.count == 2,
                let next = reply[0].text, case .array(let names) = reply[1]
            else { throw .noDaemon("the daemon at \(address) returned an unknown reply to SESSIONS") }
            found.formUnion(names.compactMap(\.text))
            (cursor, parts) = (next, parts + 1)
        } while cursor != "0" && parts < maxParts && found.count < enough
        return found
    }

    // MARK: A client of a cluster: it follows a session to its node, and asks all of them.

    /// Sessions may move while they are followed.
    private static let maxMoves = 8

    /// Replies in the order of the requests, each of the node that has the session. An error is a reply, too. Within MULTI only this node is asked:
    /// another one would execute the commands at once.
    package func ask(all requests: [[String]]) throws(ControlError) -> [Reply] {
        if transaction.isOpen { return try askHere(all: requests).map(\.explainingMove) }
        var replies = try askHere(all: requests)
        for _ in 0..<Self.maxMoves {
            var moved: [String: [Int]] = [:]
            for (index, reply) in replies.enumerated() {
                if case .error(.moved, let sentence) = reply { moved[sentence.addressBehindSlot, default: []].append(index) }
            }
            if moved.isEmpty { break }
            for (address, places) in moved {
                let answers = try other(at: address).askHere(all: places.map { requests[$0] })
                for (place, answer) in zip(places, answers) { replies[place] = answer }
            }
        }
        return replies
    }

    /// The nodes of its cluster, itself among them; only itself without a cluster.
    package func nodes() throws(ControlError) -> [DaemonClient] {
        guard let status = try clusterStatus() else { return [self] }
        return try nodes(in: status)
    }

    /// The reply to CLUSTER STATUS; nil without a cluster.
    package func clusterStatus() throws(ControlError) -> Reply? {
        guard try connect().isOfCluster else { return nil }
        let status = try askHere(["CLUSTER", "STATUS"])
        ownAddress = status["address"]?.text
        return status
    }

    /// The same, from the reply of any of them to CLUSTER STATUS. A node without a TCP listener is left out, or an error.
    package func nodes(in status: Reply, omittingUnreachable: Bool = false) throws(ControlError) -> [DaemonClient] {
        guard case .array(let nodes) = status["nodes"] else { return [self] }
        var clients: [DaemonClient] = []
        for node in nodes {
            guard let address = node["address"]?.text, node["state"]?.text != "outside" else { continue }
            if address == ownAddress {
                clients.append(self)
            } else if ServerAddress(ofNode: address) != nil {
                clients.append(try other(at: address))
            } else if !omittingUnreachable {
                throw .withoutListener(address)
            }
        }
        return clients.isEmpty ? [self] : clients
    }

    /// The node at this address.
    private func other(at text: String) throws(ControlError) -> DaemonClient {
        if let known = others[text] { return known }
        guard let place = ServerAddress(ofNode: text) else {
            throw .noDaemon("the daemon at \(address) names '\(text.shortened)' as the session's node, which is not an address")
        }
        let client = DaemonClient(at: place, token: token, tls: tls, program: program, timeout: timeout)
        client.referrer = address
        others[text] = client
        return client
    }
}

/// Whether a MULTI is open, or was lost with its connection: a new connection would execute the commands that are meant to be queued.
private struct ClientTransaction {
    private enum Phase { case none, queueing, lost }
    private var phase = Phase.none

    /// Whether the daemon queues commands.
    var isOpen: Bool { phase == .queueing }

    mutating func connectionIsLost() { if phase == .queueing { phase = .lost } }

    /// Throws if the command was to be queued, and MULTI's connection is lost.
    mutating func check(_ words: [String]) throws(ControlError) {
        guard phase == .lost, let name = words.first?.uppercased() else { return }
        if ["MULTI", "EXEC", "DISCARD", "RESET"].contains(name) { phase = .none }
        guard !["MULTI", "RESET"].contains(name) else { return }
        throw .refused(
            code: .executionAborted,
            sentence: "the connection was lost after MULTI, and its transaction is discarded: none of its commands is executed"
                + (phase == .lost ? "; EXEC or DISCARD ends it, MULTI begins another" : ""))
    }

    /// The reply is nil if none came. Then EXEC may have been executed.
    mutating func record(_ words: [String], _ reply: Reply?) {
        switch words.first?.uppercased() {
        case "MULTI": if reply?.text == "OK" { phase = .queueing }
        case "EXEC", "DISCARD", "RESET": phase = .none
        default: break
        }
    }
}

extension Reply {
    /// An error reply is thrown.
    @discardableResult
    func accepted() throws(ControlError) -> Reply {
        if case .error(let code, let sentence) = self { throw .refused(code: code, sentence: sentence) }
        return self
    }

    /// A transaction is executed by one node.
    fileprivate var explainingMove: Reply {
        guard case .error(.moved, let sentence) = self else { return self }
        let advice = "another node has the session, and a transaction is for sessions of one node: run it with --connect"
        return .error(code: .moved, text: "\(sentence): \(advice) \(sentence.addressBehindSlot)")
    }
}

extension String {
    /// Of `7638 127.0.0.1:7001`.
    fileprivate var addressBehindSlot: String { String(drop { $0 != " " }.dropFirst()) }
}

extension ControlError {
    /// Of a node without a TCP listener: its place is a machine and the path of a socket.
    fileprivate static func withoutListener(_ place: String) -> ControlError {
        .noDaemon(
            "the node \(place.printable) listens on its UNIX socket only, and cannot be asked from here: "
                + "start that node with --listen HOST:PORT")
    }

    /// The same error, of a node that another one named.
    fileprivate func ofNode(at address: ServerAddress, namedBy referrer: ServerAddress, hasToken: Bool) -> ControlError {
        let node = "\(referrer) names the node \(address)"
        switch self {
        case .refused(.notAuthenticated, _) where !hasToken:
            return .refused(
                code: .notAuthenticated,
                sentence: "\(node), which requires a token: give one that all nodes accept, "
                    + "with --token-file FILE or in GAMED_TOKEN, or run gamectl on that node's machine")
        case .refused(.wrongToken, let sentence):
            return .refused(
                code: .wrongToken,
                sentence: "\(node): \(sentence); give all nodes the same --token-file")
        case .refused(let code, let sentence): return .refused(code: code, sentence: "\(node), which refuses: \(sentence)")
        case .noDaemon(let sentence): return .noDaemon("\(node): \(sentence)")
        case .noConnection, .usage, .badFlow, .badFile, .unreadable, .file, .stream: return self
        }
    }
}
