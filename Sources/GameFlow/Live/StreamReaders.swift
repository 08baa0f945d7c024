// The readers of a stream. Only for the isolation of their owner.

/// Gives each value to all readers. They end with their owner.
package final class StreamReaders<Value: Sendable> {
    private var readers: [Int: AsyncStream<Value>.Continuation] = [:]

    package init() {}

    deinit { finish() }

    package var isEmpty: Bool { readers.isEmpty }

    package func add(_ reader: AsyncStream<Value>.Continuation, numbered number: Int) { readers[number] = reader }

    package func remove(_ number: Int) { readers[number] = nil }

    /// Readers that have ended are forgotten.
    package func yield(_ value: Value) {
        for (number, reader) in readers {
            if case .terminated = reader.yield(value) { readers[number] = nil }
        }
    }

    package func finish() {
        let all = readers.values
        readers = [:]
        for reader in all { reader.finish() }
    }
}
