// Events of the catalogue that no state takes.

import Texts

enum UnusedEvents {
    static func findings(in chart: ChartDefinition) -> [Finding] {
        var (names, prefixes): (Set<String>, Set<String>) = ([], [])
        for transition in chart.transitions {
            guard case .event(let descriptor) = transition.trigger else { continue }
            switch descriptor {
            case .any: return []
            case .exact(let name): names.insert(name)
            case .prefix(let prefix): prefixes.insert(prefix)
            }
        }
        return chart.events.indices.filter {
            !names.contains(chart.events[$0].name) && !hasPrefix(chart.events[$0].name, prefixes)
        }
        .map { Finding(place: .event($0), sentence: "no state takes the event '\(chart.events[$0].name.shortened)'") }
    }

    private static func hasPrefix(_ name: String, _ prefixes: Set<String>) -> Bool {
        guard !prefixes.isEmpty else { return false }
        return prefixes.contains(name) || name.indices.contains { name[$0] == "." && prefixes.contains(String(name[..<$0])) }
    }
}
