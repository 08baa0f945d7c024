// `gamectl doctor` and `gamectl health`.

import Client
import GameFlow
import Texts

extension Subcommand {
    /// No answer is waited for longer than that, unless it is said.
    private static let within = Option("--within", "DURATION", "timeout of a reply (5s)")

    static let doctor = Subcommand(
        .daemon, syntax: "doctor",
        summary:
            "Checks socket, disk, journal, flows, limits, clock and version; reports problems and how to fix them.",
        details: """
            Run it as the daemon's user, or as root, to see everything. It changes nothing. The status is 0 without \
            problems, 1 with problems, and 2 if no daemon answers. Scripts that only check whether the daemon works use \
            gamectl health.
            """,
        examples: ["gamectl doctor", "gamectl doctor --json"], options: [within], words: 0...0
    ) { context, call throws(ControlError) in
        let doctor = try Doctor(try client(context, call))
        try context.output.write(
            json: .array(doctor.findings.map(\.json)),
            lines: doctor.findings.flatMap { $0.lines(context.output.style) } + [doctor.findings.summary])
        if !doctor.hasDaemon { return .noDaemon }
        return doctor.findings.allSatisfy { $0.verdict == .good } ? .accepted : .refused
    }

    static let health = Subcommand(
        .daemon, syntax: "health", summary: "Checks whether the daemon works; the exit status is 0 if it does.",
        details: """
            The daemon works if it answers in time, has restored all sessions, and the disk accepts writes. In a cluster, \
            each shard also has an owner, at least within 2 s. Otherwise the status is 1, with the reason, or 2 if no \
            daemon answers at all.
            """,
        examples: ["gamectl health", "gamectl health --within 1s"], options: [within], words: 0...0
    ) { context, call throws(ControlError) in
        let report = try client(context, call).report()
        let unavailability = report.unavailability ?? report.unownedShards
        try context.output.write(
            json: ["healthy": .bool(unavailability == nil), "reason": unavailability.map { .string($0) } ?? .null],
            lines: [(unavailability ?? "healthy").printable])
        return unavailability == nil ? .accepted : .refused
    }

    /// A separate connection, which is abandoned if it takes too long.
    private static func client(_ context: CommandContext, _ call: Invocation) throws(ControlError) -> DaemonClient {
        let text = call.options[within.name] ?? "5s"
        guard let timeout = Duration(text: text) else {
            throw .usage("--within: \(Duration.complaint(about: text.shortened))")
        }
        guard timeout >= .milliseconds(1) else {
            throw .usage("--within must be at least 1 ms, not \(timeout.written)")
        }
        return context.daemon.copy(timeout: timeout)
    }
}
