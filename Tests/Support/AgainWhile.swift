// Repeats a scene that a busy machine has made late, so that the bound of its test can stay.

/// Returns the first result that is not late, or the third result: a scene that is always late fails its test.
package func again<Result>(while isLate: (Result) -> Bool, _ scene: () throws -> Result) rethrows -> Result {
    for _ in 1...2 {
        let result = try scene()
        if !isLate(result) { return result }
    }
    return try scene()
}

/// The same with a scene that waits.
package func again<Result>(while isLate: (Result) -> Bool, _ scene: () async throws -> Result) async rethrows -> Result {
    for _ in 1...2 {
        let result = try await scene()
        if !isLate(result) { return result }
    }
    return try await scene()
}
