// Requests that came in one go, read before the first of them is carried out: so what they will need from memory can be fetched
// for all of them at once.

import RESP

/// One serves all connections, one after the other.
final class RequestBatch {
    static let size = 32

    // No access to these outlasts a call, so none can overlap another.

    /// The first `count` of them are requests, in the order in which they came; the others are spare.
    private let requests: UnsafeMutablePointer<RequestArguments>
    /// The place of the session that each of them will ask for, as far as it can be told beforehand.
    private let sessions: UnsafeMutablePointer<UInt32>
    @exclusivity(unchecked) private(set) var count = 0
    /// Where each of them ends, in the bytes that they came in.
    private let ends: UnsafeMutablePointer<Int>
    /// What is wrong with what follows them.
    @exclusivity(unchecked) private(set) var error: RequestError?

    init() {
        requests = .allocate(capacity: Self.size)
        for number in 0..<Self.size { (requests + number).initialize(to: RequestArguments()) }
        sessions = .allocate(capacity: Self.size)
        sessions.initialize(repeating: SessionTable.nowhere, count: Self.size)
        ends = .allocate(capacity: Self.size)
        ends.initialize(repeating: 0, count: Self.size)
    }

    deinit {
        requests.deinitialize(count: Self.size)
        requests.deallocate()
        sessions.deallocate()
        ends.deallocate()
    }

    subscript(index: Int) -> Request { Request(words: words(index), session: sessions[index]) }

    /// How many bytes the first of them came in.
    func length(of count: Int) -> Int { count == 0 ? 0 : ends[count - 1] }

    func words(_ index: Int) -> Words { Words(requests[index]) }

    /// What is known of the session that a request will ask for.
    func expect(_ session: UInt32, at index: Int) { sessions[index] = session }
    func expected(_ index: Int) -> UInt32 { sessions[index] }

    /// Reads as many requests as `bytes` begin with and `limit` allows.
    func fill(_ parser: inout RequestParser, from bytes: UnsafeRawBufferPointer, atMost limit: Int) {
        var length = 0
        (count, error) = (0, nil)
        do throws(RequestError) {
            while count < min(limit, Self.size),
                let next = try parser.next(in: UnsafeRawBufferPointer(rebasing: bytes[length...]))
            {
                parser.exchange(with: &requests[count])
                length += next
                ends[count] = length
                count += 1
            }
        } catch {
            self.error = error
        }
    }
}

/// A request that has come in whole.
struct Request {
    let words: Words
    /// Where the session seems to be that its second word names.
    var session = SessionTable.nowhere
}
