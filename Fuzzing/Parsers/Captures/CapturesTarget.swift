// The target `captures`. An input that begins like a capture is read as one; any other is taken for the packets of one, which is written first.
// Either is read the same however it is cut, and the observations in it stay within bounds.

@testable import Bluetooth

func checkCaptures(_ input: [UInt8]) {
    if input.first == CaptureReader.magic[0] {
        check(input.cuts.map { pieces in bounded("reading a capture") { CaptureOutcome(of: pieces) } })
    } else {
        checkPackets(input)
    }
}

private func check(_ outcomes: [CaptureOutcome]) {
    for outcome in outcomes {
        promise(outcome == outcomes[0], "read at once: \(outcomes[0]); in pieces: \(outcome)")
    }
    checkWriting(outcomes[0].records)
    var watch = Watch()
    for record in outcomes[0].records { watch.decode(record) }
    watch.checkFootprint()
}

/// Records, written and read again, are the same.
private func checkWriting(_ records: [CaptureRecord]) {
    guard let datalink = records.first?.datalink else { return }
    let capture = datalink.header + records.flatMap(\.serialized)
    let again = CaptureOutcome(of: [capture[...]])
    promise(again.records == records && again.error == nil, "records that were written and read again are \(again)")
}

private func checkPackets(_ input: [UInt8]) {
    let records = [CaptureRecord](packetsFrom: input)
    let capture = (records.first?.datalink ?? .h4).header + records.flatMap(\.serialized)
    let outcomes = capture.cuts.map { CaptureOutcome(of: $0) }
    promise(outcomes[0].records == records && outcomes[0].error == nil, "packets that were written are read as \(outcomes[0])")
    check(outcomes)
}
