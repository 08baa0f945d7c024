// An entry of systemd's journal as bytes: fields, each a name and a value.

package struct JournalEntry {
    private(set) var bytes: [UInt8] = []

    package init() {}

    /// `NAME=value`, or where the value has line ends its length before it. Names are upper-case letters, digits and underscores.
    package mutating func add(_ name: StaticString, _ value: String) {
        let value = Array(value.utf8)
        name.withUTF8Buffer { bytes += $0 }
        if value.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes += $0 }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value
        bytes.append(UInt8(ascii: "\n"))
    }
}
