// The journal store's throughput per second: batches onto the disk, rows into the tables, and all of it back into memory.

import Foundation
import GameDaemon
import SQLiteStore
import Store

/// Uses a separate folder in the working directory: the system's folder for temporary files may be no disk.
func benchmarkStore(_ report: Report) throws {
    report.section("The store: rows and batches in a second (this machine's disk and noise included)")
    let folder = ".build/store-benchmark-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try measureAppends(report, folder)
    try FileManager.default.removeItem(atPath: folder)
    try measureTables(report, folder)
    try measureLoad(report, folder)
}

private let sessionCount = 1_000_000
private let rowsPerPiece = 20_000

private func measureAppends(_ report: Report, _ folder: String) throws {
    let batch = [UInt8](unsafeUninitializedCapacity: 300_000) { buffer, count in
        var random = QuickRandom(seed: 7)
        for index in 0..<300_000 { buffer[index] = UInt8(truncatingIfNeeded: random.next()) }
        count = 300_000
    }
    for durability in Durability.allCases {
        let store = try SQLiteStore(directory: folder, durability: durability, historyCapacity: sessionCount)
        let count = 300
        let each = try batch.withUnsafeBytes { bytes in
            try nanoseconds(per: count) {
                for number in 1...Int64(count) {
                    try store.append(ShardBatch(.only, number: number, bytes: bytes))
                    try store.write(.only, coveringLogThrough: try store.lastLogged(in: .only)) { _ in }
                }
                try store.sync()
            }
        }
        report.add("batches of 300 kB, \(durability.rawValue)", unit: "MB/s", ["gamed": 300_000 * 1e3 / each])
        try store.close()
    }
}

private func measureTables(_ report: Report, _ folder: String) throws {
    let store = try SQLiteStore(directory: folder, durability: .everysec, historyCapacity: sessionCount)
    for round in ["new", "again"] {
        let each = try nanoseconds(per: sessionCount) { try writeSessions(store) }
        report.add(
            "sessions into the table, \(round)", unit: "row/s", ["gamed": 1e9 / each],
            target: Row.Target(text: "500,000 in a second", reached: each <= 2_000))
    }
    for round in 0..<2 {
        let each = try nanoseconds(per: sessionCount) { try writeHistory(store, from: Int64(round * sessionCount)) }
        report.add(
            "history, \(round == 0 ? "filling" : "full")", unit: "row/s", ["gamed": 1e9 / each],
            target: Row.Target(text: "a million in a second", reached: each <= 1_000))
    }
    try measureScattered(report, store)
    let closing = try nanoseconds(per: 1) { try store.close() }
    report.add("closing", unit: "ms", ["gamed": closing / 1e6])
}

/// A second's work of a daemon with a million sessions: some of them, anywhere.
private func measureScattered(_ report: Report, _ store: SQLiteStore) throws {
    var random = QuickRandom(seed: 3)
    let ids = Set((0..<50_000).map { _ in Int64(random.next(below: sessionCount)) }).sorted()
    var slowest = 0.0
    let each = try nanoseconds(per: ids.count) {
        for start in stride(from: 0, to: ids.count, by: 2_000) {
            let piece = ids[start..<min(start + 2_000, ids.count)]
            slowest = max(slowest, try nanoseconds(per: 1) { try write(piece, store) })
        }
    }
    report.add("sessions here and there", unit: "row/s", ["gamed": 1e9 / each])
    report.add("the slowest piece of 2,000", unit: "ms", ["gamed": slowest / 1e6])
}

private func writeSessions(_ store: SQLiteStore) throws {
    for start in stride(from: 0, to: sessionCount, by: rowsPerPiece) {
        try write((start..<start + rowsPerPiece).map(Int64.init), store)
    }
}

private func write(_ ids: some Sequence<Int64>, _ store: SQLiteStore) throws {
    try withText(#"{"episode":3,"turn":{"left_ms":29999,"generation":17}}"#) { json throws(StoreError) in
        try withText(#"[{"name":"choosing","kind":"countdown","at":1790000000000000000}]"#) { timers throws(StoreError) in
            try store.write(.only, coveringLogThrough: nil) { writer throws(StoreError) in
                for id in ids { try write(id, json, timers, writer) }
            }
        }
    }
}

private func write(_ id: Int64, _ json: Text, _ timers: Text, _ writer: any TableWriter) throws(StoreError) {
    try withText("room-\(id)") { name throws(StoreError) in
        try withText("game") { flow throws(StoreError) in
            try writer.session(
                SessionRow(
                    id: id, name: name, flow: flow, state: flow, data: json, timers: timers, version: id,
                    since: 1_790_000_000_000, saved: 1_790_000_000_000_000_000, paused: false, life: id + 1, seq: 1))
        }
    }
}

private func writeHistory(_ store: SQLiteStore, from serial: Int64) throws {
    for start in stride(from: 0, to: Int64(sessionCount), by: rowsPerPiece) {
        try store.write(.only, coveringLogThrough: nil) { writer throws(StoreError) in
            for first in stride(from: serial + start, to: serial + start + Int64(rowsPerPiece), by: entriesPerBlock) {
                try writeBlock(first, writer)
            }
        }
    }
}

private let entriesPerBlock = 200

private func writeBlock(_ first: Int64, _ writer: any TableWriter) throws(StoreError) {
    let last = first + Int64(entriesPerBlock) - 1
    let entries = (first...last).map { #"[\#($0),"room-\#($0)",\#($0),1,7,1790000000000,0,1,2,3,4,5]"# }.joined(separator: ",")
    try withText(#"["taken","game","network","choosingEpisode","choosingLevel","chooseEpisode"]"#) { names throws(StoreError) in
        try withText("[\(entries)]") { entries throws(StoreError) in
            try writer.history(
                HistoryBlock(first: first, last: last, count: Int64(entriesPerBlock), names: names, entries: entries))
        }
    }
}

private func measureLoad(_ report: Report, _ folder: String) throws {
    var store: SQLiteStore?
    let opening = try nanoseconds(per: 1) {
        store = try SQLiteStore(directory: folder, durability: .everysec, historyCapacity: sessionCount)
    }
    report.add("opening", unit: "ms", ["gamed": opening / 1e6])
    var bytes = 0
    let sessions = try nanoseconds(per: 1) {
        try store?.load(sessions: { bytes += $0.name.count + $0.data.count }, history: { _ in }, log: { _, _ in })
    }
    report.add(
        "a million sessions and lines, loading", unit: "ms", ["gamed": sessions / 1e6],
        target: Row.Target(text: "1.5 s", reached: sessions <= 1.5e9))
    try store?.close()
}
