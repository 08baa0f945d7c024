// The target `requests`: any bytes of a client are read the same however they are cut, within memory in proportion to them. The requests can be
// written and read again.

import Memory
@testable import RESP

func checkRequests(_ input: [UInt8]) {
    for limits in [RequestLimits.authenticated, .unauthenticated, RequestLimits(isAuthenticated: true, arguments: 3, bulk: 8)] {
        let outcomes = input.cuts.map { pieces in
            bounded("reading requests") { RequestConversation.outcome(of: pieces, limits: limits) }
        }
        for outcome in outcomes {
            promise(outcome == outcomes[0], "read at once: \(outcomes[0]); in pieces: \(outcome)")
        }
        for request in outcomes[0].requests { check(request) }
    }
}

private func check(_ request: [[UInt8]]) {
    for word in request {
        word.withExactCopy { checkNumber(Argument($0)) }
        checkHash(word)
    }
    guard !request.isEmpty else { return }
    let again = RequestConversation.outcome(of: [written(request)[...]], limits: .authenticated)
    promise(again.requests == [request] && again.unread == 0, "the request \(request), written and read again, is \(again)")
}

/// Only the canonical form is a number.
private func checkNumber(_ word: Argument) {
    guard let number = word.integer else { return }
    promise(word.bytes.elementsEqual(String(number).utf8), "'\(word.repairedText)' is taken for the number \(number)")
}

/// Commands are found by this hash, in upper or lower case.
private func checkHash(_ word: [UInt8]) {
    let hash = word.withExactCopy { Argument($0).foldedHash }
    let ofCapitals = word.map(\.capital).withExactCopy { Argument($0).foldedHash }
    promise(hash == ofCapitals, "the word \(word) has one hash as it is, and another one in capitals")
}

private func written(_ request: [[UInt8]]) -> [UInt8] {
    var queue = ByteQueue()
    queue.append(request: request)
    return Array(queue.bytes)
}
