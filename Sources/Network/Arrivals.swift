// Requests of several connections that are read in one turn, and answered together.

import EventLoop
import Memory
import RESP

/// Keeps requests until the turn has read all input, so that the sessions that they name are prefetched together: a client that waits for each
/// reply sends one request at a time, and among a hundred thousand sessions each is several cache misses away. Input is answered in order of
/// arrival.
package final class Arrivals {
    /// Longer input is answered at once, after what came before it: it has enough requests to prefetch together.
    private static let maxDeferredBytes = 512
    private static let readLength = 64 << 10

    /// A connection's input, which ends with a request.
    private struct Piece {
        /// It may be closed meanwhile, and lives until all is answered.
        var connection: Borrowed<Connection>?
        var requests = 0..<0
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    private let buffer = ReadBuffer(byteCount: readLength + RequestBatch.size * maxDeferredBytes)
    private var end = 0
    /// At most one for each request of a batch.
    private var pieces = InlineArray<32, Piece>(repeating: Piece())
    private var count = 0
    private let batch = RequestBatch()
    /// Calls everything here, and so outlives it. Retaining it would cost each request.
    private unowned(unsafe) let loop: Loop

    init(on loop: Loop) { self.loop = loop }

    /// Reads what this connection has sent, and answers it now or with the rest.
    func read(_ connection: Connection) {
        let length = connection.readBytes(into: buffer, at: end..<end &+ Self.readLength)
        guard length > 0 else { return connection.didNotRead(length) }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer.bytes[end..<end &+ length])
        if length > Self.maxDeferredBytes || !append(bytes, of: connection) {
            answerAll()
            connection.answer(with: bytes)
        } else if batch.count == RequestBatch.size || count == pieces.count {
            answerAll()
        }
    }

    private func append(_ bytes: UnsafeRawBufferPointer, of connection: Connection) -> Bool {
        let start = batch.count
        guard connection.isBetweenRequests,
            batch.appendAll(&connection.parser, of: bytes, atMost: connection.connections.limits.turnRequests)
        else { return false }
        if count == 0 { loop.keepInput() }
        end &+= bytes.count
        pieces[count] = Piece(connection: Borrowed(connection), requests: start..<batch.count, bytes: bytes)
        count &+= 1
        return true
    }

    /// Answers the requests so far. None is read meanwhile.
    package func answerAll() {
        guard count > 0 else { return }
        if batch.count > 1 { prefetchSessions() }
        for number in 0..<count {
            let piece = pieces[number]
            loop.beginShare()
            piece.connection?.with { $0.answer(piece.requests, of: batch, in: piece.bytes) }
        }
        batch.removeAll()
        (count, end) = (0, 0)
    }

    private func prefetchSessions() {
        guard let host = pieces[0].connection?.object.host else { return }
        batch.withNames { host.sessions.prefetch($0, hints: &$1) }
    }
}
