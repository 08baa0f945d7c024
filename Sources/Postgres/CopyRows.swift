// Rows for COPY … FROM STDIN (FORMAT binary).

/// Rows in PostgreSQL's binary format, gathered and written piece by piece.
package final class CopyRows {
    private let content = NetworkBytes(room: 1 << 16)

    package init() {
        for byte in [80, 71, 67, 79, 80, 89, 10, 255, 13, 10, 0] as [UInt8] { content.append(byte) }
        content.append(0 as Int64)
    }

    /// Begins a row, whose columns are added next.
    package func beginRow(columns: Int16) { content.append(columns) }
    package func add(_ number: Int64) { content.appendValue(number) }
    package func add(_ number: Int32) { content.appendValue(number) }
    package func add(_ bool: Bool) { content.appendValue(bool) }
    package func add(_ text: String) { content.appendValue(text) }
    package func add(_ bytes: UnsafeRawBufferPointer) { content.appendValue(bytes) }
    package func addNull() { content.appendNull() }

    /// To be called once after the last row.
    package func end() { content.append(-1 as Int16) }

    /// What has been gathered since it was last emptied.
    package var bytes: UnsafeRawBufferPointer { content.bytes }

    package func removeAll() { content.shorten(to: 0) }
}
