// How long it takes until everything is there again: a million sessions, beside Redis that loads a million keys with expiry.

private let million = 1_000_000

func benchmarkRecovery(_ report: Report) throws {
    report.section("Recovery of a million sessions, beside Redis loading a million keys with expiry from its own file")
    let folder = BenchmarkFolder()
    let ours = ["--data", folder.url.appending(path: "data").path]
    try fillAndStop(folder, ours)
    // The sessions began just before: a stop leaves in the log what the tables still lack.
    try compare(folder, ours, "from the start to the first answer, the tables behind", atMost: 6, report)
    try compare(folder, ours, "from the start to the first answer", atMost: 1.5, report)
}

private func compare(
    _ folder: BenchmarkFolder, _ ours: [String], _ label: String, atMost times: Double, _ report: Report
) throws {
    let (gamed, redis) = (try folder.gamed(ours), try folder.redis(["--save", "3600 1"]))
    report.add(
        label, unit: "s", ["gamed": gamed.secondsToAnswer, "Redis": redis.secondsToAnswer],
        target: .init(
            text: "at most \(times.formatted()) times Redis", reached: gamed.secondsToAnswer <= times * redis.secondsToAnswer))
    redis.stop()
    gamed.stop()
}

private func fillAndStop(_ folder: BenchmarkFolder, _ ours: [String]) throws {
    let (redis, gamed) = (try folder.redis(["--save", "3600 1"]), try folder.gamed(ours))
    try fill(redis, gamed, million, .uuid)
    guard let client = PipelinedClient(redis.socketPath) else { throw BenchmarkError("Redis does not answer") }
    client.run(1, depth: 1) { _ in ["SAVE"] }
    redis.stop()
    gamed.stop()
}
