// A strict parser of Prometheus' text format, version 0.0.4. It throws at every violation.

import Foundation

struct MetricsReading {
    struct Complaint: Error, CustomStringConvertible {
        let description: String
    }

    struct Sample {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    struct Family {
        let name: String
        let kind: String
        let help: String
        var samples: [Sample] = []
    }

    private(set) var families: [Family] = []
    private var seen: Set<String> = []

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Complaint(description: "the last line has no end") }
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) { try read(String(line)) }
        for family in families where family.kind == "histogram" { try check(family) }
    }

    /// The value of the first sample that has at least these labels; nil without one.
    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? { values(name, labels).first }

    func values(_ name: String, _ labels: [String: String] = [:]) -> [Double] {
        families.flatMap(\.samples).filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }
        .map(\.value)
    }

    var names: Set<String> { Set(families.flatMap(\.samples).map(\.name)) }

    // MARK: Lines

    private var help: (name: String, text: String)?

    private mutating func read(_ line: String) throws {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        if line.hasPrefix("# HELP ") {
            guard help == nil, words.count == 4, !words[3].isEmpty else { throw Complaint(description: "help: \(line)") }
            guard !families.contains(where: { $0.name == words[2] }) else { throw Complaint(description: "twice: \(line)") }
            help = (words[2], words[3])
        } else if line.hasPrefix("# TYPE ") {
            guard let help, words.count == 4, help.name == words[2], ["counter", "gauge", "histogram"].contains(words[3]) else {
                throw Complaint(description: "a type without its help before it: \(line)")
            }
            families.append(Family(name: words[2], kind: words[3], help: help.text))
            self.help = nil
        } else {
            guard help == nil else { throw Complaint(description: "help without a type before: \(line)") }
            try add(try SampleLine(line).sample, line)
        }
    }

    private mutating func add(_ sample: Sample, _ line: String) throws {
        guard let family = families.last else { throw Complaint(description: "a sample without a family: \(line)") }
        let suffixes = family.kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { family.name + $0 == sample.name }) else {
            throw Complaint(description: "not of the family \(family.name): \(line)")
        }
        guard seen.insert(sample.name + sample.labels.sorted { $0.key < $1.key }.description).inserted else {
            throw Complaint(description: "a sample that was there: \(line)")
        }
        guard family.kind == "gauge" || sample.value >= 0 else { throw Complaint(description: "below zero: \(line)") }
        guard family.kind != "counter" || family.name.hasSuffix("_total") else { throw Complaint(description: family.name) }
        families[families.count - 1].samples.append(sample)
    }

    // MARK: Histograms

    private func check(_ family: Family) throws {
        let groups = Dictionary(grouping: family.samples) { sample in
            sample.labels.filter { $0.key != "le" }.sorted { $0.key < $1.key }.description
        }
        for samples in groups.values { try check(samples, of: family.name) }
    }

    private func check(_ samples: [Sample], of name: String) throws {
        let buckets = samples.filter { $0.name == name + "_bucket" }
        let bounds = buckets.map { $0.labels["le"].flatMap { $0 == "+Inf" ? .infinity : Double($0) } ?? .nan }
        let counts = buckets.map(\.value)
        let (sums, totals) = (samples.filter { $0.name == name + "_sum" }, samples.filter { $0.name == name + "_count" })
        let isRight =
            zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 } && bounds.last == .infinity
            && zip(counts, counts.dropFirst()).allSatisfy { $0 <= $1 } && sums.count == 1 && totals.count == 1
            && counts.last == totals[0].value && sums[0].value >= Self.least(bounds, counts)
        guard isRight else { throw Complaint(description: "the histogram \(name): \(samples)") }
    }

    /// Returns the smallest possible sum: each value counts as its bucket's lower bound.
    private static func least(_ bounds: [Double], _ counts: [Double]) -> Double {
        bounds.indices.dropFirst().reduce(0) { $0 + (counts[$1] - counts[$1 - 1]) * bounds[$1 - 1] } * 0.999_999
    }
}
