// Measures gamed against named peers, side by side in one run. Only the ratios mean something.
//
//     gamed-bench [--json FILE] [timers] [machines] [charts] [views] [json] [store] [lateness] [wire] [tls] [chart-wire] [web] [million] [advance] [reload] [journal] [recovery] [cluster] [metrics]

import Foundation
import Posix

let benchmarks: KeyValuePairs<String, (Report) throws -> Void> = [
    "timers": benchmarkTimers,
    "machines": benchmarkMachines,
    "charts": benchmarkCharts,
    "views": benchmarkViews,
    "json": benchmarkJSON,
    "store": benchmarkStore,
    "lateness": benchmarkLateness,
    "wire": benchmarkWire,
    "tls": benchmarkTLS,
    "chart-wire": benchmarkChartWire,
    "web": benchmarkWeb,
    "million": benchmarkMillionSessions,
    "advance": benchmarkAdvance,
    "reload": benchmarkReload,
    "journal": benchmarkJournal,
    "recovery": benchmarkRecovery,
    "cluster": benchmarkCluster,
    "metrics": benchmarkMetrics,
]

StandardDescriptors.fill()
var words = CommandLine.arguments.dropFirst()
var json: String?
var chosen: [String] = []
while let word = words.popFirst() {
    if word == "--json" { json = words.popFirst() } else { chosen.append(word) }
}

let unknown = chosen.filter { name in !benchmarks.contains { $0.key == name } }
guard unknown.isEmpty else {
    let known = benchmarks.map(\.key).joined(separator: ", ")
    let names = unknown.map { "'\($0)'" }.joined(separator: ", ")
    FileHandle.standardError.write(Data("gamed-bench: there is no benchmark \(names); there are \(known)\n".utf8))
    exit(64)
}

let report = Report()
for (name, run) in benchmarks where chosen.isEmpty || chosen.contains(name) {
    try run(report)
}
if let json { try report.write(json: json) }
