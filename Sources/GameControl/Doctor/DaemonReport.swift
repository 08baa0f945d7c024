// INFO's reply, field by field.

import Client
import Glibc
import RESP

/// A daemon's report about itself.
package struct DaemonReport {
    private let fields: [Substring: Substring]

    package init(_ text: String) {
        let pairs = text.split(whereSeparator: \.isNewline).compactMap { line -> (Substring, Substring)? in
            guard !line.hasPrefix("#"), let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon], line[line.index(after: colon)...])
        }
        fields = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// Nil where it is missing, or empty.
    subscript(name: String) -> String? { fields[name[...]].flatMap { $0.isEmpty ? nil : String($0) } }

    /// 0 where it is missing.
    func number(_ name: String) -> Int { self[name].flatMap { Int($0) } ?? 0 }

    /// Whether the daemon is a node of a cluster.
    var isNode: Bool { fields["cluster_failure"] != nil }
    /// Whether sessions are kept on disk.
    var keeps: Bool { self["durability"] != "none" }
    var process: Int? { self["process_id"].flatMap { Int($0) } }
}

extension DaemonReport {
    /// The reason why the daemon does not work; nil if it does.
    package var trouble: String? {
        if let failure = self["cluster_failure"] { return failure }
        if self["loading"] == "1" { return "sessions are being restored" }
        if self["journal_status"] == "failing" {
            return "the disk cannot be written, so changes are refused: \(self["journal_failure"] ?? "")"
        }
        guard waitsForDisk else { return nil }
        return
            "the disk has written nothing for \(number("last_sync_ms_ago") / 1_000) s, and \(number("journal_backlog_bytes")) bytes wait"
    }

    /// Something waits for the disk, which has taken nothing for long; also for a moment, when something happens after a long rest.
    fileprivate var waitsForDisk: Bool {
        keeps && number("journal_backlog_bytes") > 0 && number("last_sync_ms_ago") > Self.patience
    }

    /// How long the disk may take nothing while something waits for it, in milliseconds.
    private static let patience = 10_000
}

extension DaemonClient {
    /// The daemon's report about itself.
    func report() throws(ControlError) -> DaemonReport {
        var report = try requestReport()
        // A disk that works has taken it by then.
        for _ in 0..<8 where report.waitsForDisk {
            usleep(250_000)
            report = try requestReport()
        }
        return report
    }

    /// Throws if something else answers: Redis knows INFO, too.
    private func requestReport() throws(ControlError) -> DaemonReport {
        let report = DaemonReport(try ask(["INFO"]).text ?? "")
        guard report["gamed_version"] != nil else {
            throw .noDaemon("what listens at \(address) is not a game daemon: its INFO has no gamed_version")
        }
        return report
    }
}
