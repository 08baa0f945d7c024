// Charts of extreme size: an input says how many of everything there are, and how long names are. Bytes alone rarely become such a file.

@testable import Statecharts

/// The contents of an input that begins with `mark`: a byte for each count.
struct LargeChart {
    static let mark: UInt8 = 0xFF
    /// Around bounds: of bytes, of words, and of a chart.
    private static let counts = [
        0, 1, 2, 3, 8, 63, 64, 65, 255, 256, 257, 999, 1_000, 1_001, 4_096, 9_999, 10_000, 10_001, 19_999, 20_000, 20_001,
        32_768,
        65_535, 65_536, 65_537, 70_000,
    ]

    private var rest: ArraySlice<UInt8>

    #if LARGE
        private static let isEnabled = true
    #else
        private static let isEnabled = false
    #endif

    /// Nil for an input that is a file's text, and in a build without the optimizer, for which such files take too long.
    init?(_ bytes: [UInt8]) {
        guard Self.isEnabled, bytes.first == Self.mark else { return nil }
        rest = bytes.dropFirst()
    }

    /// Mostly few, so that one thing is large at a time and the file is not too long.
    private mutating func count() -> Int {
        let byte = rest.popFirst() ?? 0
        return byte < 128 ? Int(byte) % 4 : Self.counts[Int(byte) % Self.counts.count]
    }

    private mutating func name(_ beginning: String) -> String {
        beginning + String(repeating: "n", count: min(count(), 4_096))
    }

    func text() -> String {
        var copy = self
        return copy.makeText()
    }

    private mutating func makeText() -> String {
        let (events, timers, milestones) = (count(), count(), count())
        let (regions, nested, transitions) = (count(), count(), count())
        let (raised, histories, invocations) = (count(), count(), count())
        let isParallel = (rest.popFirst() ?? 0) % 2 == 1
        let name = name("s")
        var text = "{id:'f',"
        if events > 0 { text += "events:{" + list(events) { "e\($0):{}" } + "}," }
        text += isParallel ? "type:'parallel'," : "initial:'\(name)0',"
        text += "on:{" + list(transitions) { "'e\($0)':'\(name)0'" } + "},"
        text +=
            "after:{" + list(timers) { "'\($0 + 1)s':{name:'t\($0)',milestones:{\(marks(milestones))},target:'\(name)0'}" }
            + "},"
        text += "entry:[" + list(raised) { "{raise:{event:'e0',delay:\($0),id:'d\($0)'}}" } + "],"
        text += "invoke:[" + list(invocations) { "{flow:'f',id:'i\($0)'}" } + "],"
        text += "states:{" + list(max(1, regions)) { "\(name)\($0):{}" }
        text += histories == 0 ? "" : "," + list(histories) { "h\($0):{type:'history',target:'\(name)0'}" }
        return text + "," + nest(min(nested, 200), name) + "}}"
    }

    private func marks(_ count: Int) -> String { list(count) { "'\($0 + 1)ms':'e0'" } }

    private func nest(_ depth: Int, _ name: String) -> String {
        String(repeating: "z\(name):{states:{", count: depth) + "z:{}" + String(repeating: "}}", count: depth)
    }

    /// No longer than a file may be, and a little.
    private func list(_ count: Int, _ element: (Int) -> String) -> String {
        var text = ""
        for number in 0..<count where text.utf8.count < ChartBounds.fileBytes {
            if number > 0 { text += "," }
            text += element(number)
        }
        return text
    }
}
