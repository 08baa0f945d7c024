// The other nodes' streams of one reader: a link to each node, and one for each session that is elsewhere. The links follow the sessions.

import Cluster
import Commands
import GameFlow
import Memory
import RESP

final class ReaderNodeStreams {
    private static let forwardedEvents: Set<String> = ["rows", "view", "lines", "status"]

    private unowned let reader: StreamReader
    private unowned let streams: Streams
    private unowned let cluster: any ClusterMember
    private let relay: Relay
    private let bearer: VisitorIdentity
    private var links: [NodeStream.Subject: NodeStream] = [:]
    private var sentNodeList = ""
    /// The sessions that no node reports at the moment, and the reasons.
    private var sentReasons: [ByteString: String] = [:]

    init(
        of reader: StreamReader, _ relay: Relay, for bearer: VisitorIdentity, in cluster: any ClusterMember, of streams: Streams
    ) {
        (self.reader, self.relay, self.bearer, self.cluster, self.streams) = (reader, relay, bearer, cluster, streams)
    }

    func end() {
        for link in links.values { link.end() }
        links = [:]
    }

    /// Follows changes of nodes and of session ownership. Costs little if nothing has changed.
    func refresh() {
        let others = watchesAll ? cluster.others.filter { $0.state != .outside } : []
        var wanted: [NodeStream.Subject: RemoteNode] = [:]
        for node in others { wanted[.node(node.name)] = node }
        for name in names {
            if let node = cluster.other(ofSlot: name.withBytes(HashSlot.of)) { wanted[.session(name)] = node }
        }
        for (subject, link) in links
        where wanted[subject]?.name != link.node.name || wanted[subject]?.endpoint != link.node.endpoint {
            link.end()
            links[subject] = nil
        }
        for (subject, node) in wanted { link(subject, to: node).begin() }
        for link in links.values where link.isPaused && reader.hasRoom(streams.room / 2) { link.resume() }
        if links.values.contains(where: \.isPaused) { streams.scheduleStreamCheck(milliseconds: 20) }
        if watchesAll { sendNodes(others) }
        sendUnreachableNodes()
    }

    private var watchesAll: Bool { reader.topics.contains(.sessions) || reader.topics.contains(.status) }

    private var names: Set<ByteString> { Set(reader.topics.compactMap(\.name)) }

    private func link(_ subject: NodeStream.Subject, to node: RemoteNode) -> NodeStream {
        if let known = links[subject] { return known }
        let link = NodeStream(to: node, topics(of: subject), relay, for: bearer, reader.consumer, self)
        links[subject] = link
        return link
    }

    private func topics(of subject: NodeStream.Subject) -> [String] {
        reader.topics.compactMap { topic in
            switch (topic, subject) {
            case (.sessions, .node): "sessions"
            case (.status, .node): "status"
            case (.session(let name), .session(let own)) where name == own: "session:\(name.text)"
            case (.history(let name), .session(let own)) where name == own: "history:\(name.text)"
            case (.sessions, _), (.status, _), (.flows, _), (.session, _), (.history, _): nil
            }
        }
    }

    // MARK: Telling

    func linkDidEnd() { streams.scheduleStreamCheck() }

    func link(_ link: NodeStream, didReceive event: EventParser.Event) {
        guard Self.forwardedEvents.contains(event.name) else { return }
        reader.append(foreign: event.name, event.data)
        _ = reader.flush()
        if !reader.hasRoom {
            link.pause()
            streams.scheduleStreamCheck(milliseconds: 20)
        }
    }

    /// The other nodes, and whether each is heard: whenever that changes.
    private func sendNodes(_ others: [RemoteNode]) {
        let nodes = others.map { node -> JSON in
            let link = links[.node(node.name)]
            return [
                "node": .string(node.name), "address": .string(node.place),
                "http": node.endpoint.map { .string($0.url) } ?? .null,
                "state": .string(node.state.rawValue), "heard": .bool(link?.isHeard ?? false),
                "reason": link?.reason.map { .string($0) } ?? .null,
            ]
        }
        let text = JSON.object([.init("nodes", .array(nodes))]).description
        guard text != sentNodeList else { return }
        sentNodeList = text
        reader.append(foreign: "nodes", text.utf8)
    }

    private func sendUnreachableNodes() {
        for name in names {
            let reason = reason(of: name)
            guard reason != sentReasons[name] else { continue }
            sentReasons[name] = reason
            let json: JSON = ["session": .string(name.text), "reason": reason.map { .string($0) } ?? .null]
            reader.append(foreign: "away", json.description.utf8)
        }
    }

    private func silence(of node: RemoteNode) -> String? {
        let isSilent = cluster.others.contains { $0.name == node.name && $0.state == .silent }
        return isSilent ? "it has not renewed its lease" : nil
    }

    /// Returns the reason why no node reports a session; nil if one does, or soon will.
    private func reason(of name: ByteString) -> String? {
        if let link = links[.session(name)] {
            let reason = link.isHeard ? silence(of: link.node) : link.reason
            return reason.map { "its node \(link.node.place) is away: \($0)" }
        }
        do throws(CommandError) {
            try streams.host.checkOwner(of: name)
            return nil
        } catch {
            return error.sentence
        }
    }
}
