// How long it takes until everything is there again: a million sessions, beside Redis that loads a million keys with expiry.

private let million = 1_000_000

func benchmarkRecovery(_ report: Report) throws {
    report.section("Recovery of a million sessions, beside Redis loading a million keys with expiry from its own file")
    let folder = BenchmarkFolder()
    let ours = ["--data", folder.url.appending(path: "data").path]
    try fillAndStop(folder, ours)
    // The sessions began just before: a stop leaves in the log what the tables still lack.
    try compare(folder, ours, "from the start to the first answer, the tables behind", atMost: 6, rounds: 1, report)
    try compare(folder, ours, "from the start to the first answer, median of three", atMost: 1.5, rounds: 3, report)
}

private func compare(
    _ folder: BenchmarkFolder, _ ours: [String], _ label: String, atMost times: Double, rounds: Int, _ report: Report
) throws {
    var (own, peers): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
        let gamed = try folder.gamed(ours)
        own.append(gamed.secondsToAnswer)
        gamed.stop()
        let redis = try folder.redis(["--save", "3600 1"])
        peers.append(redis.secondsToAnswer)
        redis.stop()
    }
    let (gamed, redis) = (own.sorted()[rounds / 2], peers.sorted()[rounds / 2])
    report.add(
        label, unit: "s", ["gamed": gamed, "Redis": redis],
        target: .init(text: "at most \(times.formatted()) times Redis", reached: gamed <= times * redis))
}

private func fillAndStop(_ folder: BenchmarkFolder, _ ours: [String]) throws {
    let (redis, gamed) = (try folder.redis(["--save", "3600 1"]), try folder.gamed(ours))
    try fill(redis, gamed, million, .uuid)
    guard let client = PipelinedClient(redis.socketPath) else { throw BenchmarkError("Redis does not answer") }
    client.run(1, depth: 1) { _ in ["SAVE"] }
    redis.stop()
    gamed.stop()
}
