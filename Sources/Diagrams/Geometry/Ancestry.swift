// Which frames stand in which.

extension LayoutProblem {
    /// The smallest frame that both ends stand in.
    func smallestFrame(around one: End, _ other: End) -> Int {
        let around = Set(frames(around: one))
        return frames(around: other).first(where: around.contains) ?? 0
    }

    /// From the innermost.
    private func frames(around end: End) -> [Int] {
        var (found, next) = ([Int](), home(of: end))
        while let frame = next {
            found.append(frame)
            next = frames[frame].parent
        }
        return found
    }

    /// What stands directly in the frame and is the end, or has it inside.
    func part(of frame: Int, with end: End) -> End {
        var part = end
        while let home = home(of: part), home != frame { part = .frame(home) }
        return part
    }
}
