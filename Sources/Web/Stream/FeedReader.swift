// A stream that somebody reads, and where in it they are.

import Commands
import HTTP
import RESP
import Timers

final class FeedReader {
    let stream: HTTPStream
    let topics: [Topic]
    /// The bytes of this turn, not yet sent.
    private(set) var fresh: [UInt8] = []
    /// The number of the first change of sessions that it has not been told.
    var position: UInt64 = 0
    /// The slot from which sessions are still to be told, while the whole is told.
    var cursor: Int?
    /// Whether the next piece of the whole is its first.
    var beginsWhole = false
    /// Sessions whose views it is owed.
    var owedViews: [String] = []
    var isOwedFlows = false
    /// When its client took something last, or had nothing to take.
    var tookLast = Instant.zero
    private var unsentBefore = 0

    /// More waits than a client should have to catch up with: nothing is added until it has read.
    private static let room = 256 << 10

    init(_ stream: HTTPStream, _ topics: [Topic]) {
        (self.stream, self.topics) = (stream, topics)
    }

    var watchesSessions: Bool { topics.contains(.sessions) }
    var watchesStatus: Bool { topics.contains(.status) }
    var hasRoom: Bool { stream.unsent + fresh.count < Self.room }

    /// A reader that takes nothing for so long is cut off.
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

    func tell(written text: [UInt8]) { fresh += text }

    /// A comment, which keeps the connection alive.
    func beat() { fresh += ": \n\n".utf8 }

    func takeFresh() -> [UInt8] {
        defer { fresh = [] }
        return fresh
    }
}
