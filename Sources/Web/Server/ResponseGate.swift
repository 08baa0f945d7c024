// Answers that may not leave yet: those of a turn that is not over, or not on disk.

import HTTP
import RESP

struct ResponseGate {
    enum Output {
        case answer(HTTPRequest, HTTPResponse)
        case part(HTTPStream, ArraySlice<UInt8>)

        fileprivate func leave() {
            switch self {
            case .answer(let request, let response): request.answer(response)
            case .part(let stream, let bytes):
                stream.held -= bytes.count
                bytes.withUnsafeBytes { stream.send($0) }
            }
        }
    }

    /// Of the turn at hand.
    private var fresh: [Output] = []
    /// Those that wait for a batch, in order.
    private var waiting: [(batch: UInt64, outputs: [Output])] = []

    var isHolding: Bool { !fresh.isEmpty || !waiting.isEmpty }

    mutating func add(_ output: Output) {
        if case .part(let stream, let bytes) = output { stream.held += bytes.count }
        fresh.append(output)
    }

    /// The turn is over: its output leaves, or waits until this batch is on disk. Output leaves only where nothing waits: it may be the
    /// next part of a stream.
    mutating func release(awaiting batch: UInt64?) {
        guard !fresh.isEmpty else { return }
        let outputs = fresh
        fresh = []
        if let batch { return waiting.append((batch, outputs)) }
        for output in outputs { output.leave() }
    }

    mutating func release(through safe: UInt64) {
        while let first = waiting.first, first.batch <= safe {
            waiting.removeFirst()
            for output in first.outputs { output.leave() }
        }
    }

    /// Removes the responses that wait and returns their requests. Ends the streams with held events: these may never become durable.
    mutating func retract() -> [HTTPRequest] {
        var requests: [HTTPRequest] = []
        for output in waiting.flatMap(\.outputs) {
            switch output {
            case .answer(let request, _): requests.append(request)
            case .part(let stream, _): stream.end()
            }
        }
        waiting = []
        return requests
    }
}
