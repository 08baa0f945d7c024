// One line of a sample: name{label="value",…} value.

import Foundation

struct SampleLine {
    private var rest: Substring
    private let line: String

    init(_ line: String) {
        (rest, self.line) = (line[...], line)
    }

    var sample: MetricsReading.Sample {
        get throws {
            var reader = self
            return try reader.read()
        }
    }

    private mutating func read() throws -> MetricsReading.Sample {
        let name = try word(colons: true)
        var labels: [String: String] = [:]
        if take("{") {
            repeat {
                let label = try word(colons: false)
                guard take("="), take("\""), labels[label] == nil else { throw complaint("a label") }
                labels[label] = try text()
            } while take(",")
            guard take("}") else { throw complaint("the end of the labels") }
        }
        guard take(" "), let value = Self.number(String(rest)) else { throw complaint("a value") }
        return MetricsReading.Sample(name: name, labels: labels, value: value)
    }

    private static func number(_ text: String) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.contains { !"0123456789+-.e".contains($0) } ? nil : Double(text)
        }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.unicodeScalars.first == scalar else { return false }
        rest.unicodeScalars.removeFirst()
        return true
    }

    private mutating func word(colons: Bool) throws -> String {
        var word = ""
        while let scalar = rest.unicodeScalars.first,
            scalar.isASCII && scalar.properties.isAlphabetic || scalar == "_" || colons && scalar == ":"
                || !word.isEmpty && ("0"..."9").contains(scalar)
        {
            word.unicodeScalars.append(scalar)
            rest.unicodeScalars.removeFirst()
        }
        guard !word.isEmpty else { throw complaint("a name") }
        return word
    }

    /// Up to the quote that ends it.
    private mutating func text() throws -> String {
        var text = ""
        while let scalar = rest.unicodeScalars.popFirst() {
            switch scalar {
            case "\"": return text
            case "\\":
                switch rest.unicodeScalars.popFirst() {
                case "\\": text += "\\"
                case "\"": text += "\""
                case "n": text += "\n"
                default: throw complaint("an escape")
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        throw complaint("the end of a text")
    }

    private func complaint(_ what: String) -> MetricsReading.Complaint {
        MetricsReading.Complaint(description: "\(what) is missing before '\(rest)' in: \(line)")
    }
}
