// A stream that somebody reads, and where in it they are.

import Commands
import HTTP
import Memory
import Sessions
import Timers

final class FeedReader {
    let stream: HTTPStream
    let topics: [Topic]
    /// The sessions that it may see; nil for all.
    let scope: SessionScope?
    /// Whose share of all streams it uses.
    let consumer: Consumer
    /// Whether its login still holds.
    let isLetIn: () -> Bool
    /// Whether it is another node, which reads for somebody.
    let isNode: Bool
    /// What it is told of other nodes; nil if nothing.
    var links: ReaderLinks?
    /// The bytes of this turn, not yet sent.
    private(set) var fresh: [UInt8] = []
    /// Where it is in the table of all sessions.
    var place = RowPlace.whole(slot: 0, then: 0)
    /// Whether it has not had the whole table yet.
    var isNew = true
    /// The round in which it was told rows last.
    var toldRows = 0
    /// Sessions whose views, and whose latest lines, it is owed.
    var owedViews: Set<ByteString> = []
    var owedLines: Set<ByteString> = []
    /// The latest line of each history that it has been told.
    var told: [ByteString: (life: Life, seq: UInt32)] = [:]
    /// Whether it is owed something else than rows.
    var isOwed = false
    var isOwedHello = true
    var isOwedStatus = false
    var isOwedFlows = false
    var isOwedBeat = false
    /// When its client took something last, or had nothing to take.
    private var tookLast: Instant
    private var unsentBefore = 0

    init(
        _ stream: HTTPStream, _ topics: [Topic], of scope: SessionScope?, for consumer: Consumer, isNode: Bool,
        at now: Instant, isLetIn: @escaping () -> Bool
    ) {
        (self.isNode, self.consumer) = (isNode, consumer)
        (self.stream, self.topics, self.scope, tookLast, self.isLetIn) = (stream, topics, scope, now, isLetIn)
    }

    var watchesSessions: Bool { topics.contains(.sessions) }
    /// Whether so many bytes would not be too many to wait for it: nothing is added until it has read.
    func hasRoom(_ bytes: Int) -> Bool { stream.unsent + fresh.count < bytes }

    /// Whether its client has taken nothing for so long.
    func isStuck(at now: Instant, after patience: Duration) -> Bool {
        let unsent = stream.unsent
        if unsent == 0 || unsent < unsentBefore { tookLast = now }
        unsentBefore = unsent
        return tookLast.duration(to: now) >= patience
    }

    /// An event of the stream; `id` is what a reconnecting client comes back with.
    func tell(_ event: StaticString, id: String, _ data: String) {
        fresh += "event: ".utf8
        event.withUTF8Buffer { fresh += $0 }
        fresh += "\nid: ".utf8
        fresh += id.utf8
        fresh += "\ndata: ".utf8
        fresh += data.utf8
        fresh += "\n\n".utf8
    }

    /// An event that another node has told, or that is about nodes. It has no id: who comes back is told of them anew.
    func tell(_ event: String, _ data: some Sequence<UInt8>) {
        fresh += "event: ".utf8
        fresh += event.utf8
        fresh += "\ndata: ".utf8
        fresh += data
        fresh += "\n\n".utf8
    }

    /// A comment, which keeps the connection alive.
    func beat() { fresh += ": \n\n".utf8 }

    var freshCount: Int { fresh.count }

    func takeFresh() -> [UInt8] {
        defer { fresh = [] }
        return fresh
    }
}
