// `gamectl sessions`: the names of all sessions, or of those that match.

import Client
import Texts

extension Subcommand {
    static let sessions = Subcommand(
        .sessions, syntax: "sessions [--match GLOB] [--flow FLOW] [--state STATE]",
        summary: "Lists sessions: as a table on a terminal, otherwise one name per line.",
        details: """
            On a terminal it shows each session's flow, state, the time in it, and the next timer. Names are in natural \
            order: room-2 before room-10. The options filter by name, flow and state. The state ! means sessions that could \
            not be restored or are quarantined; on a terminal, each is shown with the reason and the remedy. The state \
            !stopped means sessions whose clock the daemon has stopped. In a cluster, it lists the sessions of all nodes; if \
            a shard has no owner, it says so on standard error, and the status is 1.
            """,
        examples: [
            "gamectl sessions", "gamectl sessions --match 'room-*' --flow game --state introduction",
            "gamectl sessions --state '!'",
        ],
        options: [
            Option("--match", "GLOB", "names that match: *, ?, [a-c]"), Option("--flow", "FLOW", "sessions of this flow"),
            Option("--state", "STATE", "sessions in this state, or in one inside it"),
            Option("--count", "N", "how many the daemon scans in one step (1000)", isCount: true),
        ], words: 0...0
    ) { context, call throws(ControlError) in
        let status = try context.daemon.clusterStatus()
        let gap = status.flatMap { ClusterText.gap(in: $0) }
        try context.listSessions(call.options, isWhole: gap == nil)
        if let gap { context.output.remark(gap) }
        return gap == nil ? .accepted : .refused
    }
}

extension CommandContext {
    /// `isWhole` is false if sessions may be missing from the list.
    fileprivate func listSessions(_ options: [String: String], isWhole: Bool) throws(ControlError) {
        let names = try allNames(options)
        if output.isJSON { return try output.write(json: .array(names.map { .string($0) })) }
        guard !names.isEmpty else {
            if isWhole { try output.write(absence: try absence(options) + unknownFlow(options)) }
            return try writeSetAside(options)
        }
        guard output.isTerminal else { return try output.write(lines: names.map(\.printable)) }
        // Only sessions that are set aside have a reason.
        if options["--state"] == "!" {
            for name in names { try output.writeLine(try reason(of: name).printable) }
        } else {
            try SessionListing(context: self).write(names)
            try writeSetAside(options)
        }
    }

    /// Sessions that the table cannot show, as they are in no state.
    private func writeSetAside(_ options: [String: String]) throws(ControlError) {
        guard output.isTerminal, options["--state"] == nil else { return }
        var filter = options
        filter["--state"] = "!"
        let count = try allNames(filter).count
        guard count > 0 else { return }
        try output.writeLine("\(count) \(count == 1 ? "is" : "are") set aside; gamectl sessions --state '!' shows why")
    }

    private func allNames(_ options: [String: String]) throws(ControlError) -> [String] {
        var names: Set<String> = []
        for node in try daemon.nodes() {
            names.formUnion(
                try node.sessionNames(
                    match: options["--match"], flow: options["--flow"], state: options["--state"], count: options["--count"]))
        }
        return names.map(NaturalOrder.init).sorted().map(\.text)
    }

    private func absence(_ options: [String: String]) throws(ControlError) -> String {
        if options["--state"] == "!" { return "no session is set aside" }
        let filters = ["--match", "--flow", "--state"].filter { options[$0] != nil }
        return try SessionListing.absence(isFiltered: !filters.isEmpty, for: daemon)
    }

    /// That the flow of the filter is not hosted, and the nearest one; empty if it is hosted.
    private func unknownFlow(_ options: [String: String]) throws(ControlError) -> String {
        guard let flow = options["--flow"] else { return "" }
        let hosted = try daemon.ask(["FLOWS"]).elements.compactMap(\.text)
        return hosted.contains(flow) ? "" : ": there is no flow '\(flow.shortened)'; \(hosted.advice(for: flow))"
    }

    /// The daemon's sentence on why it is set aside; its name if it has come back meanwhile.
    private func reason(of session: String) throws(ControlError) -> String {
        do throws(ControlError) {
            _ = try daemon.ask(["STATE", session])
            return session
        } catch .refused(_, let sentence) {
            return sentence
        }
    }
}
