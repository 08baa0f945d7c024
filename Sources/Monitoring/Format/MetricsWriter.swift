// The text format of Prometheus, version 0.0.4: families of samples, each with its help and its type before them.

import Timers

/// Writes families one after the other. A sample belongs to the family that was begun last.
package struct MetricsWriter {
    /// The type of a family's metrics.
    package enum Kind: String {
        /// It only grows, until the daemon restarts.
        case counter
        case gauge
        case histogram
    }

    /// The content type of a response with this text.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var bytes: [UInt8] = []
    private var name: [UInt8] = []

    package init(capacity: Int = 1 << 14) {
        bytes.reserveCapacity(capacity)
    }

    /// Begins a family. Its name has letters, digits and underscores.
    package mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        self.name = Array(name.utf8)
        bytes += "# HELP \(name) ".utf8
        MetricLabel.escape(help, quotes: false, into: &bytes)
        bytes += "\n# TYPE \(name) \(kind.rawValue)\n".utf8
    }

    /// A family of one sample without labels.
    package mutating func metric(_ name: String, _ kind: Kind, _ help: String, _ value: some Numeric & CustomStringConvertible)
    {
        family(name, kind, help)
        sample(value)
    }

    /// A family of one histogram: its buckets, each with all that is in those before it, and the sum and the number of all.
    package mutating func metric(_ name: String, _ help: String, _ histogram: DurationHistogram) {
        family(name, .histogram, help)
        for (bound, count) in zip(DurationHistogram.boundTexts, histogram.cumulative) {
            begin("_bucket", [MetricLabel("le", bound)])
            write(count)
        }
        begin("_bucket", [MetricLabel("le", "+Inf")])
        write(histogram.count)
        begin("_sum", [])
        write(histogram.seconds)
        begin("_count", [])
        write(histogram.count)
    }

    package mutating func sample(_ value: some Numeric & CustomStringConvertible, _ labels: MetricLabel...) {
        begin("", labels)
        write(value)
    }

    // MARK: Lines

    private mutating func begin(_ suffix: String, _ labels: [MetricLabel]) {
        bytes += name
        bytes += suffix.utf8
        for (index, label) in labels.enumerated() {
            bytes.append(UInt8(ascii: index == 0 ? "{" : ","))
            bytes += label.bytes
        }
        if !labels.isEmpty { bytes.append(UInt8(ascii: "}")) }
        bytes.append(UInt8(ascii: " "))
    }

    private mutating func write(_ value: some Numeric & CustomStringConvertible) {
        bytes += Self.text(of: value).utf8
        bytes.append(UInt8(ascii: "\n"))
    }

    private static func text(of value: some Numeric & CustomStringConvertible) -> String {
        guard let number = value as? Double, !number.isFinite else { return value.description }
        return number.isNaN ? "NaN" : number > 0 ? "+Inf" : "-Inf"
    }
}

// MARK: - A label of a sample, escaped once for all its samples

/// A name, which has letters, digits and underscores, and a value, which may be anything.
package struct MetricLabel: Sendable {
    let bytes: [UInt8]

    package init(_ name: String, _ value: String) {
        var bytes = Array(name.utf8)
        bytes += "=\"".utf8
        Self.escape(value, quotes: true, into: &bytes)
        bytes.append(UInt8(ascii: "\""))
        self.bytes = bytes
    }

    /// The format knows three escapes, and takes any other character as it is.
    static func escape(_ text: String, quotes: Bool, into bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += [byte, byte]
            case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\"") where quotes: bytes += [UInt8(ascii: "\\"), byte]
            default: bytes.append(byte)
            }
        }
    }
}
