// Looks for a timer in a value, by reflection.

import Timers

/// Finds one timer in a state's value.
struct TimerSearch {
    /// A deeper value is taken to refer to itself.
    private static let deepest = 64
    private static let maxValues = 100_000

    private let timer: StateTimer
    private var valuesLeft = Self.maxValues

    init(for timer: StateTimer) {
        self.timer = timer
    }

    /// True also for a value too large to search, since a timer that is carried must not be stopped.
    consuming func finds(in value: Any) -> Bool { finds(in: value, depth: 0) }

    private mutating func finds(in value: Any, depth: Int) -> Bool {
        valuesLeft -= 1
        guard valuesLeft > 0, depth < Self.deepest else { return true }
        if let found = value as? StateTimer { return found === timer }
        var mirror: Mirror? = Mirror(reflecting: value)
        while let level = mirror {
            for child in level.children where finds(in: child.value, depth: depth + 1) { return true }
            mirror = level.superclassMirror
        }
        return false
    }
}
