// The target `replies`: any bytes of a server are read the same however they are cut, and never beyond the limits. The fuzzer's own limit of a single
// allocation checks that announced but missing data takes no memory.

@testable import RESP

func checkReplies(_ input: [UInt8]) {
    for limits in [ReplyLimits(), .tight] {
        let outcomes = input.cuts.map { pieces in bounded("reading replies") { ReplyOutcome(of: pieces, limits: limits) } }
        for outcome in outcomes {
            promise(outcome.isSame(as: outcomes[0]), "read at once: \(outcomes[0]); in pieces: \(outcome)")
        }
        for reply in outcomes[0].replies { check(reply, limits, depth: 0) }
    }
}

extension ReplyLimits {
    /// Limits that are so low that an input of the usual length reaches all of them.
    fileprivate static var tight: ReplyLimits {
        var limits = ReplyLimits()
        (limits.line, limits.bulk, limits.elements, limits.depth) = (12, 9, 4, 2)
        return limits
    }
}

private func check(_ reply: Reply, _ limits: ReplyLimits, depth: Int) {
    switch reply {
    case .array(let parts), .set(let parts), .push(let parts):
        check(parts, limits, depth: depth)
    case .map(let pairs):
        check(pairs.flatMap { [$0.key, $0.value] }, limits, depth: depth)
    case .bulk(let bytes):
        promise(bytes.count <= limits.bulk, "a bulk of \(bytes.count) bytes came through a limit of \(limits.bulk)")
    case .simple, .error, .integer, .null, .double, .boolean, .verbatim, .bigNumber:
        return
    }
}

private func check(_ parts: [Reply], _ limits: ReplyLimits, depth: Int) {
    promise(depth < limits.depth, "replies came \(depth + 1) deep through a limit of \(limits.depth)")
    promise(parts.count <= limits.elements, "\(parts.count) replies in one came through a limit of \(limits.elements)")
    for part in parts { check(part, limits, depth: depth + 1) }
}
