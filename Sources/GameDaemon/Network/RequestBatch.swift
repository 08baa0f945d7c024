// Requests that came in one go, read before the first of them is carried out: so what they will need from memory can be fetched
// for all of them at once.

import RESP

/// One serves all connections, one after the other.
final class RequestBatch {
    static let size = 32

    // No access to these outlasts a call, so none can overlap another.

    /// The first `count` of them are requests, in the order in which they came; the others are spare.
    @exclusivity(unchecked) private var requests = (0..<RequestBatch.size).map { _ in RequestArguments() }
    @exclusivity(unchecked) private(set) var count = 0
    /// How many bytes they came in.
    @exclusivity(unchecked) private(set) var length = 0
    /// What is wrong with what follows them.
    @exclusivity(unchecked) private(set) var error: RequestError?

    subscript(index: Int) -> Words { Words(requests[index]) }

    /// Reads as many requests as `bytes` begin with and `limit` allows.
    func fill(_ parser: inout RequestParser, from bytes: UnsafeRawBufferPointer, atMost limit: Int) {
        (count, length, error) = (0, 0, nil)
        do throws(RequestError) {
            while count < min(limit, Self.size),
                let next = try parser.next(in: UnsafeRawBufferPointer(rebasing: bytes[length...]))
            {
                requests[count] = parser.exchange(for: requests[count])
                count += 1
                length += next
            }
        } catch {
            self.error = error
        }
    }
}
